"""Create, update and list specifications."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from models.base import Schema
from models.errors import SpecificationSuperseded
from models.fields import ID, STATUS, CreatedAt, Id, MayOmit, Moment, Slug, UpdatedAt
from models.pagination import Page
from models.projects import descriptions
from models.projects.fields import (
    Actor,
    ArchivedAt,
    CommaSeparated,
    CreatorType,
    ExpectedVersion,
    IdOrSlugQuery,
    NullIfEmpty,
    ProjectId,
    Text,
    Title,
)
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import changes_to_json, record_activity
from models.projects.projects.rows import project_with, require_active
from models.projects.specifications.rows import (
    SPECIFICATIONS,
    SpecificationRow,
    specification_with,
)
from models.projects.versioning.versioned import ListVersioned, list_versioned

# The statuses that a save may set; only supersede sets superseded.
WritableStatus = Literal["draft", "review", "approved", "implemented"]
SpecificationStatus = Literal[
    "draft", "review", "approved", "implemented", "superseded"
]
# Unlike the summary of a document it may have several lines, and it belongs to the
# revision.
RevisionSummary = NullIfEmpty[Annotated[str, Field(max_length=500)]]
# Writing in these statuses needs a maintainer, since others build on the content.
MAINTAINER_STATUSES = ("approved", "implemented")


class Specification(Schema):
    id: Annotated[Id, ID]
    project_id: ProjectId
    title: Annotated[str, descriptions.TITLE]
    slug: Annotated[Slug, descriptions.SLUG]
    status: Annotated[SpecificationStatus, STATUS]
    version: Annotated[int, descriptions.VERSION]
    content: Annotated[str, descriptions.CONTENT]
    creator_id: Annotated[str, descriptions.CREATOR_ID]
    creator_type: CreatorType
    created_at: CreatedAt
    updated_at: UpdatedAt
    superseded_at: Moment | None = Field(
        description="When it was superseded.", examples=[None]
    )
    superseded_by: Id | None = Field(
        description="The ID of the specification that superseded it.", examples=[None]
    )
    archived_at: ArchivedAt | None


class CreateSpecification(Schema):
    project_id: ProjectId
    title: Annotated[Title, descriptions.TITLE]
    slug: Annotated[Slug, descriptions.SLUG]
    content: Annotated[Text, descriptions.CONTENT]
    status: Annotated[WritableStatus, STATUS] = "draft"
    summary: Annotated[RevisionSummary, descriptions.CHANGE_NOTE] = None


class UpdateSpecification(Schema, example=("content", "summary", "expectedVersion")):
    id: Annotated[Id, ID]
    title: Annotated[MayOmit[Title], descriptions.TITLE] = None
    content: Annotated[MayOmit[Text], descriptions.CONTENT] = None
    status: Annotated[MayOmit[WritableStatus], STATUS] = None
    summary: Annotated[RevisionSummary, descriptions.CHANGE_NOTE] = None
    expected_version: MayOmit[ExpectedVersion] = None

    @model_validator(mode="after")
    def _require_change(self) -> "UpdateSpecification":
        changed = self.model_fields_set - {"id", "summary", "expected_version"}
        if not changed and self.summary is None:
            raise ValueError("Give at least one field to change, or a summary.")
        return self


class GetSpecification(IdOrSlugQuery, example=("projectSlug", "slug")):
    pass


def create_specification(
    request: CreateSpecification, now: datetime, actor: Actor
) -> SpecificationRow:
    """Create a specification at version 1; some statuses need a maintainer."""
    project = project_with(request.project_id)
    case = "specifications:create"
    if request.status in MAINTAINER_STATUSES:
        case += " as approved or implemented"
    require_role(project, actor, case)
    require_active(project)
    SPECIFICATIONS.require_free_slug(project, request.slug)
    fields = {"title": request.title, "slug": request.slug, "status": request.status}
    specification = SpecificationRow.create(
        project=project,
        version=1,
        **actor.creation(now),
        **fields,
    )
    save_revision(specification, request.content, actor, request.summary)
    record_activity(
        specification, "specification.created", actor, now, **fields, version=1
    )
    return specification


def update_specification(
    request: UpdateSpecification, now: datetime, actor: Actor
) -> SpecificationRow:
    """
    Save a new version; omitted fields keep their values.

    The status after the save decides the role: without a maintainer, an approved or
    implemented specification changes only by going back to draft or review.
    """
    specification = SPECIFICATIONS.load_content(specification_with(request.id))
    case = "specifications:update"
    if (request.status or specification.status) in MAINTAINER_STATUSES:
        case += " to approved or implemented"
    require_role(specification.project, actor, case)
    SPECIFICATIONS.require_version(specification, request.expected_version)
    require_editable(specification)
    changes = _save_next_version(specification, request, now, actor)
    _record_update(specification, changes, request.summary, now, actor)
    return specification


def _save_next_version(
    specification: SpecificationRow,
    request: UpdateSpecification,
    now: datetime,
    actor: Actor,
) -> dict[str, Any]:
    """Save the head and its revision; return the changes."""
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
    save_revision(specification, content, actor, request.summary)
    return changes if content == old else changes | {"content": (old, content)}


def save_revision(
    specification: SpecificationRow, content: str, actor: Actor, summary: str | None
) -> None:
    SPECIFICATIONS.save_revision(
        specification, content, actor, status=specification.status, summary=summary
    )


def require_editable(specification: SpecificationRow) -> None:
    """Raise a refusal if the specification is archived or superseded."""
    require_active(specification.project, specification)
    if specification.status == "superseded":
        raise SpecificationSuperseded(
            f"The {specification.noun} is superseded, so it cannot be changed."
            f" Its successor has the id '{specification.superseded_by}'."
        )


def _record_update(
    specification: SpecificationRow,
    changes: dict[str, Any],
    summary: str | None,
    now: datetime,
    actor: Actor,
) -> None:
    """Record a change of status and any other update, even an empty one, apart."""
    metadata: dict[str, Any] = {"version": specification.version}
    status = changes.pop("status", None)
    if changes or status is None:
        updated = {"changes": changes_to_json(changes), "summary": summary}
        action = "specification.updated"
        record_activity(specification, action, actor, now, **metadata, **updated)
    if status is not None:
        metadata |= {"from": status[0], "to": status[1]}
        action = "specification.status-changed"
        record_activity(specification, action, actor, now, **metadata)


class ListSpecifications(ListVersioned, example=("projectSlug",)):
    status: Annotated[CommaSeparated[SpecificationStatus] | None, STATUS] = None
    sort: Annotated[
        Literal["updatedAt", "createdAt", "title", "slug"], descriptions.SORT
    ] = "updatedAt"


def list_specifications(query: ListSpecifications) -> Page[SpecificationRow]:
    conditions: list[Any] = []
    if query.status is not None:
        conditions.append(SpecificationRow.status.in_(query.status))
    if query.q is not None:
        conditions.append(
            SpecificationRow.title.contains(query.q)
            | SpecificationRow.slug.contains(query.q)
        )
    return list_versioned(SPECIFICATIONS, query, query.sort, conditions)
