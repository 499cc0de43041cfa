"""Refuse relationships that would form a cycle between work items."""

from collections import deque

from models.errors import RelationshipCycle
from models.projects.work.rows import WorkItemRow
from models.storage.database import database

# Of these kinds, a chain of relationships must not lead back to its start.
ACYCLIC = ("blocks", "supersedes")
# An error names this many work items at each end of a long path.
MAX_NAMED_PER_END = 5

# One look-up in the index for each item on the path. A chain of 20,000 takes half the
# time of a recursive query, which would also have to return its steps.
TARGETS_SQL = (
    "SELECT target_id FROM work_relationship WHERE source_id = ? AND relationship = ?"
)


def shortest_path(relationship: str, start: str, end: str) -> list[str]:
    """Return the ids on the shortest path from start to end, or [] if there is none."""
    cursor = database.connection().cursor()
    predecessors = {start: ""}
    queue = deque([start])
    while queue and end not in predecessors:
        id = queue.popleft()
        for (target,) in cursor.execute(TARGETS_SQL, (id, relationship)):
            if target not in predecessors:
                predecessors[target] = id
                queue.append(target)
    return _path_to(end, predecessors) if end in predecessors else []


def require_no_cycle(
    source: WorkItemRow, target: WorkItemRow, relationship: str
) -> None:
    """Raise RelationshipCycle if the target already leads back to the source."""
    if relationship not in ACYCLIC:
        return
    path = shortest_path(relationship, target.id, source.id)
    if path:
        raise RelationshipCycle(
            f"{relationship} must not form a cycle: {_format_path([source.id, *path])}."
        )


def _path_to(end: str, predecessors: dict[str, str]) -> list[str]:
    path = [end]
    while predecessors[path[-1]]:
        path.append(predecessors[path[-1]])
    return path[::-1]


def _format_path(ids: list[str]) -> str:
    """Name the work items on the path; leave out the middle of a long one."""
    first, last = ids, []
    if len(ids) > 2 * MAX_NAMED_PER_END:
        first, last = ids[:MAX_NAMED_PER_END], ids[-MAX_NAMED_PER_END:]
    rows = WorkItemRow.select().where(WorkItemRow.id.in_([*first, *last]))
    names = {row.id: row.name for row in rows}
    steps = [names[id] for id in first]
    if last:
        omitted = len(ids) - 2 * MAX_NAMED_PER_END
        steps += [f"({omitted} more)", *(names[id] for id in last)]
    return " → ".join(steps)
