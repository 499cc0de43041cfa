"""Add and remove relationships between work items, none of which form a cycle."""

from collections import deque
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, model_validator

from models.base import Schema
from models.errors import LimitExceeded, RelationshipCycle
from models.fields import OTHER_ID, CreatedAt, Id
from models.projects import descriptions
from models.projects.fields import Actor, WasRemoved
from models.projects.members.role_checks import actor_role, require_role
from models.projects.projects.activity import record_activity
from models.projects.projects.rows import require_active
from models.projects.roles import role_allows
from models.projects.work.rows import WorkItemRow, WorkRelationshipRow, work_item_with
from models.storage.database import database

Relationship = Literal["blocks", "related_to", "duplicates", "supersedes"]
# What requests may say: depends_on is stored as the inverse blocks.
RelationshipInput = Literal[
    "blocks", "related_to", "duplicates", "supersedes", "depends_on"
]
SYMMETRIC = ("related_to", "duplicates")
# Of one work item.
MAX_RELATIONSHIPS = 100

# What several fields mean.
SourceItemId = Annotated[Id, Field(description="The ID of the source work item.")]
TargetItemId = Annotated[
    Id, Field(description="The ID of the target work item.", examples=[OTHER_ID])
]
# Of these kinds, a chain of relationships must not lead back to its start.
ACYCLIC = ("blocks", "supersedes")
# An error names this many work items at each end of a long path.
MAX_NAMED_PER_END = 5
# One look-up in the index for each item on the path. A chain of 20,000 takes half the
# time of a recursive query, which would also have to return its steps.
TARGETS_SQL = (
    "SELECT target_id FROM work_relationship WHERE source_id = ? AND relationship = ?"
)


class WorkRelationship(Schema):
    source_id: SourceItemId
    target_id: TargetItemId
    relationship: Annotated[Relationship, descriptions.RELATIONSHIP]
    created_by: Id = Field(description="The ID of the account or key that created it.")
    created_at: CreatedAt


class AddWorkRelationship(Schema):
    source_id: SourceItemId
    target_id: TargetItemId
    relationship: Annotated[RelationshipInput, descriptions.RELATIONSHIP]

    @model_validator(mode="after")
    def _ends_differ(self) -> "AddWorkRelationship":
        if self.source_id == self.target_id:
            raise ValueError("sourceId and targetId must be two work items.")
        return self


class RemoveWorkRelationship(AddWorkRelationship):
    pass


class RemovedRelationship(Schema):
    source_id: SourceItemId
    target_id: TargetItemId
    relationship: Annotated[Relationship, descriptions.RELATIONSHIP]
    removed: WasRemoved


class Edge(NamedTuple):
    """A relationship in its normalized form, stored or not."""

    source: WorkItemRow
    target: WorkItemRow
    relationship: str

    def find_row(self) -> WorkRelationshipRow | None:
        row: WorkRelationshipRow | None = WorkRelationshipRow.get_or_none(
            WorkRelationshipRow.source == self.source.id,
            WorkRelationshipRow.target == self.target.id,
            WorkRelationshipRow.relationship == self.relationship,
        )
        return row


def normalized_edge(
    source: WorkItemRow, target: WorkItemRow, relationship: str
) -> Edge:
    """
    Return the form in which the relationship is stored.

    depends_on becomes blocks in the other direction, and the source of a symmetric
    relationship is the item with the lower id.
    """
    if relationship == "depends_on":
        return Edge(target, source, "blocks")
    if relationship in SYMMETRIC and target.id < source.id:
        return Edge(target, source, relationship)
    return Edge(source, target, relationship)


def add_relationship(
    request: AddWorkRelationship, now: datetime, actor: Actor
) -> tuple[WorkRelationshipRow, bool]:
    """Add the relationship; return it and whether it is new."""
    edge = _requested_edge(request)
    require_role_in_either_project(edge, actor, "relationships:add")
    for item in (edge.source, edge.target):
        require_active(item.project, item)
    return insert_relationship(edge, now, actor)


def insert_relationship(
    edge: Edge, now: datetime, actor: Actor, **batch: Any
) -> tuple[WorkRelationshipRow, bool]:
    """Store a relationship of two writable items; return it and whether it is new."""
    existing = edge.find_row()
    if existing is not None:
        return existing, False
    for item in (edge.source, edge.target):
        _require_below_limit(item)
    require_no_cycle(*edge)
    row = WorkRelationshipRow.create(
        source=edge.source.id,
        target=edge.target.id,
        relationship=edge.relationship,
        created_by=actor.id,
        created_at=now,
    )
    _record_activity("work.relationship-added", edge, now, actor, batch)
    return row, True


def remove_relationship(
    request: RemoveWorkRelationship, now: datetime, actor: Actor
) -> RemovedRelationship:
    """
    Remove the relationship; `removed` is false if there was none.

    The work items may be archived, but not their projects.
    """
    edge = _requested_edge(request)
    require_role_in_either_project(edge, actor, "relationships:remove")
    for item in (edge.source, edge.target):
        require_active(item.project)
    row = edge.find_row()
    if row is not None:
        row.delete_instance()
        _record_activity("work.relationship-removed", edge, now, actor, {})
    return RemovedRelationship.model_validate(
        {
            "source_id": edge.source.id,
            "target_id": edge.target.id,
            "relationship": edge.relationship,
            "removed": row is not None,
        }
    )


def _requested_edge(request: AddWorkRelationship) -> Edge:
    source = work_item_with(request.source_id)
    target = work_item_with(request.target_id)
    return normalized_edge(source, target, request.relationship)


def require_role_in_either_project(edge: Edge, actor: Actor, case: str) -> None:
    """Raise RoleRequired unless the caller has the role in either end's project."""
    if not role_allows(actor_role(edge.target.project, actor), case):
        require_role(edge.source.project, actor, case)


def _require_below_limit(item: WorkItemRow) -> None:
    row = WorkRelationshipRow
    is_end = (row.source == item.id) | (row.target == item.id)
    if row.select().where(is_end).count() >= MAX_RELATIONSHIPS:
        raise LimitExceeded(
            f"The {item.noun} has {MAX_RELATIONSHIPS} relationships, which is the"
            " maximum."
        )


def record_removal(
    edge: Edge, end: WorkItemRow, now: datetime, actor: Actor, **context: Any
) -> None:
    """Record at one end that the relationship was removed."""
    _record_at_end("work.relationship-removed", edge, end, now, actor, context)


def _record_activity(
    action: str, edge: Edge, now: datetime, actor: Actor, batch: dict[str, Any]
) -> None:
    """Record the change at both ends, each in its project and from its side."""
    for end in (edge.source, edge.target):
        _record_at_end(action, edge, end, now, actor, batch)


def _record_at_end(
    action: str,
    edge: Edge,
    end: WorkItemRow,
    now: datetime,
    actor: Actor,
    context: dict[str, Any],
) -> None:
    source, target, relationship = edge
    other, direction = (
        (target, "outgoing") if end.id == source.id else (source, "incoming")
    )
    metadata = {
        "relationship": relationship,
        "direction": "mutual" if relationship in SYMMETRIC else direction,
        "otherId": other.id,
        "otherProjectId": other.project_id,
        "otherNumber": other.number,
    }
    record_activity(end, action, actor, now, **metadata | context)


def shortest_path(relationship: str, start: str, end: str) -> list[str]:
    """Return the ids on the shortest path from start to end, or [] if there is none."""
    cursor = database.connection().cursor()
    predecessors = {start: ""}
    queue = deque([start])
    while queue and end not in predecessors:
        id = queue.popleft()
        for (target,) in cursor.execute(TARGETS_SQL, (id, relationship)):
            if target not in predecessors:
                predecessors[target] = id
                queue.append(target)
    path = [end] if end in predecessors else []
    while path and predecessors[path[-1]]:
        path.append(predecessors[path[-1]])
    return path[::-1]


def require_no_cycle(
    source: WorkItemRow, target: WorkItemRow, relationship: str
) -> None:
    """Raise RelationshipCycle if the target already leads back to the source."""
    if relationship not in ACYCLIC:
        return
    path = shortest_path(relationship, target.id, source.id)
    if path:
        raise RelationshipCycle(
            f"{relationship} must not form a cycle: {_format_path([source.id, *path])}."
        )


def _format_path(ids: list[str]) -> str:
    """Name the work items on the path; leave out the middle of a long one."""
    first, last = ids, []
    if len(ids) > 2 * MAX_NAMED_PER_END:
        first, last = ids[:MAX_NAMED_PER_END], ids[-MAX_NAMED_PER_END:]
    rows = WorkItemRow.select().where(WorkItemRow.id.in_([*first, *last]))
    names = {row.id: row.name for row in rows}
    steps = [names[id] for id in first]
    if last:
        omitted = len(ids) - 2 * MAX_NAMED_PER_END
        steps += [f"({omitted} more)", *(names[id] for id in last)]
    return " → ".join(steps)
