"""List, compare and restore revisions of specifications."""

from datetime import datetime
from typing import Annotated, ClassVar

from pydantic import Field

from models.base import Schema
from models.fields import Id, MayOmit, Moment, QueryInteger
from models.pagination import Page
from models.projects.fields import (
    Actor,
    ActorType,
    CommaSeparated,
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
    MAINTAINER_STATUSES,
    RevisionSummary,
    SpecificationStatus,
    require_editable,
    save_revision,
)
from models.projects.versioning.comparison import SpecificationDiff, compare_versions


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
    parent_field: ClassVar = "specification_id"

    specification_id: Id
    status: CommaSeparated[SpecificationStatus] | None = None


class GetSpecificationRevision(GetRevision):
    parent_field: ClassVar = "specification_id"

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


def list_specification_revisions(
    query: ListSpecificationRevisions,
) -> Page[SpecificationRevisionRow]:
    conditions = []
    if query.status is not None:
        conditions.append(SpecificationRevisionRow.status.in_(query.status))
    return SPECIFICATIONS.list_revisions(query, *conditions)


def diff_specification_revisions(
    query: DiffSpecificationRevisions,
) -> SpecificationDiff:
    """Compare two versions; `to` is the head by default."""
    head = specification_with(query.specification_id)
    to = head.version if query.to is None else query.to
    return compare_versions(SPECIFICATIONS, head, query.from_, to, SpecificationDiff)


def restore_specification_revision(
    request: RestoreSpecificationRevision, now: datetime, actor: Actor
) -> SpecificationRow:
    """Save a new version with the title and content of an old one; the status stays."""
    specification = specification_with(request.specification_id)
    old = SPECIFICATIONS.revision_of(specification, request.version)
    case = "specification-revisions:restore"
    if specification.status in MAINTAINER_STATUSES:
        case += " of approved or implemented"
    require_role(specification.project, actor, case)
    SPECIFICATIONS.require_version(specification, request.expected_version)
    require_editable(specification)
    summary = request.summary or f"Restored version {old.version}"
    values = {"title": old.title, "version": specification.version + 1}
    specification.change(values, now)
    save_revision(specification, old.content, actor, summary)
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
