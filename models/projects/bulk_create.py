"""Many work items and their relationships in one call: all of them, or none."""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, model_validator

from models.base import Shape, new_id
from models.projects.members import require_role
from models.projects.project import ProjectRow, project_with, require_active
from models.projects.relationships import (
    AskedRelationship,
    Ends,
    WorkRelationship,
    ends_of,
    relate,
    require_role_at_either,
)
from models.projects.usable import Missing, missing, require_all
from models.projects.words import By
from models.projects.work_item import WorkItemRow, WorkRelationshipRow
from models.projects.work_items import NewWorkItem, WorkItem, add_work_item
from models.words import Id, MayOmit

# A name of the caller's own, by which relationships of the same call know an item.
Ref = Annotated[str, Field(min_length=1, max_length=64)]


class BulkWorkItem(NewWorkItem):
    ref: MayOmit[Ref] = None


class BulkRelationship(Shape):
    """Between two items, each the ref of a new one or the id of another."""

    source: Ref
    target: Ref
    relationship: AskedRelationship

    @model_validator(mode="after")
    def _of_two(self) -> "BulkRelationship":
        if self.source == self.target:
            raise ValueError("source and target must be two work items.")
        return self


class BulkCreateWorkItems(Shape):
    project_id: Id
    items: Annotated[list[BulkWorkItem], Field(min_length=1, max_length=100)]
    relationships: Annotated[list[BulkRelationship], Field(max_length=200)] = []

    @model_validator(mode="after")
    def _names_once(self) -> "BulkCreateWorkItems":
        refs = [each.ref for each in self.items if each.ref is not None]
        if len(set(refs)) < len(refs):
            raise ValueError("Two items have the same ref.")
        return self


class BulkCreated(Shape):
    items: list[WorkItem]
    refs: dict[str, Id]
    relationships: list[WorkRelationship]


def bulk_create_work_items(
    asked: BulkCreateWorkItems, now: datetime, by: By
) -> dict[str, Any]:
    """Put the items into the project, in their order, then relate them."""
    project = project_with(asked.project_id)
    require_role(project, by, "work-items:bulk-create")
    require_active(project)
    others = _others(asked)
    require_all([*_missing(project, asked), *_unknown(asked, others)])
    batch = {"batchId": new_id(now), "batchSize": len(asked.items)}
    items = [
        add_work_item(project, _members(each), now, by, **batch) for each in asked.items
    ]
    named = {
        each.ref: item
        for each, item in zip(asked.items, items, strict=True)
        if each.ref is not None
    }
    rows = _related(asked, others | named, now, by, batch)
    refs = {ref: item.id for ref, item in named.items()}
    return {"items": items, "refs": refs, "relationships": rows}


def _members(asked: BulkWorkItem) -> dict[str, Any]:
    members = asked.members()
    del members["ref"]
    return members


def _others(asked: BulkCreateWorkItems) -> dict[str, WorkItemRow]:
    """Return the items named that are no refs, by their ids."""
    refs = {each.ref for each in asked.items}
    ends = {end for each in asked.relationships for end in (each.source, each.target)}
    query = WorkItemRow.select(WorkItemRow, ProjectRow).join(ProjectRow)
    found = query.where(WorkItemRow.id.in_(sorted(ends - refs)))
    return {row.id: row for row in found}


def _missing(project: ProjectRow, asked: BulkCreateWorkItems) -> Iterator[Missing]:
    for place, each in enumerate(asked.items):
        yield from missing(project, each.members(), at=f"/items/{place}")


def _unknown(
    asked: BulkCreateWorkItems, others: dict[str, WorkItemRow]
) -> Iterator[Missing]:
    known = {each.ref for each in asked.items} | others.keys()
    for place, each in enumerate(asked.relationships):
        for name in ("source", "target"):
            if getattr(each, name) not in known:
                yield {
                    "pointer": f"/relationships/{place}/{name}",
                    "code": "unknown",
                    "detail": "Is neither a ref of this call nor a work item.",
                }


def _related(
    asked: BulkCreateWorkItems,
    items: dict[str, WorkItemRow],
    now: datetime,
    by: By,
    batch: dict[str, Any],
) -> list[WorkRelationshipRow]:
    """Keep the relationships, what is said twice once."""
    found: dict[int, WorkRelationshipRow] = {}
    for each in asked.relationships:
        ends = ends_of(items[each.source], items[each.target], each.relationship)
        _require_writable(ends, by)
        row, _ = relate(ends, now, by, **batch)
        found[row.number] = row
    return list(found.values())


def _require_writable(ends: Ends, by: By) -> None:
    # One new end is enough; but both may be items that were there before.
    require_role_at_either(ends, by, "work-items:bulk-create")
    for each in (ends.source, ends.target):
        require_active(each.project, each)
