"""Open blockers: what still stands in the way of a work item."""

from typing import Any

from models.projects.projects.rows import ProjectRow
from models.projects.work.rows import WorkItemRow, WorkRelationshipRow

# Work in these is over: it blocks nothing any more.
OVER = ("done", "cancelled")
# Work in these has not begun.
WAITING = ("backlog", "planned")

Blocker: Any = WorkItemRow.alias("blocker")
Home: Any = ProjectRow.alias("home")


def open_blocks(*columns: Any) -> Any:
    """Select from the relationships whose source still blocks its target."""
    return (
        WorkRelationshipRow.select(*columns)
        .join(Blocker, on=(WorkRelationshipRow.source == Blocker.id))
        .join(Home, on=(Blocker.project == Home.id))
        .where(
            WorkRelationshipRow.relationship == "blocks",
            Blocker.status.not_in(OVER),
            Blocker.archived_at.is_null(),
            Home.archived_at.is_null(),
        )
    )


def open_blockers(item: WorkItemRow) -> list[WorkItemRow]:
    """Return what blocks the item, oldest relationship first."""
    ids = [
        id
        for (id,) in open_blocks(Blocker.id)
        .where(WorkRelationshipRow.target == item.id)
        .order_by(WorkRelationshipRow.number)
        .tuples()
    ]
    rows = {row.id: row for row in WorkItemRow.select().where(WorkItemRow.id.in_(ids))}
    return [rows[id] for id in ids]
