"""Check the work items of a bulk update, and name every item that prevents it."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from models.errors import (
    Archived,
    LimitExceeded,
    ProjectArchived,
    ReferenceNotFound,
    Refusal,
    RoleRequired,
    VersionConflict,
)
from models.projects.fields import Actor
from models.projects.members.role_checks import require_role
from models.projects.projects.rows import (
    ProjectRow,
    require_active,
    require_updated_at,
)
from models.projects.work.reference_checks import FieldError, describe_errors
from models.projects.work.rows import WorkItemRow

# Refusals by the id of the item that they are about.
Refusals = dict[str, Refusal]

# If items are refused for several reasons, the response is of the first kind here.
PRECEDENCE: tuple[type[Refusal], ...] = (
    ReferenceNotFound,
    RoleRequired,
    VersionConflict,
    ProjectArchived,
    Archived,
    LimitExceeded,
)


def changeable_items(
    ids: list[str], expected: dict[str, datetime], actor: Actor
) -> list[WorkItemRow]:
    """
    Return the items with their projects.

    Raise one refusal that names each item that is unknown, not allowed, changed since
    the expected time, archived, or of an archived project.
    """
    query = WorkItemRow.select(WorkItemRow, ProjectRow).join(ProjectRow)
    items = {row.id: row for row in query.where(WorkItemRow.id.in_(ids))}
    projects = {item.project_id: item.project for item in items.values()}
    role_refusals = {
        id: _refusal_by(require_role, project, actor, "work-items:bulk-update")
        for id, project in projects.items()
    }
    refusals: dict[str, Refusal | None] = {
        id: ReferenceNotFound(f"Is not a work item: {id}.") for id in ids
    }
    for id, item in items.items():
        refusals[id] = (
            role_refusals[item.project_id]
            or _refusal_by(require_updated_at, item, expected.get(id))
            or _refusal_by(require_active, item.project, item)
        )
    raise_for_items(ids, {id: found for id, found in refusals.items() if found})
    return [items[id] for id in ids]


def raise_for_items(ids: list[str], refusals: Refusals) -> None:
    """Raise one refusal with an error for each refused item, if there are any."""
    for kind in PRECEDENCE:
        of_kind = {id: one for id, one in refusals.items() if isinstance(one, kind)}
        if of_kind:
            errors = _errors(ids, refusals)
            members = _members(of_kind)
            raise kind(describe_errors(errors), errors=errors, **members)


def _refusal_by(check: Callable[..., None], *args: Any) -> Refusal | None:
    try:
        check(*args)
    except Refusal as refusal:
        return refusal
    return None


def _errors(ids: list[str], refusals: Refusals) -> list[FieldError]:
    return [
        {
            "pointer": f"/ids/{index}",
            "code": "unknown"
            if isinstance(refusals[id], ReferenceNotFound)
            else refusals[id].kind,
            "id": id,
            "detail": refusals[id].detail,
        }
        for index, id in enumerate(ids)
        if id in refusals
    ]


def _members(refusals: Refusals) -> dict[str, Any]:
    """Return the extension members of refusals of one kind; `current` is by item."""
    current = {
        id: refusal.members["current"]
        for id, refusal in refusals.items()
        if "current" in refusal.members
    }
    members = dict(next(iter(refusals.values())).members)
    return members | {"current": current} if current else members
