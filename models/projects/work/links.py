"""Load and save the assignees, labels and specifications of work items."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from models.base import Change, Schema
from models.projects import descriptions
from models.projects.fields import SpecificationId
from models.projects.work.rows import (
    WorkAssigneeRow,
    WorkItemRow,
    WorkLabelRow,
    WorkSpecificationRow,
)

Items = TypeVar("Items", bound=Sequence[WorkItemRow])

SpecRelationship = Literal["governed_by", "implements", "references"]


class SpecificationLink(Schema):
    specification_id: SpecificationId
    relationship: Annotated[SpecRelationship, descriptions.RELATIONSHIP]


@dataclass(frozen=True)
class LinkKind:
    """How the links of one field are stored: their table, and both conversions."""

    row: Any
    columns: tuple[Any, ...]
    from_columns: Callable[..., Any]
    to_columns: Callable[[Any], dict[str, Any]]


# By the field of the work item.
LINK_KINDS = {
    "assignee_ids": LinkKind(
        WorkAssigneeRow,
        (WorkAssigneeRow.account_id,),
        str,
        lambda id: {"account_id": id},
    ),
    "label_ids": LinkKind(
        WorkLabelRow, (WorkLabelRow.label,), str, lambda id: {"label": id}
    ),
    "specifications": LinkKind(
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


def load_links(items: Items) -> Items:
    """Set the link fields of the items, with one query for each kind of link."""
    items_by_id = {item.id: item for item in items}
    for name, kind in LINK_KINDS.items():
        for item in items:
            setattr(item, name, [])
        rows = (
            kind.row.select(kind.row.work, *kind.columns)
            .where(kind.row.work.in_(list(items_by_id)))
            .order_by(kind.row.number)
        )
        for id, *values in rows.tuples():
            getattr(items_by_id[id], name).append(kind.from_columns(*values))
    return items


def replace_links(item: WorkItemRow, links: dict[str, list[Any]]) -> dict[str, Change]:
    """Replace the links in the given fields of the item; return what changed."""
    changes = {}
    for name, new in links.items():
        old = getattr(item, name)
        unchanged = [link for link in old if link in new]
        added = [link for link in new if link not in old]
        if added or len(unchanged) < len(old):
            _delete_links(item, name, [link for link in old if link not in new])
            kind = LINK_KINDS[name]
            if rows := [{"work": item.id} | kind.to_columns(link) for link in added]:
                kind.row.insert_many(rows).execute()
            changes[name] = (old, [*unchanged, *added])
            setattr(item, name, [*unchanged, *added])
    return changes


def _delete_links(item: WorkItemRow, name: str, links: list[Any]) -> None:
    kind = LINK_KINDS[name]
    for link in links:
        query = kind.row.delete().where(kind.row.work == item.id)
        for column, value in kind.to_columns(link).items():
            query = query.where(getattr(kind.row, column) == value)
        query.execute()
