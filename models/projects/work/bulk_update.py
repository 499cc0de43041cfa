"""One change to many work items: to all of them, or to none."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, NamedTuple

from pydantic import Field, model_validator

from models.base import Schema, new_id
from models.errors import (
    Archived,
    LimitExceeded,
    ProjectArchived,
    VersionConflict,
)
from models.fields import Id, MayOmit, Moment, format_moment
from models.projects.fields import Actor
from models.projects.members.role_checks import require_role
from models.projects.projects.rows import ProjectRow
from models.projects.work.items import (
    MOST_ASSIGNEES,
    MOST_LABELS,
    Assignees,
    Bucket,
    Labels,
    Once,
    Priority,
    WorkStatus,
    WorkType,
)
from models.projects.work.links import with_ties
from models.projects.work.reference_checks import Missing, missing, require_all
from models.projects.work.rows import WorkItemRow
from models.projects.work.saving import save


class WorkChanges(Schema):
    """What becomes of every item; lists gain and lose, and are not replaced."""

    status: MayOmit[WorkStatus] = None
    priority: MayOmit[Priority] = None
    bucket: MayOmit[Bucket] = None
    type: MayOmit[WorkType] = None
    milestone_id: Id | None = None
    due_at: Moment | None = None
    add_label_ids: MayOmit[Labels] = None
    remove_label_ids: MayOmit[Labels] = None
    add_assignee_ids: MayOmit[Assignees] = None
    remove_assignee_ids: MayOmit[Assignees] = None

    @model_validator(mode="after")
    def _says_something(self) -> "WorkChanges":
        if not self.model_fields_set:
            raise ValueError("Give at least one change.")
        return self


class BulkUpdateWorkItems(Schema):
    ids: Annotated[list[Id], Field(min_length=1, max_length=100), Once]
    changes: WorkChanges
    expected: dict[Id, Moment] = {}

    @model_validator(mode="after")
    def _expects_of_these(self) -> "BulkUpdateWorkItems":
        if not self.expected.keys() <= set(self.ids):
            raise ValueError("expected may only name ids that are to change.")
        return self


class Gains(NamedTuple):
    """A list of an item: the changes that add and remove, and how long it may be."""

    name: str
    add: str
    remove: str
    most: int


LISTS = (
    Gains("label_ids", "add_label_ids", "remove_label_ids", MOST_LABELS),
    Gains("assignee_ids", "add_assignee_ids", "remove_assignee_ids", MOST_ASSIGNEES),
)


def bulk_update_work_items(
    request: BulkUpdateWorkItems, now: datetime, actor: Actor
) -> tuple[list[WorkItemRow], bool]:
    """Change all the items, in the order given; tell whether any changed."""
    items = _items(request.ids)
    projects = {item.project_id: item.project for item in items}
    for project in projects.values():
        require_role(project, actor, "work-items:bulk-update")
    _require_expected(items, request.expected)
    _require_active(items, projects.values())
    with_ties(items)
    _require_usable(items, request.changes)
    wanted = [_wanted(item, request.changes) for item in items]
    _require_room(items, wanted)
    batch = {"batchId": new_id(now), "batchSize": len(items)}
    changed = [
        save(item, members, now, actor, **batch)
        for item, members in zip(items, wanted, strict=True)
    ]
    return items, any(changed)


def _items(ids: list[str]) -> list[WorkItemRow]:
    """Return the items in this order, each with its project; name all unknown ones."""
    query = WorkItemRow.select(WorkItemRow, ProjectRow).join(ProjectRow)
    found = {row.id: row for row in query.where(WorkItemRow.id.in_(ids))}
    unknown = [
        {
            "pointer": f"/ids/{place}",
            "code": "unknown",
            "detail": f"Is no work item: {id}.",
        }
        for place, id in enumerate(ids)
        if id not in found
    ]
    require_all(unknown)
    return [found[id] for id in ids]


def _require_expected(items: list[WorkItemRow], expected: dict[str, datetime]) -> None:
    """Refuse if any was changed meanwhile; `current` tells when each of those was."""
    behind = [i for i in items if expected.get(i.id, i.updated_at) != i.updated_at]
    if behind:
        raise VersionConflict(
            f"Changed since the time expected: {_told(behind)}.",
            current={item.id: format_moment(item.updated_at) for item in behind},
        )


def _require_active(items: list[WorkItemRow], projects: Iterable[ProjectRow]) -> None:
    closed = [each.slug for each in projects if each.archived_at is not None]
    if closed:
        raise ProjectArchived(
            f"Archived, so read-only, are the projects {', '.join(closed)}."
        )
    gone = [item for item in items if item.archived_at is not None]
    if gone:
        raise Archived(f"Archived, so read-only, are {_told(gone)}.")


def _require_usable(items: list[WorkItemRow], changes: WorkChanges) -> None:
    """Refuse what any of the items may not name; say each only once."""
    named = {"milestone_id": changes.milestone_id}
    named |= {each.name: getattr(changes, each.add) for each in LISTS}
    found: dict[tuple[str, str], Missing] = {}
    for item in items:
        for error in missing(item.project, named, held=item):
            member, *place = error["pointer"].removeprefix("/").split("/")
            said = member if not place else f"add{member[0].upper()}{member[1:]}"
            pointer = "/".join(["/changes", said, *place])
            found[pointer, error["detail"]] = error | {"pointer": pointer}
    require_all(list(found.values()))


def _wanted(item: WorkItemRow, changes: WorkChanges) -> dict[str, Any]:
    """Return what the item is to have; what is both added and removed goes."""
    wanted = changes.sent_fields()
    for name, add, remove, _ in LISTS:
        come, go = wanted.pop(add, None) or [], wanted.pop(remove, None) or []
        old = getattr(item, name)
        all = list(dict.fromkeys([*old, *come]))
        wanted[name] = [each for each in all if each not in go]
    return wanted


def _require_room(items: list[WorkItemRow], wanted: list[dict[str, Any]]) -> None:
    for name, *_, most in LISTS:
        pairs = zip(items, wanted, strict=True)
        full = [item for item, members in pairs if len(members[name]) > most]
        if full:
            noun = name.removesuffix("_ids")
            raise LimitExceeded(f"More than {most} {noun}s would have {_told(full)}.")


def _told(items: list[WorkItemRow]) -> str:
    return ", ".join(item.name for item in items)
