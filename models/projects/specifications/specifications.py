"""Specifications: written, changed, retired."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from models.base import Schema, new_id
from models.errors import SpecificationSuperseded
from models.fields import Id, MayOmit, Moment, Slug
from models.pagination import Page
from models.projects.fields import (
    Actor,
    ActorType,
    CommaSeparated,
    IdOrSlugQuery,
    NullIfEmpty,
    Text,
    Title,
    Version,
)
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import changes_to_json, record_activity
from models.projects.projects.rows import project_with, require_active
from models.projects.specifications.rows import (
    SPECIFICATIONS,
    SpecificationRow,
    specification_with,
)
from models.projects.versioning.listing import ListVersioned, registered

# What a save may write; superseded is written by supersede alone.
WritableStatus = Literal["draft", "review", "approved", "implemented"]
SpecificationStatus = Literal[
    "draft", "review", "approved", "implemented", "superseded"
]
# Unlike a document's it may have several lines, and stands on the revision.
RevisionSummary = NullIfEmpty[Annotated[str, Field(max_length=500)]]
# What needs a maintainer: the words that others build on.
SETTLED = ("approved", "implemented")


class Specification(Schema):
    id: Id
    project_id: Id
    title: str
    slug: Slug
    status: SpecificationStatus
    version: int
    content: str
    creator_id: str
    creator_type: ActorType
    created_at: Moment
    updated_at: Moment
    superseded_at: Moment | None
    superseded_by: Id | None
    archived_at: Moment | None


class CreateSpecification(Schema):
    project_id: Id
    title: Title
    slug: Slug
    content: Text
    status: WritableStatus = "draft"
    summary: RevisionSummary = None


class UpdateSpecification(Schema):
    id: Id
    title: MayOmit[Title] = None
    content: MayOmit[Text] = None
    status: MayOmit[WritableStatus] = None
    summary: RevisionSummary = None
    expected_version: MayOmit[Version] = None

    @model_validator(mode="after")
    def _says_something(self) -> "UpdateSpecification":
        given = self.model_fields_set - {"id", "summary", "expected_version"}
        if not given and self.summary is None:
            raise ValueError("Give at least one member to change, or a summary.")
        return self


class GetSpecification(IdOrSlugQuery):
    pass


def create_specification(
    request: CreateSpecification, now: datetime, actor: Actor
) -> SpecificationRow:
    """Keep a new specification; who settles it at once must be a maintainer."""
    project = project_with(request.project_id)
    is_settled = request.status in SETTLED
    case = " as approved or implemented" if is_settled else ""
    require_role(project, actor, f"specifications:create{case}")
    require_active(project)
    SPECIFICATIONS.require_free(project, request.slug)
    words = {"title": request.title, "slug": request.slug, "status": request.status}
    specification = SpecificationRow.create(
        id=new_id(now),
        project=project,
        version=1,
        creator_id=actor.id,
        creator_type=actor.type,
        created_at=now,
        updated_at=now,
        **words,
    )
    keep(specification, request.content, actor, request.summary)
    record_activity(
        project,
        "specification.created",
        specification.id,
        actor,
        now,
        **words,
        version=1,
    )
    return specification


def update_specification(
    request: UpdateSpecification, now: datetime, actor: Actor
) -> SpecificationRow:
    """
    Keep a new version; members left out stay as they are.

    The role follows from the status in which the save leaves it, so settled
    words change without a maintainer only by going back to draft or review.
    """
    specification = SPECIFICATIONS.with_content(specification_with(request.id))
    is_settled = (request.status or specification.status) in SETTLED
    case = " to approved or implemented" if is_settled else ""
    require_role(specification.project, actor, f"specifications:update{case}")
    SPECIFICATIONS.require_version(specification, request.expected_version)
    require_living(specification)
    changes = _saved(specification, request, now, actor)
    _record_update(specification, changes, request.summary, now, actor)
    return specification


def _saved(
    specification: SpecificationRow,
    request: UpdateSpecification,
    now: datetime,
    actor: Actor,
) -> dict[str, Any]:
    """Save the head as its next version; return what differs."""
    old = specification.content
    content = old if request.content is None else request.content
    changes = specification.change(
        {
            "title": request.title or specification.title,
            "status": request.status or specification.status,
            "version": specification.version + 1,
        },
        now,
    )
    del changes["version"]
    keep(specification, content, actor, request.summary)
    return changes if content == old else changes | {"content": (old, content)}


def keep(
    specification: SpecificationRow, content: str, actor: Actor, summary: str | None
) -> None:
    SPECIFICATIONS.keep(
        specification, content, actor, status=specification.status, summary=summary
    )


def require_living(specification: SpecificationRow) -> None:
    """Refuse to change what is archived, or has given way to a successor."""
    require_active(specification.project, specification)
    if specification.status == "superseded":
        raise SpecificationSuperseded(
            f"The {specification.noun} is superseded, so it no longer changes."
            f" Its successor has the id '{specification.superseded_by}'."
        )


def _record_update(
    specification: SpecificationRow,
    changes: dict[str, Any],
    summary: str | None,
    now: datetime,
    actor: Actor,
) -> None:
    """A status has a record of its own; all else, and even nothing, is an update."""
    about = (specification.id, actor, now)
    project, version = specification.project, specification.version
    status = changes.pop("status", None)
    if changes or status is None:
        record_activity(
            project,
            "specification.updated",
            *about,
            version=version,
            changes=changes_to_json(changes),
            summary=summary,
        )
    if status is not None:
        old, new = status
        moved = {"version": version, "from": old, "to": new}
        record_activity(project, "specification.status-changed", *about, **moved)


class ListSpecifications(ListVersioned):
    status: CommaSeparated[SpecificationStatus] | None = None
    sort: Literal["updatedAt", "createdAt", "title", "slug"] = "updatedAt"


SORTS = {
    "updatedAt": SpecificationRow.updated_at,
    "createdAt": SpecificationRow.created_at,
    "title": SpecificationRow.title,
    "slug": SpecificationRow.slug,
}


def specifications_listed(query: ListSpecifications) -> Page[SpecificationRow]:
    where: list[Any] = []
    if query.status is not None:
        where.append(SpecificationRow.status.in_(query.status))
    if query.q is not None:
        where.append(
            SpecificationRow.title.contains(query.q)
            | SpecificationRow.slug.contains(query.q)
        )
    return registered(SPECIFICATIONS, query, SORTS[query.sort], where)
