"""What a list of work items is narrowed by."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

from peewee import SQL, fn

from models.base import epoch_ms
from models.projects.fields import Actor, account_named
from models.projects.specifications.rows import SpecificationRow
from models.projects.work.blockers import WAITING, open_blocks
from models.projects.work.rows import (
    WorkAssigneeRow,
    WorkItemRow,
    WorkLabelRow,
    WorkRelationshipRow,
    WorkSpecificationRow,
)
from models.projects.work.selectivity import are_few, unindexed

if TYPE_CHECKING:
    from models.projects.work.listing import ListWorkItems

Item: Any = WorkItemRow
# The same items once more, where they are looked up by what they have.
Found: Any = WorkItemRow.alias("found")


@dataclass(frozen=True)
class Narrowed:
    """A condition, and whether it names its few items by their ids."""

    where: Any
    is_few: bool = False


def conditions(request: "ListWorkItems", actor: Actor) -> Iterator[Narrowed]:
    """Yield a condition for everything that the question says."""
    if request.archived != "include":
        yield Narrowed(Item.archived_at.is_null(request.archived != "only"))
    for name in ("type", "priority", "bucket"):
        wanted = getattr(request, name)
        if wanted is not None:
            # Common words: they serve as a stretch of the order, or not at all.
            field = getattr(Item, name)
            ranks = [field.db_value(each) for each in wanted]
            field = field if name == request.sort else unindexed(field)
            yield Narrowed(field.in_(ranks))
    yield from _own(request)
    yield from _when(request)
    yield from _tied(request, actor)
    yield from _free(request)


def among(query: Any, id: Any) -> Narrowed:
    """Items of which a query tells the id: a few are looked up, many looked at."""
    if are_few(query):
        return Narrowed(Item.id.in_(query), is_few=True)
    return Narrowed(fn.EXISTS(query.where(id == Item.id)))


def having(name: str, says: Callable[[Any], Any]) -> Narrowed:
    """Items of whose column this is so, which has an index for where it is rare."""
    query = Found.select(Found.id).where(says(getattr(Found, name)))
    if are_few(query):
        return Narrowed(Item.id.in_(query), is_few=True)
    return Narrowed(says(unindexed(getattr(Item, name))))


def _own(request: "ListWorkItems") -> Iterator[Narrowed]:
    if request.status is not None:
        yield having("status", lambda status: status.in_(request.status))
    if request.creator_id is not None:
        yield having("creator_id", lambda id: id == request.creator_id)
    if request.milestone_id == "none":
        yield Narrowed(unindexed(Item.milestone).is_null())
    elif request.milestone_id is not None:
        yield having("milestone", lambda id: id == request.milestone_id)


def _when(request: "ListWorkItems") -> Iterator[Narrowed]:
    for name in ("due", "created", "updated", "completed"):
        after = getattr(request, f"{name}_after")
        before = getattr(request, f"{name}_before")
        if after is None and before is None:
            continue
        says = _within(after, before)
        if request.sort == f"{name}At":  # a stretch of the order itself
            yield Narrowed(says(getattr(Item, f"{name}_at")))
        else:
            yield having(f"{name}_at", says)


def _within(after: datetime | None, before: datetime | None) -> Callable[[Any], Any]:
    def says(field: Any) -> Any:
        found = [field >= epoch_ms(after)] if after is not None else []
        found += [field < epoch_ms(before)] if before is not None else []
        return reduce(and_, found)

    return says


def _tied(request: "ListWorkItems", actor: Actor) -> Iterator[Narrowed]:
    row: Any = WorkAssigneeRow
    if request.assignee_id == "none":
        yield Narrowed(~fn.EXISTS(row.select(1).where(row.work == Item.id)))
    elif request.assignee_id is not None:
        account = account_named(request.assignee_id, actor, "assigneeId")
        yield among(row.select(row.work).where(row.account_id == account), row.work)
    if request.label_id is not None:
        yield from _labelled(request.label_id, request.label_mode)
    if (
        request.specification_id
        or request.spec_relationship
        or request.specification_status
    ):
        yield among(_linked(request), WorkSpecificationRow.work)


def _labelled(labels: list[str], mode: str) -> Iterator[Narrowed]:
    """Two common labels may be rare together, which is known before items are."""
    row: Any = WorkLabelRow
    each = [row.select(row.work).where(row.label == label) for label in labels]
    if mode == "any":
        each = [row.select(row.work).where(row.label.in_(labels))]
    elif len(each) > 1:
        # In an order that both have in an index, so that neither is held.
        together = reduce(and_, each).order_by(SQL("1"))
        if are_few(together):
            yield Narrowed(Item.id.in_(together), is_few=True)
            return
    yield from (among(some, row.work) for some in each)


def _linked(request: "ListWorkItems") -> Any:
    """One link must be all that is asked: to this, as this, in this status."""
    row: Any = WorkSpecificationRow
    query = row.select(row.work)
    if request.specification_id is not None:
        query = query.where(row.specification == request.specification_id)
    if request.spec_relationship is not None:
        query = query.where(row.relationship == request.spec_relationship)
    if request.specification_status is not None:
        query = query.join(SpecificationRow).where(
            SpecificationRow.status.in_(request.specification_status)
        )
    return query


def _free(request: "ListWorkItems") -> Iterator[Narrowed]:
    """Blocked is what has an open blocker; ready is what may be begun."""
    target = WorkRelationshipRow.target
    free = ~fn.EXISTS(open_blocks(1).where(target == Item.id))
    if request.blocked is not None:
        blocked = open_blocks(target)
        yield among(blocked, target) if request.blocked else Narrowed(free)
    if request.ready is not None:
        ready = unindexed(Item.status).in_(WAITING) & Item.archived_at.is_null() & free
        yield Narrowed(ready if request.ready else ~ready)
