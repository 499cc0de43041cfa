"""Milestones: planned, changed, listed, set aside."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from models.base import Shape, new_id
from models.pagination import CursorQuery, Page, page_of
from models.projects.activity import record_activity, told_changes
from models.projects.listing import in_projects
from models.projects.members import require_role
from models.projects.milestone import MilestoneRow, milestone_with
from models.projects.progress import open_items
from models.projects.project import project_with, require_active, require_updated_at
from models.projects.words import (
    Archived,
    By,
    Commas,
    OfProject,
    Order,
    OrNull,
    sorted_by,
)
from models.projects.work_items import Bucket
from models.words import TRIMMED, Id, MayOmit, Moment, SingleLine

MilestoneStatus = Literal["planned", "active", "completed", "cancelled"]
MilestoneName = Annotated[str, TRIMMED, Field(min_length=1, max_length=120), SingleLine]
MilestoneText = OrNull[Annotated[str, Field(max_length=10_000)]]


class Milestone(Shape):
    id: Id
    project_id: Id
    name: str
    description: str | None
    status: MilestoneStatus
    bucket: Bucket
    target_at: Moment | None
    created_at: Moment
    updated_at: Moment
    archived_at: Moment | None


class ListMilestones(OfProject, CursorQuery):
    status: Commas[MilestoneStatus] | None = None
    bucket: Commas[Bucket] | None = None
    archived: Archived = "exclude"
    target_after: Moment | None = None
    target_before: Moment | None = None
    updated_after: Moment | None = None
    sort: Literal["targetAt", "name", "createdAt", "updatedAt"] = "targetAt"
    order: Order | None = None


class NamedMilestone(Shape):
    """Names the milestone that is asked about."""

    id: Id


class CreateMilestone(Shape):
    project_id: Id
    name: MilestoneName
    description: MilestoneText = None
    status: MilestoneStatus = "planned"
    bucket: Bucket = "none"
    target_at: Moment | None = None


class UpdateMilestone(Shape):
    id: Id
    name: MayOmit[MilestoneName] = None
    description: MilestoneText = None
    status: MayOmit[MilestoneStatus] = None
    bucket: MayOmit[Bucket] = None
    target_at: Moment | None = None
    expected_updated_at: MayOmit[Moment] = None

    @model_validator(mode="after")
    def _says_something(self) -> "UpdateMilestone":
        if not self.model_fields_set - {"id", "expected_updated_at"}:
            raise ValueError("Give at least one member to change.")
        return self


class RemoveMilestone(Shape):
    id: Id


SORTS = {
    "targetAt": MilestoneRow.target_at,
    "name": MilestoneRow.name,
    "createdAt": MilestoneRow.created_at,
    "updatedAt": MilestoneRow.updated_at,
}


def milestones_listed(asked: ListMilestones) -> Page[MilestoneRow]:
    """Return a page, by default the nearest target first and those without last."""
    query = in_projects(MilestoneRow.select(), MilestoneRow, asked)
    if asked.archived != "include":
        is_archived = MilestoneRow.archived_at.is_null(asked.archived != "only")
        query = query.where(is_archived)
    for each in _where(asked):
        query = query.where(each)
    order = asked.order or ("asc" if asked.sort == "targetAt" else None)
    sort = sorted_by(SORTS[asked.sort], order, MilestoneRow.id)
    return page_of(query, asked, *sort)


def create_milestone(asked: CreateMilestone, now: datetime, by: By) -> MilestoneRow:
    project = project_with(asked.project_id)
    require_role(project, by, "milestones:create")
    require_active(project)
    milestone = MilestoneRow.create(
        id=new_id(now), created_at=now, updated_at=now, **asked.members()
    )
    _record(milestone, "created", now, by, name=milestone.name)
    return milestone


def update_milestone(
    asked: UpdateMilestone, now: datetime, by: By
) -> tuple[MilestoneRow, bool]:
    """
    Change the milestone; tell whether anything did.

    Any status may follow any other, and none changes the items.
    """
    milestone = milestone_with(asked.id)
    require_role(milestone.project, by, "milestones:update")
    require_updated_at(milestone, asked.expected_updated_at)
    require_active(milestone.project, milestone)
    wanted = asked.given()
    for aside in ("id", "expected_updated_at"):
        wanted.pop(aside, None)
    changes = milestone.change(wanted, now)
    told = told_changes(changes)
    status = told.pop("status", None)
    if told:
        _record(milestone, "updated", now, by, changes=told)
    if status:
        if milestone.status == "completed":
            status["openItems"] = open_items(milestone.id)
        _record(milestone, "status-changed", now, by, **status)
    return milestone, bool(changes)


def remove_milestone(
    asked: RemoveMilestone, now: datetime, by: By
) -> tuple[MilestoneRow, bool]:
    """Archive the milestone, which keeps its items; tell whether it was not yet."""
    return _archived(asked, now, by, at=now)


def restore_milestone(
    asked: RemoveMilestone, now: datetime, by: By
) -> tuple[MilestoneRow, bool]:
    """Take the milestone out of the archive; tell whether it was there."""
    return _archived(asked, now, by, at=None)


def _archived(
    asked: RemoveMilestone, now: datetime, by: By, *, at: datetime | None
) -> tuple[MilestoneRow, bool]:
    milestone = milestone_with(asked.id)
    require_role(milestone.project, by, f"milestones:{'remove' if at else 'restore'}")
    require_active(milestone.project)
    if (milestone.archived_at is None) == (at is None):
        return milestone, False
    milestone.change({"archived_at": at}, now)
    _record(milestone, "archived" if at else "restored", now, by)
    return milestone, True


def _record(
    milestone: MilestoneRow, verb: str, now: datetime, by: By, **told: Any
) -> None:
    action = f"milestone.{verb}"
    record_activity(milestone.project, action, milestone.id, by, now, **told)


def _where(asked: ListMilestones) -> list[Any]:
    found: list[Any] = []
    if asked.status is not None:
        found.append(MilestoneRow.status.in_(asked.status))
    if asked.bucket is not None:
        found.append(MilestoneRow.bucket.in_(asked.bucket))
    if asked.target_after is not None:
        found.append(MilestoneRow.target_at >= asked.target_after)
    if asked.target_before is not None:
        found.append(MilestoneRow.target_at < asked.target_before)
    if asked.updated_after is not None:
        found.append(MilestoneRow.updated_at >= asked.updated_after)
    return found
