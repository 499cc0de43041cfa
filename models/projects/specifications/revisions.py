"""Revisions of specifications: listed, found, compared, taken back to."""

from datetime import datetime
from typing import Annotated, ClassVar

from pydantic import Field

from models.base import Schema
from models.fields import Id, MayOmit, Moment, QueryInteger
from models.pagination import Page
from models.projects.fields import (
    Actor,
    ActorType,
    Commas,
    GetRevision,
    ListRevisions,
    Version,
)
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import record_activity
from models.projects.specifications.rows import (
    SPECIFICATIONS,
    SpecificationRevisionRow,
    SpecificationRow,
    specification_with,
)
from models.projects.specifications.specifications import (
    SETTLED,
    RevisionSummary,
    SpecificationStatus,
    keep,
    require_living,
)
from models.projects.versioning.comparison import SpecificationDiff, compared


class SpecificationRevision(Schema):
    id: Id
    specification_id: Id
    version: int
    title: str
    content: str
    status: SpecificationStatus
    summary: str | None
    author_id: str
    author_type: ActorType
    created_at: Moment


class ListSpecificationRevisions(ListRevisions):
    of: ClassVar = "specification_id"

    specification_id: Id
    status: Commas[SpecificationStatus] | None = None


class GetSpecificationRevision(GetRevision):
    of: ClassVar = "specification_id"

    specification_id: Id | None = None


class DiffSpecificationRevisions(Schema):
    specification_id: Id
    from_: Annotated[QueryInteger, Field(alias="from")]
    to: QueryInteger | None = None


class RestoreSpecificationRevision(Schema):
    specification_id: Id
    version: Version
    summary: RevisionSummary = None
    expected_version: MayOmit[Version] = None


def specification_revisions_listed(
    query: ListSpecificationRevisions,
) -> Page[SpecificationRevisionRow]:
    where = []
    if query.status is not None:
        where.append(SpecificationRevisionRow.status.in_(query.status))
    return SPECIFICATIONS.revisions_listed(query, *where)


def specification_compared(query: DiffSpecificationRevisions) -> SpecificationDiff:
    """Compare two versions; the second is the head unless named."""
    head = specification_with(query.specification_id)
    to = head.version if query.to is None else query.to
    return compared(SPECIFICATIONS, head, query.from_, to, SpecificationDiff)


def restore_specification_revision(
    request: RestoreSpecificationRevision, now: datetime, actor: Actor
) -> SpecificationRow:
    """Append a version with the words of an old one; the status stays."""
    specification = specification_with(request.specification_id)
    old = SPECIFICATIONS.revision_of(specification, request.version)
    is_settled = specification.status in SETTLED
    case = " of approved or implemented" if is_settled else ""
    require_role(specification.project, actor, f"specification-revisions:restore{case}")
    SPECIFICATIONS.require_version(specification, request.expected_version)
    require_living(specification)
    summary = request.summary or f"Restored version {old.version}"
    wanted = {"title": old.title, "version": specification.version + 1}
    specification.change(wanted, now)
    keep(specification, old.content, actor, summary)
    record_activity(
        specification.project,
        "specification.revision-restored",
        specification.id,
        actor,
        now,
        version=specification.version,
        restoredVersion=old.version,
        summary=summary,
    )
    return specification
