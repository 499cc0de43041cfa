"""Find the open blockers of work items."""

from typing import Any

from models.projects.projects.rows import ProjectRow
from models.projects.work.rows import WorkItemRow, WorkRelationshipRow

# Closed work items block nothing.
CLOSED_STATUSES = ("done", "cancelled")
NOT_STARTED_STATUSES = ("backlog", "planned")

Blocker: Any = WorkItemRow.alias("blocker")
BlockerProject: Any = ProjectRow.alias("blocker_project")


def open_block_rows(*columns: Any) -> Any:
    """
    Select from the relationships whose source still blocks their target.

    Archived work items, and those of archived projects, block nothing.
    """
    return (
        WorkRelationshipRow.select(*columns)
        .join(Blocker, on=(WorkRelationshipRow.source == Blocker.id))
        .join(BlockerProject, on=(Blocker.project == BlockerProject.id))
        .where(
            WorkRelationshipRow.relationship == "blocks",
            Blocker.status.not_in(CLOSED_STATUSES),
            Blocker.archived_at.is_null(),
            BlockerProject.archived_at.is_null(),
        )
    )


def open_blockers(item: WorkItemRow) -> list[WorkItemRow]:
    """Return the work items that block the item, by the age of the relationship."""
    query = (
        open_block_rows(Blocker.id)
        .where(WorkRelationshipRow.target == item.id)
        .order_by(WorkRelationshipRow.number)
    )
    ids = [id for (id,) in query.tuples()]
    rows = {row.id: row for row in WorkItemRow.select().where(WorkItemRow.id.in_(ids))}
    return [rows[id] for id in ids]
