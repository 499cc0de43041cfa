"""Turn the filters of a list of work items into conditions that are fast to check."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import and_
from typing import Annotated, Any, Literal

from peewee import SQL, fn
from pydantic import Field, model_validator

from models.base import epoch_ms
from models.fields import OTHER_ID, STATUS, Id, Moment, QueryBoolean
from models.pagination import RankedQuery
from models.projects import descriptions
from models.projects.fields import (
    AccountOrMe,
    Actor,
    ArchivedFilter,
    CommaSeparated,
    Order,
    ProjectQuery,
    SpecificationId,
    UpdatedAfter,
    UpdatedBefore,
    resolve_account,
    time_bound,
)
from models.projects.specifications.rows import SpecificationRow
from models.projects.specifications.specifications import SpecificationStatus
from models.projects.work.blockers import NOT_STARTED_STATUSES, open_block_rows
from models.projects.work.items import Bucket, Priority, WorkStatus, WorkType
from models.projects.work.links import SpecRelationship
from models.projects.work.rows import (
    WorkAssigneeRow,
    WorkItemRow,
    WorkLabelRow,
    WorkRelationshipRow,
    WorkSpecificationRow,
)
from models.storage.database import database

# Looking up and sorting this many rows is faster than following a long sort index.
MAX_SELECTIVE_ROWS = 1000

Item: Any = WorkItemRow
# The same table in a subquery that looks up ids by an index.
CandidateItem: Any = WorkItemRow.alias("candidate_item")

WorkSort = Literal[
    "updatedAt", "createdAt", "number", "dueAt", "priority", "bucket", "relevance"
]


class ListWorkItems(
    ProjectQuery, RankedQuery, example=("projectSlug", "ready", "limit")
):
    type: Annotated[CommaSeparated[WorkType] | None, descriptions.TYPE] = None
    status: Annotated[CommaSeparated[WorkStatus] | None, STATUS] = None
    priority: Annotated[CommaSeparated[Priority] | None, descriptions.PRIORITY] = None
    bucket: Annotated[CommaSeparated[Bucket] | None, descriptions.BUCKET] = None
    assignee_id: Literal["none"] | AccountOrMe | None = Field(
        default=None,
        description="The ID of an assigned account, me or none.",
        examples=["me"],
    )
    creator_id: Annotated[Id | None, descriptions.CREATOR_ID] = None
    label_id: CommaSeparated[Id] | None = Field(
        default=None,
        description="The IDs of labels, separated by commas.",
        examples=[[OTHER_ID]],
    )
    label_mode: Literal["all", "any"] = Field(
        default="all",
        description="Whether work items must have all of the labels or any of them.",
    )
    milestone_id: Annotated[Literal["none"] | Id | None, descriptions.MILESTONE_ID] = (
        None
    )
    specification_id: SpecificationId | None = None
    spec_relationship: SpecRelationship | None = Field(
        default=None, description="The type of the link to the specification."
    )
    specification_status: CommaSeparated[SpecificationStatus] | None = Field(
        default=None, description="The status of a linked specification."
    )
    blocked: QueryBoolean | None = Field(
        default=None, description="Whether an open work item blocks it."
    )
    ready: QueryBoolean | None = Field(
        default=None,
        description="Whether work can begin: it is waiting, and nothing blocks it.",
    )
    due_after: Moment | None = time_bound("Only work items due at this time or later.")
    due_before: Moment | None = time_bound("Only work items due before this time.")
    created_after: Moment | None = time_bound(
        "Only entries created at this time or later."
    )
    created_before: Moment | None = time_bound("Only entries created before this time.")
    updated_after: UpdatedAfter | None = None
    updated_before: UpdatedBefore | None = None
    completed_after: Moment | None = time_bound(
        "Only work items completed at this time or later."
    )
    completed_before: Moment | None = time_bound(
        "Only work items completed before this time."
    )
    archived: Annotated[ArchivedFilter, descriptions.ARCHIVED] = "exclude"
    q: Annotated[
        Annotated[str, Field(min_length=1, max_length=200)] | None, descriptions.WORDS
    ] = None
    sort: Annotated[WorkSort, descriptions.SORT] = "updatedAt"
    order: Order = "desc"

    @model_validator(mode="after")
    def _relevance_requires_q(self) -> "ListWorkItems":
        if self.sort == "relevance" and self.q is None:
            raise ValueError("Sorting by relevance requires q.")
        return self


@dataclass(frozen=True)
class Filter:
    """A condition on work items; if selective, it names a few items by their ids."""

    condition: Any
    is_selective: bool = False


def work_item_filters(query: ListWorkItems, actor: Actor) -> Iterator[Filter]:
    """Yield a filter for each parameter, except q and the project."""
    if query.archived != "include":
        yield Filter(Item.archived_at.is_null(query.archived != "only"))
    for name in ("type", "priority", "bucket"):
        values = getattr(query, name)
        if values is not None:
            # These match many items, so their index helps only if it is the sort order.
            field = getattr(Item, name)
            stored = [field.db_value(value) for value in values]
            field = field if name == query.sort else without_index(field)
            yield Filter(field.in_(stored))
    yield from _column_filters(query)
    yield from _time_filters(query)
    yield from _link_filters(query, actor)
    yield from _blocker_filters(query)


def is_selective(query: Any) -> bool:
    """Return whether a query finds at most MAX_SELECTIVE_ROWS, reading no more."""
    # Not with COUNT: it would give up the order by which the database avoids holding
    # all of the rows.
    rows = database.execute(query.limit(MAX_SELECTIVE_ROWS + 1)).fetchall()
    return len(rows) <= MAX_SELECTIVE_ROWS


def without_index(field: Any) -> Any:
    """Return the column as an expression for which the database uses no index."""
    return database.without_index(field)


def _id_filter(query: Any, id: Any) -> Filter:
    """Restrict the items to those whose id is among the query's values of `id`."""
    if is_selective(query):
        return Filter(Item.id.in_(query), is_selective=True)
    return Filter(fn.EXISTS(query.where(id == Item.id)))


def _column_filter(name: str, condition: Callable[[Any], Any]) -> Filter:
    """Restrict the items by an indexed column, using the index if that is selective."""
    column = getattr(CandidateItem, name)
    query = CandidateItem.select(CandidateItem.id).where(condition(column))
    if is_selective(query):
        return Filter(Item.id.in_(query), is_selective=True)
    return Filter(condition(without_index(getattr(Item, name))))


def _column_filters(query: ListWorkItems) -> Iterator[Filter]:
    if query.status is not None:
        yield _column_filter("status", lambda status: status.in_(query.status))
    if query.creator_id is not None:
        yield _column_filter("creator_id", lambda id: id == query.creator_id)
    if query.milestone_id == "none":
        yield Filter(without_index(Item.milestone).is_null())
    elif query.milestone_id is not None:
        yield _column_filter("milestone", lambda id: id == query.milestone_id)


def _time_filters(query: ListWorkItems) -> Iterator[Filter]:
    for name in ("due", "created", "updated", "completed"):
        after = getattr(query, f"{name}_after")
        before = getattr(query, f"{name}_before")
        if after is None and before is None:
            continue
        condition = _time_condition(after, before)
        if query.sort == f"{name}At":  # a range of the sort index
            yield Filter(condition(getattr(Item, f"{name}_at")))
        else:
            yield _column_filter(f"{name}_at", condition)


def _time_condition(
    after: datetime | None, before: datetime | None
) -> Callable[[Any], Any]:
    def condition(column: Any) -> Any:
        bounds = [column >= epoch_ms(after)] if after is not None else []
        bounds += [column < epoch_ms(before)] if before is not None else []
        return reduce(and_, bounds)

    return condition


def _link_filters(query: ListWorkItems, actor: Actor) -> Iterator[Filter]:
    row: Any = WorkAssigneeRow
    if query.assignee_id == "none":
        yield Filter(~fn.EXISTS(row.select(1).where(row.work == Item.id)))
    elif query.assignee_id is not None:
        account_id = resolve_account(query.assignee_id, actor, "assigneeId")
        assigned = row.select(row.work).where(row.account_id == account_id)
        yield _id_filter(assigned, row.work)
    if query.label_id is not None:
        yield from _label_filters(query.label_id, query.label_mode)
    if query.specification_id or query.spec_relationship or query.specification_status:
        yield _id_filter(_linked_items(query), WorkSpecificationRow.work)


def _label_filters(labels: list[str], mode: str) -> Iterator[Filter]:
    row: Any = WorkLabelRow
    queries = [row.select(row.work).where(row.label == label) for label in labels]
    if mode == "any":
        queries = [row.select(row.work).where(row.label.in_(labels))]
    elif len(queries) > 1:
        # Two common labels may be rare together. Both have an index in this order,
        # so the database intersects them without holding either.
        intersection = reduce(and_, queries).order_by(SQL("1"))
        if is_selective(intersection):
            yield Filter(Item.id.in_(intersection), is_selective=True)
            return
    yield from (_id_filter(query, row.work) for query in queries)


def _linked_items(query: ListWorkItems) -> Any:
    """Select the items with one specification link that meets all the conditions."""
    row: Any = WorkSpecificationRow
    links = row.select(row.work)
    if query.specification_id is not None:
        links = links.where(row.specification == query.specification_id)
    if query.spec_relationship is not None:
        links = links.where(row.relationship == query.spec_relationship)
    if query.specification_status is not None:
        links = links.join(SpecificationRow).where(
            SpecificationRow.status.in_(query.specification_status)
        )
    return links


def _blocker_filters(query: ListWorkItems) -> Iterator[Filter]:
    """Blocked items have an open blocker; ready ones have none and are not started."""
    target = WorkRelationshipRow.target
    is_unblocked = ~fn.EXISTS(open_block_rows(1).where(target == Item.id))
    if query.blocked is not None:
        blocked = open_block_rows(target)
        yield _id_filter(blocked, target) if query.blocked else Filter(is_unblocked)
    if query.ready is not None:
        is_not_started = without_index(Item.status).in_(NOT_STARTED_STATUSES)
        is_ready = is_not_started & Item.archived_at.is_null() & is_unblocked
        yield Filter(is_ready if query.ready else ~is_ready)
