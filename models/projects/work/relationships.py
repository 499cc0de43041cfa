"""Relationships between work items: added, removed, always in one stored form."""

from datetime import datetime
from typing import Any, Literal, NamedTuple

from pydantic import model_validator

from models.base import Schema
from models.errors import LimitExceeded
from models.fields import Id, Moment
from models.projects.fields import Actor
from models.projects.members.role_checks import require_role, role_of
from models.projects.projects.activity import record_activity
from models.projects.projects.rows import require_active
from models.projects.roles import allows
from models.projects.work.cycles import require_no_ring
from models.projects.work.rows import WorkItemRow, WorkRelationshipRow, work_item_with

Relationship = Literal["blocks", "related_to", "duplicates", "supersedes"]
AskedRelationship = Literal[
    "blocks", "related_to", "duplicates", "supersedes", "depends_on"
]
SYMMETRIC = ("related_to", "duplicates")
MOST = 100


class WorkRelationship(Schema):
    source_id: Id
    target_id: Id
    relationship: Relationship
    created_by: Id
    created_at: Moment


class AddWorkRelationship(Schema):
    source_id: Id
    target_id: Id
    relationship: AskedRelationship

    @model_validator(mode="after")
    def _of_two(self) -> "AddWorkRelationship":
        if self.source_id == self.target_id:
            raise ValueError("sourceId and targetId must be two work items.")
        return self


class RemoveWorkRelationship(AddWorkRelationship):
    pass


class RemovedRelationship(Schema):
    source_id: Id
    target_id: Id
    relationship: Relationship
    removed: bool


class Ends(NamedTuple):
    """Both ends of a relationship as it is stored."""

    source: WorkItemRow
    target: WorkItemRow
    relationship: str

    def stored(self) -> WorkRelationshipRow | None:
        found: WorkRelationshipRow | None = WorkRelationshipRow.get_or_none(
            WorkRelationshipRow.source == self.source.id,
            WorkRelationshipRow.target == self.target.id,
            WorkRelationshipRow.relationship == self.relationship,
        )
        return found


def ends_of(one: WorkItemRow, other: WorkItemRow, relationship: str) -> Ends:
    """
    Return the form in which it is stored, whoever says it and however.

    To depend is to be blocked, and what holds both ways has the lower id first.
    """
    if relationship == "depends_on":
        return Ends(other, one, "blocks")
    if relationship in SYMMETRIC and other.id < one.id:
        return Ends(other, one, relationship)
    return Ends(one, other, relationship)


def add_relationship(
    request: AddWorkRelationship, now: datetime, actor: Actor
) -> tuple[WorkRelationshipRow, bool]:
    """Relate two items; tell whether they were not so related already."""
    ends = _ends(request)
    require_role_at_either(ends, actor, "relationships:add")
    for each in (ends.source, ends.target):
        require_active(each.project, each)
    return relate(ends, now, actor)


def relate(
    ends: Ends, now: datetime, actor: Actor, **batch: Any
) -> tuple[WorkRelationshipRow, bool]:
    """Keep the relationship of two items that may be written."""
    stored = ends.stored()
    if stored is not None:
        return stored, False
    for each in (ends.source, ends.target):
        _require_room(each)
    require_no_ring(*ends)
    row = WorkRelationshipRow.create(
        source=ends.source.id,
        target=ends.target.id,
        relationship=ends.relationship,
        created_by=actor.id,
        created_at=now,
    )
    _put_down("work.relationship-added", ends, now, actor, batch)
    return row, True


def remove_relationship(
    request: RemoveWorkRelationship, now: datetime, actor: Actor
) -> RemovedRelationship:
    """Take the relationship away, of archived items too; say whether it was there."""
    ends = _ends(request)
    require_role_at_either(ends, actor, "relationships:remove")
    for each in (ends.source, ends.target):
        require_active(each.project)
    stored = ends.stored()
    if stored is not None:
        stored.delete_instance()
        _put_down("work.relationship-removed", ends, now, actor, {})
    return RemovedRelationship.model_validate(
        {
            "source_id": ends.source.id,
            "target_id": ends.target.id,
            "relationship": ends.relationship,
            "removed": stored is not None,
        }
    )


def _ends(request: AddWorkRelationship) -> Ends:
    one, other = work_item_with(request.source_id), work_item_with(request.target_id)
    return ends_of(one, other, request.relationship)


def require_role_at_either(ends: Ends, actor: Actor, case: str) -> None:
    """Whoever may write in the project of either end may relate the two."""
    if not allows(role_of(ends.target.project, actor), case):
        require_role(ends.source.project, actor, case)


def _require_room(item: WorkItemRow) -> None:
    row = WorkRelationshipRow
    of_item = (row.source == item.id) | (row.target == item.id)
    if row.select().where(of_item).count() >= MOST:
        raise LimitExceeded(
            f"The {item.noun} has {MOST} relationships, as many as it can have."
        )


def _put_down(
    action: str, ends: Ends, now: datetime, actor: Actor, batch: dict[str, Any]
) -> None:
    """Both ends tell of it, each in its own project and from its own side."""
    source, target, relationship = ends
    is_mutual = relationship in SYMMETRIC
    for item, other, direction in (
        (source, target, "outgoing"),
        (target, source, "incoming"),
    ):
        told = {
            "relationship": relationship,
            "direction": "mutual" if is_mutual else direction,
            "otherId": other.id,
            "otherProjectId": other.project_id,
            "otherNumber": other.number,
        }
        record_activity(item.project, action, item.id, actor, now, **told | batch)
