"""Milestones: planned, changed, listed, set aside."""

from datetime import datetime
from typing import Annotated, Any, Literal, get_args

from peewee import fn
from pydantic import Field, model_validator

from models.base import Schema, new_id
from models.fields import TRIMMED, Id, MayOmit, Moment, SingleLine
from models.pagination import CursorQuery, Page, cursor_page
from models.projects.fields import (
    Actor,
    Archived,
    Commas,
    OfProject,
    Order,
    OrNull,
    sorted_by,
)
from models.projects.members.role_checks import require_role
from models.projects.planning.rows import MilestoneRow, milestone_with
from models.projects.projects.activity import record_activity, told_changes
from models.projects.projects.rows import (
    project_with,
    require_active,
    require_updated_at,
)
from models.projects.projects.visibility import in_projects
from models.projects.work.blockers import OVER
from models.projects.work.items import Bucket, WorkStatus
from models.projects.work.rows import WorkItemRow

MilestoneStatus = Literal["planned", "active", "completed", "cancelled"]
MilestoneName = Annotated[str, TRIMMED, Field(min_length=1, max_length=120), SingleLine]
MilestoneText = OrNull[Annotated[str, Field(max_length=10_000)]]


class Milestone(Schema):
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


class NamedMilestone(Schema):
    """Names the milestone that is asked about."""

    id: Id


class CreateMilestone(Schema):
    project_id: Id
    name: MilestoneName
    description: MilestoneText = None
    status: MilestoneStatus = "planned"
    bucket: Bucket = "none"
    target_at: Moment | None = None


class UpdateMilestone(Schema):
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


class RemoveMilestone(Schema):
    id: Id


SORTS = {
    "targetAt": MilestoneRow.target_at,
    "name": MilestoneRow.name,
    "createdAt": MilestoneRow.created_at,
    "updatedAt": MilestoneRow.updated_at,
}


def milestones_listed(query: ListMilestones) -> Page[MilestoneRow]:
    """Return a page, by default the nearest target first and those without last."""
    rows = in_projects(MilestoneRow.select(), MilestoneRow, query)
    if query.archived != "include":
        is_archived = MilestoneRow.archived_at.is_null(query.archived != "only")
        rows = rows.where(is_archived)
    for each in _where(query):
        rows = rows.where(each)
    order = query.order or ("asc" if query.sort == "targetAt" else None)
    sort = sorted_by(SORTS[query.sort], order, MilestoneRow.id)
    return cursor_page(rows, query, *sort)


def create_milestone(
    request: CreateMilestone, now: datetime, actor: Actor
) -> MilestoneRow:
    project = project_with(request.project_id)
    require_role(project, actor, "milestones:create")
    require_active(project)
    milestone = MilestoneRow.create(
        id=new_id(now), created_at=now, updated_at=now, **request.all_fields()
    )
    _record(milestone, "created", now, actor, name=milestone.name)
    return milestone


def update_milestone(
    request: UpdateMilestone, now: datetime, actor: Actor
) -> tuple[MilestoneRow, bool]:
    """
    Change the milestone; tell whether anything did.

    Any status may follow any other, and none changes the items.
    """
    milestone = milestone_with(request.id)
    require_role(milestone.project, actor, "milestones:update")
    require_updated_at(milestone, request.expected_updated_at)
    require_active(milestone.project, milestone)
    wanted = request.sent_fields()
    for aside in ("id", "expected_updated_at"):
        wanted.pop(aside, None)
    changes = milestone.change(wanted, now)
    told = told_changes(changes)
    status = told.pop("status", None)
    if told:
        _record(milestone, "updated", now, actor, changes=told)
    if status:
        if milestone.status == "completed":
            status["openItems"] = open_items(milestone.id)
        _record(milestone, "status-changed", now, actor, **status)
    return milestone, bool(changes)


def remove_milestone(
    request: RemoveMilestone, now: datetime, actor: Actor
) -> tuple[MilestoneRow, bool]:
    """Archive the milestone, which keeps its items; tell whether it was not yet."""
    return _archived(request, now, actor, at=now)


def restore_milestone(
    request: RemoveMilestone, now: datetime, actor: Actor
) -> tuple[MilestoneRow, bool]:
    """Take the milestone out of the archive; tell whether it was there."""
    return _archived(request, now, actor, at=None)


def _archived(
    request: RemoveMilestone, now: datetime, actor: Actor, *, at: datetime | None
) -> tuple[MilestoneRow, bool]:
    milestone = milestone_with(request.id)
    require_role(
        milestone.project, actor, f"milestones:{'remove' if at else 'restore'}"
    )
    require_active(milestone.project)
    if (milestone.archived_at is None) == (at is None):
        return milestone, False
    milestone.change({"archived_at": at}, now)
    _record(milestone, "archived" if at else "restored", now, actor)
    return milestone, True


def _record(
    milestone: MilestoneRow, verb: str, now: datetime, actor: Actor, **told: Any
) -> None:
    action = f"milestone.{verb}"
    record_activity(milestone.project, action, milestone.id, actor, now, **told)


def _where(query: ListMilestones) -> list[Any]:
    found: list[Any] = []
    if query.status is not None:
        found.append(MilestoneRow.status.in_(query.status))
    if query.bucket is not None:
        found.append(MilestoneRow.bucket.in_(query.bucket))
    if query.target_after is not None:
        found.append(MilestoneRow.target_at >= query.target_after)
    if query.target_before is not None:
        found.append(MilestoneRow.target_at < query.target_before)
    if query.updated_after is not None:
        found.append(MilestoneRow.updated_at >= query.updated_after)
    return found


class MilestoneProgress(Schema):
    """`percent` is of what was not cancelled, null where nothing is left."""

    milestone_id: Id
    total: int
    by_status: dict[WorkStatus, int]
    open: int
    done: int
    percent: int | None
    overdue: int


def progress_of(milestone: MilestoneRow, now: datetime) -> MilestoneProgress:
    """Count the items of the milestone; archived ones count nowhere."""
    count = fn.COUNT(WorkItemRow.id)
    found = dict(
        _items(milestone.id, WorkItemRow.status, count)
        .group_by(WorkItemRow.status)
        .tuples()
    )
    counts = {status: found.get(status, 0) for status in get_args(WorkStatus)}
    total, done = sum(counts.values()), counts["done"]
    kept = total - counts["cancelled"]
    return MilestoneProgress(
        milestone_id=milestone.id,
        total=total,
        by_status=counts,
        open=kept - done,
        done=done,
        percent=100 * done // kept if kept else None,
        overdue=_open(milestone.id).where(WorkItemRow.due_at < now).count(),
    )


def open_items(milestone_id: str) -> int:
    return int(_open(milestone_id).count())


def _open(milestone_id: str) -> Any:
    return _items(milestone_id).where(WorkItemRow.status.not_in(OVER))


def _items(milestone_id: str, *columns: Any) -> Any:
    """Select the items of the milestone that are not archived."""
    of_it = (WorkItemRow.milestone == milestone_id) & WorkItemRow.archived_at.is_null()
    return WorkItemRow.select(*columns).where(of_it)
