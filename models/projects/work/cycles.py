"""Rings of relationships: the way that leads from one work item to another."""

from collections import deque

from models.errors import RelationshipCycle
from models.projects.work.rows import WorkItemRow
from models.storage.database import database

# Kinds in which nothing may lead back to itself.
ACYCLIC = ("blocks", "supersedes")
# A long way is told by its ends.
TOLD = 5

# One look-up for each item on the way, by the index alone. A chain of 20,000 takes
# half the time of a recursive query that would have to return its steps as well.
NEXT = (
    "SELECT target_id FROM work_relationship WHERE source_id = ? AND relationship = ?"
)


def way(relationship: str, start: str, end: str) -> list[str]:
    """Return the shortest way along stored relationships; empty where none is."""
    cursor = database.connection().cursor()
    came_from = {start: ""}
    queue = deque([start])
    while queue and end not in came_from:
        here = queue.popleft()
        for (each,) in cursor.execute(NEXT, (here, relationship)):
            if each not in came_from:
                came_from[each] = here
                queue.append(each)
    return _back(came_from, end) if end in came_from else []


def require_no_ring(
    source: WorkItemRow, target: WorkItemRow, relationship: str
) -> None:
    """Refuse a relationship whose target already leads back to its source."""
    if relationship not in ACYCLIC:
        return
    ids = way(relationship, target.id, source.id)
    if ids:
        raise RelationshipCycle(
            f"{relationship} may not lead back to itself: {_told([source.id, *ids])}."
        )


def _back(came_from: dict[str, str], end: str) -> list[str]:
    found = [end]
    while came_from[found[-1]]:
        found.append(came_from[found[-1]])
    return found[::-1]


def _told(ids: list[str]) -> str:
    """Name the items on the way, of a long one those at its ends."""
    first, last = ids, []
    if len(ids) > 2 * TOLD:
        first, last = ids[:TOLD], ids[-TOLD:]
    rows = WorkItemRow.select().where(WorkItemRow.id.in_([*first, *last]))
    names = {row.id: row.name for row in rows}
    told = [names[id] for id in first]
    if last:
        told += [f"({len(ids) - 2 * TOLD} more)", *(names[id] for id in last)]
    return " → ".join(told)
