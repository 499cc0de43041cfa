"""Create, list, update, archive and restore milestones, and report their progress."""

from datetime import datetime
from typing import Annotated, Any, Literal, get_args

from peewee import fn
from pydantic import Field

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
from models.pagination import CursorQuery, Page, cursor_page, filter_rows
from models.projects import descriptions
from models.projects.fields import (
    EXAMPLE_TIME,
    Actor,
    ArchivedAt,
    ArchivedFilter,
    ChangeRequest,
    CommaSeparated,
    ExpectedUpdatedAt,
    NullIfEmpty,
    Order,
    ProjectId,
    ProjectQuery,
    UpdatedAfter,
    sort_keys,
    time_bound,
)
from models.projects.members.role_checks import require_role
from models.projects.planning.rows import MilestoneRow, milestone_with
from models.projects.projects.activity import (
    changes_to_json,
    record_activity,
    set_archived,
)
from models.projects.projects.rows import (
    filter_by_history,
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
    target_after: Moment | None = time_bound(
        "Only milestones with a target date at this time or later."
    )
    target_before: Moment | None = time_bound(
        "Only milestones with a target date before this time."
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


class UpdateMilestone(ChangeRequest, example=("status",)):
    id: Annotated[Id, ID]
    name: Annotated[MayOmit[MilestoneName], descriptions.NAME] = None
    description: Annotated[MilestoneDescription, descriptions.DESCRIPTION] = None
    status: Annotated[MayOmit[MilestoneStatus], STATUS] = None
    bucket: Annotated[MayOmit[Bucket], descriptions.BUCKET] = None
    target_at: TargetAt | None = None
    expected_updated_at: MayOmit[ExpectedUpdatedAt] = None


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


def list_milestones(query: ListMilestones) -> Page[MilestoneRow]:
    """Return a page, by default by target; milestones without a target come last."""
    rows = filter_by_project(MilestoneRow.select(), MilestoneRow, query)
    rows = filter_by_history(rows, MilestoneRow, query)
    rows = filter_rows(rows, MilestoneRow, query, "status", "bucket")
    if query.target_after is not None:
        rows = rows.where(MilestoneRow.target_at >= query.target_after)
    if query.target_before is not None:
        rows = rows.where(MilestoneRow.target_at < query.target_before)
    order = query.order or ("asc" if query.sort == "targetAt" else None)
    sort = sort_keys(MilestoneRow, query.sort, order)
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
    record_activity(milestone, "milestone.created", actor, now, name=milestone.name)
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
    changes = changes_to_json(milestone.change(request.changed_values(), now))
    is_changed = bool(changes)
    status = changes.pop("status", None)
    if changes:
        record_activity(milestone, "milestone.updated", actor, now, changes=changes)
    if status:
        if milestone.status == "completed":
            status["openItems"] = int(_open_items(milestone.id).count())
        record_activity(milestone, "milestone.status-changed", actor, now, **status)
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
    return milestone, set_archived(milestone, "milestone", True, now, actor)


def restore_milestone(
    request: RemoveMilestone, now: datetime, actor: Actor
) -> tuple[MilestoneRow, bool]:
    """Restore the milestone; return it and whether it was archived before."""
    milestone = milestone_with(request.id)
    require_role(milestone.project, actor, "milestones:restore")
    require_active(milestone.project)
    return milestone, set_archived(milestone, "milestone", False, now, actor)


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
