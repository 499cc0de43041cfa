"""Create, list, update, archive and restore milestones, and report their progress."""

from datetime import datetime
from typing import Annotated, Any, Literal, get_args

from peewee import fn
from pydantic import Field, model_validator

from models.base import Schema, new_id
from models.fields import (
    ID,
    STATUS,
    TRIMMED,
    CreatedAt,
    Id,
    MayOmit,
    Moment,
    SingleLine,
    UpdatedAt,
)
from models.instants import is_settled
from models.pagination import CursorQuery, Page, cursor_page
from models.projects import descriptions
from models.projects.fields import (
    EXAMPLE_TIME,
    Actor,
    ArchivedAt,
    ArchivedFilter,
    CommaSeparated,
    ExpectedUpdatedAt,
    NullIfEmpty,
    Order,
    ProjectId,
    ProjectQuery,
    UpdatedAfter,
    sort_keys,
)
from models.projects.members.role_checks import require_role
from models.projects.planning.rows import MilestoneRow, milestone_with
from models.projects.projects.activity import changes_to_json, record_activity
from models.projects.projects.rows import (
    filter_by_project,
    project_with,
    require_active,
    require_updated_at,
)
from models.projects.work.blockers import CLOSED_STATUSES
from models.projects.work.items import Bucket, WorkStatus
from models.projects.work.rows import WorkItemRow

MilestoneStatus = Literal["planned", "active", "completed", "cancelled"]
MilestoneName = Annotated[str, TRIMMED, Field(min_length=1, max_length=120), SingleLine]
MilestoneDescription = NullIfEmpty[Annotated[str, Field(max_length=10_000)]]

# What several fields mean.
TargetAt = Annotated[
    Moment, Field(description="The target date.", examples=[EXAMPLE_TIME])
]


class Milestone(Schema):
    id: Annotated[Id, ID]
    project_id: ProjectId
    name: Annotated[str, descriptions.NAME]
    description: Annotated[str | None, descriptions.DESCRIPTION]
    status: Annotated[MilestoneStatus, STATUS]
    bucket: Annotated[Bucket, descriptions.BUCKET]
    target_at: TargetAt | None
    created_at: CreatedAt
    updated_at: UpdatedAt
    archived_at: ArchivedAt | None


class ListMilestones(ProjectQuery, CursorQuery, example=("projectSlug",)):
    status: Annotated[CommaSeparated[MilestoneStatus] | None, STATUS] = None
    bucket: Annotated[CommaSeparated[Bucket] | None, descriptions.BUCKET] = None
    archived: Annotated[ArchivedFilter, descriptions.ARCHIVED] = "exclude"
    target_after: Moment | None = Field(
        default=None,
        description="Only milestones with a target date at this time or later.",
        examples=[EXAMPLE_TIME],
    )
    target_before: Moment | None = Field(
        default=None,
        description="Only milestones with a target date before this time.",
        examples=[EXAMPLE_TIME],
    )
    updated_after: UpdatedAfter | None = None
    sort: Annotated[
        Literal["targetAt", "name", "createdAt", "updatedAt"], descriptions.SORT
    ] = "targetAt"
    order: Order | None = None


class GetMilestone(Schema):
    id: Annotated[Id, ID]


class CreateMilestone(Schema):
    project_id: ProjectId
    name: Annotated[MilestoneName, descriptions.NAME]
    description: Annotated[MilestoneDescription, descriptions.DESCRIPTION] = None
    status: Annotated[MilestoneStatus, STATUS] = "planned"
    bucket: Annotated[Bucket, descriptions.BUCKET] = "none"
    target_at: TargetAt | None = None


class UpdateMilestone(Schema, example=("status",)):
    id: Annotated[Id, ID]
    name: Annotated[MayOmit[MilestoneName], descriptions.NAME] = None
    description: Annotated[MilestoneDescription, descriptions.DESCRIPTION] = None
    status: Annotated[MayOmit[MilestoneStatus], STATUS] = None
    bucket: Annotated[MayOmit[Bucket], descriptions.BUCKET] = None
    target_at: TargetAt | None = None
    expected_updated_at: MayOmit[ExpectedUpdatedAt] = None

    @model_validator(mode="after")
    def _has_changes(self) -> "UpdateMilestone":
        if not self.model_fields_set - {"id", "expected_updated_at"}:
            raise ValueError("Give at least one field to change.")
        return self


class RemoveMilestone(Schema):
    id: Annotated[Id, ID]


class MilestoneProgress(Schema):
    """
    The number of work items in a milestone, by status.

    `percent` is the share of done items among those not cancelled, or null if there
    are none.
    """

    milestone_id: Annotated[Id, descriptions.MILESTONE_ID]
    total: int = Field(description="The total number of work items.", examples=[4])
    by_status: dict[WorkStatus, int] = Field(
        description="The number of work items in each status.",
        examples=[{"done": 3, "in_progress": 1}],
    )
    open: int = Field(description="The number of open work items.")
    done: int = Field(description="The number of completed work items.")
    percent: int | None = Field(
        description="The percentage of work that is done.", examples=[75]
    )
    overdue: int = Field(
        description="The number of open work items past their due date.", examples=[0]
    )


SORT_FIELDS = {
    "targetAt": MilestoneRow.target_at,
    "name": MilestoneRow.name,
    "createdAt": MilestoneRow.created_at,
    "updatedAt": MilestoneRow.updated_at,
}


def list_milestones(query: ListMilestones) -> Page[MilestoneRow]:
    """Return a page, by default by target; milestones without a target come last."""
    rows = filter_by_project(MilestoneRow.select(), MilestoneRow, query)
    if query.archived != "include":
        is_archived = MilestoneRow.archived_at.is_null(query.archived != "only")
        rows = rows.where(is_archived)
    if query.status is not None:
        rows = rows.where(MilestoneRow.status.in_(query.status))
    if query.bucket is not None:
        rows = rows.where(MilestoneRow.bucket.in_(query.bucket))
    if query.target_after is not None:
        rows = rows.where(MilestoneRow.target_at >= query.target_after)
    if query.target_before is not None:
        rows = rows.where(MilestoneRow.target_at < query.target_before)
    if query.updated_after is not None:
        updated_at = MilestoneRow.updated_at
        is_later = updated_at >= query.updated_after
        rows = rows.where(is_later, *is_settled(updated_at))
    order = query.order or ("asc" if query.sort == "targetAt" else None)
    sort = sort_keys(SORT_FIELDS[query.sort], order, MilestoneRow.id)
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
    _record_activity(milestone, "created", now, actor, name=milestone.name)
    return milestone


def update_milestone(
    request: UpdateMilestone, now: datetime, actor: Actor
) -> tuple[MilestoneRow, bool]:
    """
    Change the given fields; return the milestone and whether anything changed.

    Any status may follow any other. The status does not change the work items.
    """
    milestone = milestone_with(request.id)
    require_role(milestone.project, actor, "milestones:update")
    require_updated_at(milestone, request.expected_updated_at)
    require_active(milestone.project, milestone)
    values = request.sent_fields()
    for name in ("id", "expected_updated_at"):
        values.pop(name, None)
    changes = changes_to_json(milestone.change(values, now))
    is_changed = bool(changes)
    status = changes.pop("status", None)
    if changes:
        _record_activity(milestone, "updated", now, actor, changes=changes)
    if status:
        if milestone.status == "completed":
            status["openItems"] = int(_open_items(milestone.id).count())
        _record_activity(milestone, "status-changed", now, actor, **status)
    return milestone, is_changed


def archive_milestone(
    request: RemoveMilestone, now: datetime, actor: Actor
) -> tuple[MilestoneRow, bool]:
    """
    Archive the milestone; return it and whether it was active before.

    Its work items still belong to it.
    """
    milestone = milestone_with(request.id)
    require_role(milestone.project, actor, "milestones:remove")
    require_active(milestone.project)
    if milestone.archived_at is not None:
        return milestone, False
    milestone.change({"archived_at": now}, now)
    _record_activity(milestone, "archived", now, actor)
    return milestone, True


def restore_milestone(
    request: RemoveMilestone, now: datetime, actor: Actor
) -> tuple[MilestoneRow, bool]:
    """Restore the milestone; return it and whether it was archived before."""
    milestone = milestone_with(request.id)
    require_role(milestone.project, actor, "milestones:restore")
    require_active(milestone.project)
    if not milestone.change({"archived_at": None}, now):
        return milestone, False
    _record_activity(milestone, "restored", now, actor)
    return milestone, True


def milestone_progress(milestone: MilestoneRow, now: datetime) -> MilestoneProgress:
    """Count the milestone's work items, except archived ones."""
    query = (
        _items(milestone.id, WorkItemRow.status, fn.COUNT(WorkItemRow.id))
        .group_by(WorkItemRow.status)
        .tuples()
    )
    counts = dict.fromkeys(get_args(WorkStatus), 0) | dict(query)
    total, done = sum(counts.values()), counts["done"]
    not_cancelled = total - counts["cancelled"]
    return MilestoneProgress(
        milestone_id=milestone.id,
        total=total,
        by_status=counts,
        open=not_cancelled - done,
        done=done,
        percent=100 * done // not_cancelled if not_cancelled else None,
        overdue=_open_items(milestone.id).where(WorkItemRow.due_at < now).count(),
    )


def _open_items(milestone_id: str) -> Any:
    return _items(milestone_id).where(WorkItemRow.status.not_in(CLOSED_STATUSES))


def _items(milestone_id: str, *columns: Any) -> Any:
    """Select the milestone's work items that are not archived."""
    return WorkItemRow.select(*columns).where(
        (WorkItemRow.milestone == milestone_id) & WorkItemRow.archived_at.is_null()
    )


def _record_activity(
    milestone: MilestoneRow, verb: str, now: datetime, actor: Actor, **metadata: Any
) -> None:
    action = f"milestone.{verb}"
    record_activity(milestone.project, action, milestone.id, actor, now, **metadata)
