"""What a work item is tied to: its assignees, its labels, its specifications."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from models.base import Change, Schema
from models.fields import Id
from models.projects.work.rows import (
    WorkAssigneeRow,
    WorkItemRow,
    WorkLabelRow,
    WorkSpecificationRow,
)

Items = TypeVar("Items", bound=Sequence[WorkItemRow])

SpecRelationship = Literal["governed_by", "implements", "references"]


class SpecificationLink(Schema):
    specification_id: Id
    relationship: SpecRelationship


@dataclass(frozen=True)
class Tie:
    """How one kind is kept: its rows, what of them is read, and what is written."""

    row: Any
    columns: tuple[Any, ...]
    read: Callable[..., Any]
    written: Callable[[Any], dict[str, Any]]


TIES = {
    "assignee_ids": Tie(
        WorkAssigneeRow,
        (WorkAssigneeRow.account_id,),
        str,
        lambda id: {"account_id": id},
    ),
    "label_ids": Tie(
        WorkLabelRow, (WorkLabelRow.label,), str, lambda id: {"label": id}
    ),
    "specifications": Tie(
        WorkSpecificationRow,
        (WorkSpecificationRow.specification, WorkSpecificationRow.relationship),
        lambda id, relationship: SpecificationLink(
            specification_id=id, relationship=relationship
        ),
        lambda link: {
            "specification": link.specification_id,
            "relationship": link.relationship,
        },
    ),
}


def with_ties(items: Items) -> Items:
    """Read what the items are tied to, in one query for each kind of tie."""
    found = {item.id: item for item in items}
    for name, tie in TIES.items():
        for item in items:
            setattr(item, name, [])
        rows = (
            tie.row.select(tie.row.work, *tie.columns)
            .where(tie.row.work.in_(list(found)))
            .order_by(tie.row.number)
        )
        for id, *values in rows.tuples():
            getattr(found[id], name).append(tie.read(*values))
    return items


def tie(item: WorkItemRow, wanted: dict[str, list[Any]]) -> dict[str, Change]:
    """Tie the item to these and to no others; return what differs."""
    changes = {}
    for name, new in wanted.items():
        old = getattr(item, name)
        kept = [each for each in old if each in new]
        added = [each for each in new if each not in old]
        if added or len(kept) < len(old):
            _untie(item, name, [each for each in old if each not in new])
            _add(item, name, added)
            changes[name] = (old, [*kept, *added])
            setattr(item, name, [*kept, *added])
    return changes


def _add(item: WorkItemRow, name: str, added: list[Any]) -> None:
    kind = TIES[name]
    if added:
        rows = [{"work": item.id} | kind.written(each) for each in added]
        kind.row.insert_many(rows).execute()


def _untie(item: WorkItemRow, name: str, removed: list[Any]) -> None:
    kind = TIES[name]
    for each in removed:
        query = kind.row.delete().where(kind.row.work == item.id)
        for column, value in kind.written(each).items():
            query = query.where(getattr(kind.row, column) == value)
        query.execute()
