"""Coverage: the work tied to specifications, and where the two drift apart."""

from typing import Any, Literal

from peewee import Case, Value, fn
from pydantic import model_validator

from models.base import Schema
from models.fields import Id, QueryBoolean, Slug
from models.pagination import CursorQuery, Page, ascending, cursor_page
from models.projects.fields import OfProject
from models.projects.projects.rows import project_asked
from models.projects.specifications.rows import SpecificationRow, specification_with
from models.projects.specifications.specifications import SpecificationStatus
from models.projects.work.rows import WorkItemRow, WorkSpecificationRow

Tie = Literal["governed_by", "implements", "references"]
Drift = Literal[
    "approved-without-implementing-work",
    "implemented-with-open-work",
    "retired-with-open-work",
]
TIES: tuple[Tie, ...] = ("governed_by", "implements", "references")
CLOSED = ("done", "cancelled")


class WorkCount(Schema):
    total: int
    open: int
    done: int
    cancelled: int


class Coverage(Schema):
    specification_id: Id
    slug: Slug
    title: str
    status: SpecificationStatus
    version: int
    # By the word of the tie, as work items say it.
    work: dict[Tie, WorkCount]
    drift: list[Drift]


class GetCoverage(OfProject, CursorQuery):
    id: Id | None = None
    drift: QueryBoolean = False

    @model_validator(mode="after")
    def _one(self) -> "GetCoverage":
        named = (self.id, self.project_id, self.project_slug)
        if [each is None for each in named].count(False) != 1:
            raise ValueError("Give exactly one of id, projectId and projectSlug.")
        return self


def coverage(query: GetCoverage) -> Page[Coverage]:
    """Return the coverage of one specification or a project's, by slug."""
    drift = _drift()
    rows = SpecificationRow.select(SpecificationRow, drift.alias("drift")).objects()
    project = project_asked(query)
    if project is not None:
        rows = rows.where(SpecificationRow.project == project.id)
    else:
        has_id = SpecificationRow.id == specification_with(query.id or "").id
        rows = rows.where(has_id)
    if query.drift:
        rows = rows.where(drift.is_null(False))
    sorts = ascending(SpecificationRow.slug), ascending(SpecificationRow.id)
    page = cursor_page(rows, query, *sorts)
    counts = _counted([each.id for each in page.items])
    return Page([_told(each, counts) for each in page.items], page.meta)


def _drift() -> Any:
    """
    Return, for a query, the finding about a specification, or null.

    Approved, but no work that counts implements it; implemented, but implementing
    work is open; out of force, but work that implements it or is governed by it
    is open. To merely refer to it binds nobody.
    """
    status, archived_at = SpecificationRow.status, SpecificationRow.archived_at
    is_retired = (status == "superseded") | archived_at.is_null(False)
    is_implementing = WorkItemRow.status != "cancelled"
    is_open = WorkItemRow.status.not_in(CLOSED)
    lacks = (status == "approved") & ~_tied(is_implementing, "implements")
    lags = (status == "implemented") & _tied(is_open, "implements")
    holds = is_retired & _tied(is_open, "implements", "governed_by")
    findings = (
        (holds, "retired-with-open-work"),
        (archived_at.is_null() & lacks, "approved-without-implementing-work"),
        (archived_at.is_null() & lags, "implemented-with-open-work"),
    )
    return Case(None, findings, None)


def _tied(where: Any, *ties: Tie) -> Any:
    """Tell, in a query, whether such work is tied; what is archived never counts."""
    work = (
        WorkSpecificationRow.select(Value(1))
        .join(WorkItemRow)
        .where(
            WorkSpecificationRow.specification == SpecificationRow.id,
            WorkSpecificationRow.relationship.in_(ties),
            WorkItemRow.archived_at.is_null(),
            where,
        )
    )
    return fn.EXISTS(work)


def _counted(ids: list[str]) -> dict[tuple[str, str, str], int]:
    """Return how much work is tied, by specification, tie and status."""
    actor = (
        WorkSpecificationRow.specification,
        WorkSpecificationRow.relationship,
        WorkItemRow.status,
    )
    query: Any = (
        WorkSpecificationRow.select(*actor, fn.COUNT(WorkItemRow.id))
        .join(WorkItemRow)
        .where(
            WorkSpecificationRow.specification.in_(ids),
            WorkItemRow.archived_at.is_null(),
        )
        .group_by(*actor)
    )
    return {tuple(each): count for *each, count in query.tuples()}


def _told(row: Any, counts: dict[tuple[str, str, str], int]) -> Coverage:
    work = {}
    for tie in TIES:
        found = {key[2]: n for key, n in counts.items() if key[:2] == (row.id, tie)}
        done, cancelled = (found.get(status, 0) for status in CLOSED)
        total = sum(found.values())
        work[tie] = WorkCount(
            total=total, open=total - done - cancelled, done=done, cancelled=cancelled
        )
    return Coverage(
        specification_id=row.id,
        slug=row.slug,
        title=row.title,
        status=row.status,
        version=row.version,
        work=work,
        drift=[row.drift] if row.drift else [],
    )
