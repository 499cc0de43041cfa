"""What a list of work items is narrowed by."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from peewee import fn

from models.projects.blockers import WAITING, open_blocks
from models.projects.specification import SpecificationRow
from models.projects.words import By, account_named
from models.projects.work_item import (
    WorkAssigneeRow,
    WorkItemRow,
    WorkLabelRow,
    WorkRelationshipRow,
    WorkSpecificationRow,
)

if TYPE_CHECKING:
    from models.projects.work_register import ListWorkItems

Item: Any = WorkItemRow


def conditions(asked: "ListWorkItems", by: By) -> Iterator[Any]:
    """Yield a condition for everything that the question says."""
    if asked.archived != "include":
        yield Item.archived_at.is_null(asked.archived != "only")
    for name in ("type", "status", "priority", "bucket"):
        wanted = getattr(asked, name)
        if wanted is not None:
            yield getattr(Item, name).in_(wanted)
    if asked.creator_id is not None:
        yield Item.creator_id == asked.creator_id
    if asked.milestone_id is not None:
        wanted = None if asked.milestone_id == "none" else asked.milestone_id
        yield Item.milestone.is_null() if wanted is None else Item.milestone == wanted
    yield from _tied(asked, by)
    yield from _free(asked)
    yield from _when(asked)


def _when(asked: "ListWorkItems") -> Iterator[Any]:
    for name in ("due", "created", "updated", "completed"):
        field = getattr(Item, f"{name}_at")
        after, before = (
            getattr(asked, f"{name}_after"),
            getattr(asked, f"{name}_before"),
        )
        if after is not None:
            yield field >= after
        if before is not None:
            yield field < before


def _tied(asked: "ListWorkItems", by: By) -> Iterator[Any]:
    assignee = asked.assignee_id
    if assignee == "none":
        of_item = WorkAssigneeRow.work == Item.id
        yield ~fn.EXISTS(WorkAssigneeRow.select(1).where(of_item))
    elif assignee is not None:
        account = account_named(assignee, by, "assigneeId")
        yield Item.id.in_(
            WorkAssigneeRow.select(WorkAssigneeRow.work).where(
                WorkAssigneeRow.account_id == account
            )
        )
    if asked.label_id is not None:
        yield Item.id.in_(_labelled(set(asked.label_id), asked.label_mode))
    if asked.specification_id or asked.spec_relationship or asked.specification_status:
        yield Item.id.in_(_linked(asked))


def _labelled(labels: set[str], mode: str) -> Any:
    query = WorkLabelRow.select(WorkLabelRow.work).where(WorkLabelRow.label.in_(labels))
    if mode == "any" or len(labels) == 1:
        return query
    # A label stands once on an item: who has as many has them all.
    return query.group_by(WorkLabelRow.work).having(fn.COUNT() == len(labels))


def _linked(asked: "ListWorkItems") -> Any:
    """One link must be all that is asked: to this, as this, in this status."""
    row: Any = WorkSpecificationRow
    query = row.select(row.work)
    if asked.specification_id is not None:
        query = query.where(row.specification == asked.specification_id)
    if asked.spec_relationship is not None:
        query = query.where(row.relationship == asked.spec_relationship)
    if asked.specification_status is not None:
        query = query.join(SpecificationRow).where(
            SpecificationRow.status.in_(asked.specification_status)
        )
    return query


def _free(asked: "ListWorkItems") -> Iterator[Any]:
    """Blocked is what has an open blocker; ready is what may be begun."""
    # Few are blocked: they are looked up. Most are free: each is looked at.
    blocked = Item.id.in_(open_blocks(WorkRelationshipRow.target))
    free = ~fn.EXISTS(open_blocks(1).where(WorkRelationshipRow.target == Item.id))
    if asked.blocked is not None:
        yield blocked if asked.blocked else free
    if asked.ready is not None:
        ready = Item.status.in_(WAITING) & Item.archived_at.is_null() & free
        yield ready if asked.ready else ~ready
