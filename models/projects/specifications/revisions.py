"""List, compare and restore revisions of specifications."""

from datetime import datetime
from typing import Annotated, ClassVar

from pydantic import Field

from models.base import Schema
from models.fields import ID, STATUS, CreatedAt, Id, MayOmit, QueryInteger
from models.pagination import Page
from models.projects import descriptions
from models.projects.fields import (
    Actor,
    AuthorType,
    CommaSeparated,
    ExpectedVersion,
    GetRevision,
    ListRevisions,
    SpecificationId,
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
    id: Annotated[Id, ID]
    specification_id: SpecificationId
    version: Annotated[int, descriptions.VERSION]
    title: Annotated[str, descriptions.TITLE]
    content: Annotated[str, descriptions.CONTENT]
    status: Annotated[SpecificationStatus, STATUS]
    summary: Annotated[str | None, descriptions.CHANGE_NOTE]
    author_id: Annotated[str, descriptions.AUTHOR_ID]
    author_type: AuthorType
    created_at: CreatedAt


class ListSpecificationRevisions(ListRevisions):
    parent_field: ClassVar = "specification_id"

    specification_id: SpecificationId
    status: Annotated[CommaSeparated[SpecificationStatus] | None, STATUS] = None


class GetSpecificationRevision(GetRevision, example=("specificationId", "version")):
    parent_field: ClassVar = "specification_id"

    specification_id: SpecificationId | None = None


class DiffSpecificationRevisions(Schema, example=("to",)):
    specification_id: SpecificationId
    from_: Annotated[QueryInteger, Field(alias="from")] = Field(
        description="The older version.", examples=[2]
    )
    to: QueryInteger | None = Field(
        default=None,
        description="The newer version. Default: the latest.",
        examples=[3],
    )


class RestoreSpecificationRevision(Schema):
    specification_id: SpecificationId
    version: Version = Field(description="The version to restore.", examples=[2])
    summary: Annotated[RevisionSummary, descriptions.CHANGE_NOTE] = None
    expected_version: MayOmit[ExpectedVersion] = None


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
        specification,
        "specification.revision-restored",
        actor,
        now,
        version=specification.version,
        restoredVersion=old.version,
        summary=summary,
    )
    return specification
