"""Revisions of specifications: listed, found, compared, taken back to."""

from datetime import datetime
from typing import Annotated, ClassVar

from pydantic import Field

from models.base import Shape
from models.pagination import Page
from models.projects.activity import record_activity
from models.projects.comparison import SpecificationDiff, compared
from models.projects.members import require_role
from models.projects.specification import (
    SPECIFICATIONS,
    SpecificationRevisionRow,
    SpecificationRow,
    specification_with,
)
from models.projects.specifications import (
    SETTLED,
    RevisionSummary,
    SpecificationStatus,
    keep,
    require_living,
)
from models.projects.words import (
    ActorType,
    By,
    Commas,
    GetRevision,
    ListRevisions,
    Version,
)
from models.words import Digits, Id, MayOmit, Moment


class SpecificationRevision(Shape):
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


class DiffSpecificationRevisions(Shape):
    specification_id: Id
    from_: Annotated[Digits, Field(alias="from")]
    to: Digits | None = None


class RestoreSpecificationRevision(Shape):
    specification_id: Id
    version: Version
    summary: RevisionSummary = None
    expected_version: MayOmit[Version] = None


def specification_revisions_listed(
    asked: ListSpecificationRevisions,
) -> Page[SpecificationRevisionRow]:
    where = []
    if asked.status is not None:
        where.append(SpecificationRevisionRow.status.in_(asked.status))
    return SPECIFICATIONS.revisions_listed(asked, *where)


def specification_compared(asked: DiffSpecificationRevisions) -> SpecificationDiff:
    """Compare two versions; the second is the head unless named."""
    head = specification_with(asked.specification_id)
    to = head.version if asked.to is None else asked.to
    return compared(SPECIFICATIONS, head, asked.from_, to, SpecificationDiff)


def restore_specification_revision(
    asked: RestoreSpecificationRevision, now: datetime, by: By
) -> SpecificationRow:
    """Append a version with the words of an old one; the status stays."""
    specification = specification_with(asked.specification_id)
    old = SPECIFICATIONS.revision_of(specification, asked.version)
    is_settled = specification.status in SETTLED
    case = " of approved or implemented" if is_settled else ""
    require_role(specification.project, by, f"specification-revisions:restore{case}")
    SPECIFICATIONS.require_version(specification, asked.expected_version)
    require_living(specification)
    summary = asked.summary or f"Restored version {old.version}"
    wanted = {"title": old.title, "version": specification.version + 1}
    specification.change(wanted, now)
    keep(specification, old.content, by, summary)
    record_activity(
        specification.project,
        "specification.revision-restored",
        specification.id,
        by,
        now,
        version=specification.version,
        restoredVersion=old.version,
        summary=summary,
    )
    return specification
