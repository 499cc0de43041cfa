"""What items bear a label: counted, detached, moved to another."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from peewee import Case, fn

from models.base import milliseconds
from models.projects.activity import record_activity
from models.projects.label import LabelRow
from models.projects.words import By
from models.projects.work_item import WorkItemRow, WorkLabelRow


def detach_label(label: LabelRow, now: datetime) -> int:
    """Remove the label; return from how many items, archived ones too, it went."""
    items = _touch_items_with(label, now)
    label.delete_instance()
    return items


def merge_labels(into: LabelRow, now: datetime, by: By) -> None:
    """Let the global label take the place of each project's label of its name."""
    has_name = (LabelRow.name == into.name) & LabelRow.project.is_null(False)
    labels: Any = LabelRow.select().where(has_name).order_by(LabelRow.id)
    for label in labels:
        items = _touch_items_with(label, now)
        bears = WorkLabelRow.label == label.id
        WorkLabelRow.update(label=into.id).where(bears).execute()
        label.delete_instance()
        record_activity(
            label.project,
            "project.label-removed",
            label.project_id,
            by,
            now,
            labelId=label.id,
            name=label.name,
            detached=items,
            mergedInto=into.id,
        )


def uses_of(ids: Collection[str]) -> dict[str, tuple[int, int]]:
    """Return, by label, how many items bear it, and in how many projects."""
    counts = fn.COUNT(WorkItemRow.id), fn.COUNT(WorkItemRow.project.distinct())
    query: Any = (
        WorkLabelRow.select(WorkLabelRow.label, *counts)
        .join(WorkItemRow)
        .where(WorkLabelRow.label.in_(ids))
        .group_by(WorkLabelRow.label)
        .tuples()
    )
    return {id: (items, projects) for id, items, projects in query}


def _touch_items_with(label: LabelRow, now: datetime) -> int:
    """Move the time of the label's items on: labels are members of theirs."""
    bearers = WorkLabelRow.select(WorkLabelRow.work).where(
        WorkLabelRow.label == label.id
    )
    at: Any = WorkItemRow.updated_at
    later = Case(None, [(at >= now, at + 1)], milliseconds(now))
    query = WorkItemRow.update(updated_at=later).where(WorkItemRow.id.in_(bearers))
    return int(query.execute())
