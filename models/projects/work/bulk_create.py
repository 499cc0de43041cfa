"""Create many work items and their relationships in one call: all, or none."""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, model_validator

from models.base import Schema, new_id
from models.fields import EXAMPLE_ID, OTHER_ID, Id, MayOmit
from models.projects import descriptions
from models.projects.fields import Actor, ProjectId
from models.projects.members.role_checks import require_role
from models.projects.projects.rows import ProjectRow, project_with, require_active
from models.projects.work.items import NewWorkItem, WorkItem, insert_work_item
from models.projects.work.reference_checks import (
    FieldError,
    raise_if_any,
    reference_errors,
)
from models.projects.work.relationships import (
    RelationshipInput,
    WorkRelationship,
    insert_relationship,
    normalized_edge,
    require_role_in_either_project,
)
from models.projects.work.rows import WorkItemRow, WorkRelationshipRow

# The caller's name for a new item, to which relationships of the same call can refer.
Ref = Annotated[str, Field(min_length=1, max_length=64)]


class BulkWorkItem(NewWorkItem, example=("ref",)):
    ref: MayOmit[Ref] = Field(
        default=None,
        description="A name for the work item, to be used in relationships.",
        examples=["first"],
    )


class BulkRelationship(Schema):
    """A relationship of two items, each given by the ref of a new one or by its id."""

    source: Ref = Field(
        description="The source work item: a ref or an ID.", examples=["first"]
    )
    target: Ref = Field(
        description="The target work item: a ref or an ID.", examples=[OTHER_ID]
    )
    relationship: Annotated[RelationshipInput, descriptions.RELATIONSHIP]

    @model_validator(mode="after")
    def _ends_differ(self) -> "BulkRelationship":
        if self.source == self.target:
            raise ValueError("source and target must be two work items.")
        return self


# What several fields mean.
ITEMS = Field(description="The work items.")


class BulkCreateWorkItems(Schema, example=("relationships",)):
    project_id: ProjectId
    items: Annotated[list[BulkWorkItem], Field(min_length=1, max_length=100), ITEMS]
    relationships: Annotated[
        list[BulkRelationship], Field(max_length=200), descriptions.RELATIONSHIPS
    ] = []

    @model_validator(mode="after")
    def _refs_are_unique(self) -> "BulkCreateWorkItems":
        refs = [item.ref for item in self.items if item.ref is not None]
        if len(set(refs)) < len(refs):
            raise ValueError("Two items have the same ref.")
        return self


class BulkCreated(Schema):
    items: Annotated[list[WorkItem], ITEMS]
    refs: dict[str, Id] = Field(
        description="The IDs of the work items, by ref.",
        examples=[{"first": EXAMPLE_ID}],
    )
    relationships: Annotated[list[WorkRelationship], descriptions.RELATIONSHIPS]


def bulk_create_work_items(
    request: BulkCreateWorkItems, now: datetime, actor: Actor
) -> dict[str, Any]:
    """
    Create the items in their order, then the relationships.

    Return the fields of BulkCreated.
    """
    project = project_with(request.project_id)
    require_role(project, actor, "work-items:bulk-create")
    require_active(project)
    existing_items = _existing_items(request)
    raise_if_any(
        [
            *_reference_errors(project, request),
            *_relationship_errors(request, existing_items),
        ]
    )
    batch = {"batchId": new_id(now), "batchSize": len(request.items)}
    items, items_by_ref = [], {}
    for new_item in request.items:
        values = new_item.all_fields()
        ref = values.pop("ref")
        item = insert_work_item(project, values, now, actor, **batch)
        items.append(item)
        if ref is not None:
            items_by_ref[ref] = item
    relationships = _create_relationships(
        request, existing_items | items_by_ref, now, actor, batch
    )
    refs = {ref: item.id for ref, item in items_by_ref.items()}
    return {"items": items, "refs": refs, "relationships": relationships}


def _existing_items(request: BulkCreateWorkItems) -> dict[str, WorkItemRow]:
    """Return, by id, the items that relationships name by their ids."""
    refs = {item.ref for item in request.items}
    ends = {end for edge in request.relationships for end in (edge.source, edge.target)}
    query = WorkItemRow.select(WorkItemRow, ProjectRow).join(ProjectRow)
    return {row.id: row for row in query.where(WorkItemRow.id.in_(sorted(ends - refs)))}


def _reference_errors(
    project: ProjectRow, request: BulkCreateWorkItems
) -> Iterator[FieldError]:
    for index, item in enumerate(request.items):
        yield from reference_errors(
            project, item.all_fields(), prefix=f"/items/{index}"
        )


def _relationship_errors(
    request: BulkCreateWorkItems, existing_items: dict[str, WorkItemRow]
) -> Iterator[FieldError]:
    known = {item.ref for item in request.items} | existing_items.keys()
    for index, relationship in enumerate(request.relationships):
        for name in ("source", "target"):
            if getattr(relationship, name) not in known:
                yield {
                    "pointer": f"/relationships/{index}/{name}",
                    "code": "unknown",
                    "detail": "Is neither a ref of this call nor a work item.",
                }


def _create_relationships(
    request: BulkCreateWorkItems,
    items: dict[str, WorkItemRow],
    now: datetime,
    actor: Actor,
    batch: dict[str, Any],
) -> list[WorkRelationshipRow]:
    """Create the relationships and return them, without duplicates."""
    rows: dict[int, WorkRelationshipRow] = {}
    for relationship in request.relationships:
        source, target = items[relationship.source], items[relationship.target]
        edge = normalized_edge(source, target, relationship.relationship)
        # Both ends may be existing items, possibly of other projects.
        require_role_in_either_project(edge, actor, "work-items:bulk-create")
        for item in (edge.source, edge.target):
            require_active(item.project, item)
        row, _ = insert_relationship(edge, now, actor, **batch)
        rows[row.number] = row
    return list(rows.values())
