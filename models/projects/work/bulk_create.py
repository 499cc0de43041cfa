"""Many work items and their relationships in one call: all of them, or none."""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, model_validator

from models.base import Schema, new_id
from models.fields import Id, MayOmit
from models.projects.fields import Actor
from models.projects.members.role_checks import require_role
from models.projects.projects.rows import ProjectRow, project_with, require_active
from models.projects.work.items import NewWorkItem, WorkItem, add_work_item
from models.projects.work.reference_checks import Missing, missing, require_all
from models.projects.work.relationships import (
    AskedRelationship,
    Ends,
    WorkRelationship,
    ends_of,
    relate,
    require_role_at_either,
)
from models.projects.work.rows import WorkItemRow, WorkRelationshipRow

# A name of the caller's own, by which relationships of the same call know an item.
Ref = Annotated[str, Field(min_length=1, max_length=64)]


class BulkWorkItem(NewWorkItem):
    ref: MayOmit[Ref] = None


class BulkRelationship(Schema):
    """Between two items, each the ref of a new one or the id of another."""

    source: Ref
    target: Ref
    relationship: AskedRelationship

    @model_validator(mode="after")
    def _of_two(self) -> "BulkRelationship":
        if self.source == self.target:
            raise ValueError("source and target must be two work items.")
        return self


class BulkCreateWorkItems(Schema):
    project_id: Id
    items: Annotated[list[BulkWorkItem], Field(min_length=1, max_length=100)]
    relationships: Annotated[list[BulkRelationship], Field(max_length=200)] = []

    @model_validator(mode="after")
    def _names_once(self) -> "BulkCreateWorkItems":
        refs = [each.ref for each in self.items if each.ref is not None]
        if len(set(refs)) < len(refs):
            raise ValueError("Two items have the same ref.")
        return self


class BulkCreated(Schema):
    items: list[WorkItem]
    refs: dict[str, Id]
    relationships: list[WorkRelationship]


def bulk_create_work_items(
    request: BulkCreateWorkItems, now: datetime, actor: Actor
) -> dict[str, Any]:
    """Put the items into the project, in their order, then relate them."""
    project = project_with(request.project_id)
    require_role(project, actor, "work-items:bulk-create")
    require_active(project)
    others = _others(request)
    require_all([*_missing(project, request), *_unknown(request, others)])
    batch = {"batchId": new_id(now), "batchSize": len(request.items)}
    items = [
        add_work_item(project, _members(each), now, actor, **batch)
        for each in request.items
    ]
    named = {
        each.ref: item
        for each, item in zip(request.items, items, strict=True)
        if each.ref is not None
    }
    rows = _related(request, others | named, now, actor, batch)
    refs = {ref: item.id for ref, item in named.items()}
    return {"items": items, "refs": refs, "relationships": rows}


def _members(request: BulkWorkItem) -> dict[str, Any]:
    members = request.all_fields()
    del members["ref"]
    return members


def _others(request: BulkCreateWorkItems) -> dict[str, WorkItemRow]:
    """Return the items named that are no refs, by their ids."""
    refs = {each.ref for each in request.items}
    ends = {end for each in request.relationships for end in (each.source, each.target)}
    query = WorkItemRow.select(WorkItemRow, ProjectRow).join(ProjectRow)
    found = query.where(WorkItemRow.id.in_(sorted(ends - refs)))
    return {row.id: row for row in found}


def _missing(project: ProjectRow, request: BulkCreateWorkItems) -> Iterator[Missing]:
    for place, each in enumerate(request.items):
        yield from missing(project, each.all_fields(), at=f"/items/{place}")


def _unknown(
    request: BulkCreateWorkItems, others: dict[str, WorkItemRow]
) -> Iterator[Missing]:
    known = {each.ref for each in request.items} | others.keys()
    for place, each in enumerate(request.relationships):
        for name in ("source", "target"):
            if getattr(each, name) not in known:
                yield {
                    "pointer": f"/relationships/{place}/{name}",
                    "code": "unknown",
                    "detail": "Is neither a ref of this call nor a work item.",
                }


def _related(
    request: BulkCreateWorkItems,
    items: dict[str, WorkItemRow],
    now: datetime,
    actor: Actor,
    batch: dict[str, Any],
) -> list[WorkRelationshipRow]:
    """Keep the relationships, what is said twice once."""
    found: dict[int, WorkRelationshipRow] = {}
    for each in request.relationships:
        ends = ends_of(items[each.source], items[each.target], each.relationship)
        _require_writable(ends, actor)
        row, _ = relate(ends, now, actor, **batch)
        found[row.number] = row
    return list(found.values())


def _require_writable(ends: Ends, actor: Actor) -> None:
    # One new end is enough; but both may be items that were there before.
    require_role_at_either(ends, actor, "work-items:bulk-create")
    for each in (ends.source, ends.target):
        require_active(each.project, each)
