"""Labels: of one project, or global and then an operator's."""

from collections.abc import Collection
from datetime import datetime
from typing import Annotated, Any, Literal

from peewee import Case, fn
from pydantic import Field

from models.base import Schema, epoch_ms, new_id
from models.errors import LabelNotFound, LimitExceeded, NameTaken, RoleRequired
from models.fields import SLUG, Id, MayOmit, Moment
from models.pagination import CursorQuery, Limit, Page, ascending, cursor_page
from models.projects.fields import Actor, OfProject
from models.projects.members.role_checks import require_role
from models.projects.planning.rows import LabelRow, label_with
from models.projects.projects.activity import record_activity, told_changes
from models.projects.projects.rows import ProjectRow, project_with, require_active
from models.projects.projects.visibility import in_projects
from models.projects.work.rows import WorkItemRow, WorkLabelRow

MOST_LABELS = 500

LabelName = Annotated[str, Field(min_length=1, max_length=48, pattern=SLUG)]
LabelStart = Annotated[str, Field(min_length=1, max_length=48)]


class Label(Schema):
    id: Id
    project_id: Id | None
    name: str
    created_at: Moment


class RemovedLabel(Schema):
    id: Id
    project_id: Id | None
    name: str
    detached: int


class ListLabels(OfProject, CursorQuery):
    scope: Literal["all", "project", "global"] = "all"
    q: LabelStart | None = None
    limit: Limit = 100


class CreateLabel(Schema):
    name: LabelName
    project_id: MayOmit[Id] = None


class AdminCreateLabel(Schema):
    name: LabelName
    merge_project_labels: bool = False


class UpdateLabel(Schema):
    id: Id
    name: LabelName


class RemoveLabel(Schema):
    id: Id


def labels_listed(query: ListLabels) -> Page[LabelRow]:
    """Return a page: those of the project with the global ones, by name."""
    rows = LabelRow.select()
    ours = in_projects(LabelRow.select(LabelRow.id), LabelRow, query)
    is_global = LabelRow.project.is_null()
    found = {
        "all": LabelRow.id.in_(ours) | is_global,
        "project": LabelRow.id.in_(ours) & ~is_global,
        "global": is_global,
    }
    rows = rows.where(found[query.scope])
    if query.q is not None:
        rows = rows.where(LabelRow.name.startswith(query.q))
    return cursor_page(rows, query, ascending(LabelRow.name), ascending(LabelRow.id))


def create_label(
    request: CreateLabel, now: datetime, actor: Actor, *, is_admin: bool
) -> LabelRow:
    """Add a label to a project; without one it is global, as an operator adds it."""
    if request.project_id is None:
        _require_admin("labels:create", is_admin)
        return create_global_label(AdminCreateLabel(name=request.name), now, actor)
    project = project_with(request.project_id)
    require_role(project, actor, "labels:create")
    require_active(project)
    _require_free(project, request.name)
    if LabelRow.select().where(LabelRow.project == project.id).count() >= MOST_LABELS:
        raise LimitExceeded(
            f"The project '{project.slug}' has {MOST_LABELS} labels, which is the most."
        )
    label = _made(project, request.name, now)
    _record(label, "project.label-added", now, actor)
    return label


def create_global_label(
    request: AdminCreateLabel, now: datetime, actor: Actor
) -> LabelRow:
    """
    Add a label for every project.

    With merge_project_labels it takes the place of the labels that projects have
    by its name, in archived projects too: none may keep two of one name.
    """
    if not request.merge_project_labels:
        _require_free(None, request.name)
    elif _taken(None, request.name):
        raise _taken_globally(request.name)
    label = _made(None, request.name, now)
    if request.merge_project_labels:
        merge_labels(label, now, actor)
    return label


def update_label(
    request: UpdateLabel, now: datetime, actor: Actor, *, is_admin: bool
) -> tuple[LabelRow, str | None]:
    """Rename the label; return it with its old name, None where it stays."""
    label = label_with(request.id)
    _require_may_change(label, actor, "labels:update", is_admin=is_admin)
    old = label.name
    if old == request.name:
        return label, None
    _require_free(label.project, request.name)
    changes = label.change({"name": request.name}, now)
    _record(label, "project.label-updated", now, actor, changes=told_changes(changes))
    return label, old


def remove_label(
    request: RemoveLabel, now: datetime, actor: Actor, *, is_admin: bool
) -> tuple[LabelRow, int]:
    """Remove the label from wherever it is; tell from how many items it went."""
    label = label_with(request.id)
    _require_may_change(label, actor, "labels:remove", is_admin=is_admin)
    detached = detach_label(label, now)
    _record(label, "project.label-removed", now, actor, detached=detached)
    return label, detached


def global_label_with(id: str) -> LabelRow:
    label = label_with(id)
    if label.project_id is not None:
        raise LabelNotFound(f"No global label has the id '{id}'.")
    return label


def _require_may_change(
    label: LabelRow, actor: Actor, case: str, *, is_admin: bool
) -> None:
    """A global label stands above the projects, archived ones included."""
    if label.project is None:
        _require_admin(case, is_admin)
    else:
        require_role(label.project, actor, case)
        require_active(label.project)


def _require_admin(case: str, is_admin: bool) -> None:
    if not is_admin:
        admin = case.replace("labels:create", "labels:add")
        raise RoleRequired(
            f"{case.replace(':', '/')} of a global label needs the scope"
            f" projects:admin:{admin}.",
            requiredScope=f"projects:admin:{admin}",
        )


def _require_free(project: ProjectRow | None, name: str) -> None:
    """A picker never shows one name twice: the project's own and a global one."""
    if _taken(None, name):
        raise _taken_globally(name)
    if project is not None and _taken(project, name):
        raise NameTaken(f"The project '{project.slug}' already has a label '{name}'.")
    if project is None:
        is_used = (LabelRow.name == name) & LabelRow.project.is_null(False)
        projects = LabelRow.select().where(is_used).count()
        if projects:
            raise NameTaken(
                f"{projects} projects already have a label '{name}'. Add the global"
                " one with mergeProjectLabels to take the place of theirs.",
                projects=projects,
            )


def _taken_globally(name: str) -> NameTaken:
    return NameTaken(f"There is already a global label '{name}'.")


def _taken(project: ProjectRow | None, name: str) -> bool:
    of = LabelRow.project.is_null() if project is None else LabelRow.project == project
    return bool(LabelRow.select().where(of, LabelRow.name == name).exists())


def _made(project: ProjectRow | None, name: str, now: datetime) -> LabelRow:
    return LabelRow.create(id=new_id(now), project=project, name=name, created_at=now)


def _record(
    label: LabelRow, action: str, now: datetime, actor: Actor, **more: Any
) -> None:
    """Tell the label's project; a global one is told by the audit instead."""
    if label.project is not None:
        told = {"labelId": label.id, "name": label.name} | more
        record_activity(label.project, action, label.project.id, actor, now, **told)


def detach_label(label: LabelRow, now: datetime) -> int:
    """Remove the label; return from how many items, archived ones too, it went."""
    items = _touch_items_with(label, now)
    label.delete_instance()
    return items


def merge_labels(into: LabelRow, now: datetime, actor: Actor) -> None:
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
            actor,
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
    later = Case(None, [(at >= now, at + 1)], epoch_ms(now))
    query = WorkItemRow.update(updated_at=later).where(WorkItemRow.id.in_(bearers))
    return int(query.execute())


class LabelUse(Schema):
    """A label, and how many items in how many projects bear it."""

    label: Label
    uses: int
    projects: int


class ListGlobalLabels(CursorQuery):
    q: LabelStart | None = None
    limit: Limit = 100


def label_uses_listed(query: ListGlobalLabels) -> Page[dict[str, Any]]:
    """Return a page of the global labels by name; archived items count as well."""
    rows = LabelRow.select().where(LabelRow.project.is_null())
    if query.q is not None:
        rows = rows.where(LabelRow.name.startswith(query.q))
    page = cursor_page(rows, query, ascending(LabelRow.name), ascending(LabelRow.id))
    uses = uses_of([label.id for label in page.items])
    told = []
    for label in page.items:
        items, projects = uses.get(label.id, (0, 0))
        told.append({"label": label, "uses": items, "projects": projects})
    return Page(told, page.meta)
