"""Count the work linked to specifications, and find where the two have drifted."""

from typing import Annotated, Any, Literal, get_args

from peewee import Case, Value, fn
from pydantic import Field, model_validator

from models.base import Schema
from models.fields import ID, STATUS, Id, QueryBoolean, Slug
from models.pagination import CursorQuery, Page, ascending, cursor_page
from models.projects import descriptions
from models.projects.fields import ProjectQuery, SpecificationId
from models.projects.projects.rows import requested_project
from models.projects.specifications.rows import SpecificationRow, specification_with
from models.projects.specifications.specifications import SpecificationStatus
from models.projects.work.links import SpecRelationship
from models.projects.work.rows import WorkItemRow, WorkSpecificationRow

Drift = Literal[
    "approved-without-implementing-work",
    "implemented-with-open-work",
    "retired-with-open-work",
]
RELATIONSHIPS = get_args(SpecRelationship)
CLOSED = ("done", "cancelled")


class WorkCount(Schema):
    total: int = Field(description="The total number of work items.", examples=[4])
    open: int = Field(description="The number of open work items.")
    done: int = Field(description="The number of completed work items.")
    cancelled: int = Field(
        description="The number of cancelled work items.", examples=[0]
    )


class Coverage(Schema):
    specification_id: SpecificationId
    slug: Annotated[Slug, descriptions.SLUG]
    title: Annotated[str, descriptions.TITLE]
    status: Annotated[SpecificationStatus, STATUS]
    version: Annotated[int, descriptions.VERSION]
    # By the relationship of the link.
    work: dict[SpecRelationship, WorkCount] = Field(
        description="The number of linked work items, by type of link.",
        examples=[{"implements": {"total": 4, "open": 1, "done": 3, "cancelled": 0}}],
    )
    drift: list[Drift] = Field(
        description="How status and work disagree.", examples=[[]]
    )


class GetCoverage(ProjectQuery, CursorQuery, example=("projectSlug",)):
    id: Annotated[Id | None, ID] = None
    drift: QueryBoolean = Field(
        default=False,
        description="Whether to return only specifications whose status and work"
        " disagree.",
    )

    @model_validator(mode="after")
    def _require_one_subject(self) -> "GetCoverage":
        subjects = (self.id, self.project_id, self.project_slug)
        if len([subject for subject in subjects if subject is not None]) != 1:
            raise ValueError("Give exactly one of id, projectId and projectSlug.")
        return self


def specification_coverage(query: GetCoverage) -> Page[Coverage]:
    """Return the coverage of one specification, or of all in a project by slug."""
    drift = _drift_column()
    rows = SpecificationRow.select(SpecificationRow, drift.alias("drift")).objects()
    project = requested_project(query)
    if project is not None:
        rows = rows.where(SpecificationRow.project == project.id)
    else:
        specification = specification_with(query.id or "")
        rows = rows.where(SpecificationRow.id == specification.id)
    if query.drift:
        rows = rows.where(drift.is_null(False))
    sorts = ascending(SpecificationRow.slug), ascending(SpecificationRow.id)
    page = cursor_page(rows, query, *sorts)
    counts = _work_counts([row.id for row in page.items])
    return Page([_to_schema(row, counts) for row in page.items], page.meta)


def _drift_column() -> Any:
    """
    Return the SQL expression of the drift of a specification, or null.

    Drift is: approved without work that implements it; implemented with such work
    still open; superseded or archived with open work that implements it or is
    governed by it. Work that merely references it does not count.
    """
    status, archived_at = SpecificationRow.status, SpecificationRow.archived_at
    is_retired = (status == "superseded") | archived_at.is_null(False)
    is_implementing = WorkItemRow.status != "cancelled"
    is_open = WorkItemRow.status.not_in(CLOSED)
    is_unimplemented = (status == "approved") & ~_has_work(
        is_implementing, "implements"
    )
    is_unfinished = (status == "implemented") & _has_work(is_open, "implements")
    is_still_used = is_retired & _has_work(is_open, "implements", "governed_by")
    cases = (
        (is_still_used, "retired-with-open-work"),
        (
            archived_at.is_null() & is_unimplemented,
            "approved-without-implementing-work",
        ),
        (archived_at.is_null() & is_unfinished, "implemented-with-open-work"),
    )
    return Case(None, cases, None)


def _has_work(condition: Any, *relationships: SpecRelationship) -> Any:
    """Return the SQL condition that such work is linked; archived work never counts."""
    work = (
        WorkSpecificationRow.select(Value(1))
        .join(WorkItemRow)
        .where(
            WorkSpecificationRow.specification == SpecificationRow.id,
            WorkSpecificationRow.relationship.in_(relationships),
            WorkItemRow.archived_at.is_null(),
            condition,
        )
    )
    return fn.EXISTS(work)


def _work_counts(ids: list[str]) -> dict[tuple[str, str, str], int]:
    """Return the linked work items by specification, relationship and status."""
    group = (
        WorkSpecificationRow.specification,
        WorkSpecificationRow.relationship,
        WorkItemRow.status,
    )
    query: Any = (
        WorkSpecificationRow.select(*group, fn.COUNT(WorkItemRow.id))
        .join(WorkItemRow)
        .where(
            WorkSpecificationRow.specification.in_(ids),
            WorkItemRow.archived_at.is_null(),
        )
        .group_by(*group)
    )
    return {tuple(key): count for *key, count in query.tuples()}


def _to_schema(row: Any, counts: dict[tuple[str, str, str], int]) -> Coverage:
    work = {}
    for relationship in RELATIONSHIPS:
        by_status = {
            status: count
            for (id, linked_by, status), count in counts.items()
            if (id, linked_by) == (row.id, relationship)
        }
        done, cancelled = (by_status.get(status, 0) for status in CLOSED)
        total = sum(by_status.values())
        work[relationship] = WorkCount(
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
