"""How far a milestone is: its items counted by status."""

from datetime import datetime
from typing import Any, get_args

from peewee import fn

from models.base import Shape
from models.projects.blockers import OVER
from models.projects.milestone import MilestoneRow
from models.projects.work_item import WorkItemRow
from models.projects.work_items import WorkStatus
from models.words import Id


class MilestoneProgress(Shape):
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
