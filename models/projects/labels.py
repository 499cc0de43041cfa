"""Labels: of one project, or global and then an operator's."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from models.base import Shape, new_id
from models.errors import LabelNotFound, LimitExceeded, NameTaken, RoleRequired
from models.pagination import CursorQuery, Limit, Page, ascending, page_of
from models.projects.activity import record_activity, told_changes
from models.projects.label import LabelRow, label_with
from models.projects.labelling import detach_label, merge_labels
from models.projects.listing import in_projects
from models.projects.members import require_role
from models.projects.project import ProjectRow, project_with, require_active
from models.projects.words import By, OfProject
from models.words import SLUG, Id, MayOmit, Moment

MOST_LABELS = 500

LabelName = Annotated[str, Field(min_length=1, max_length=48, pattern=SLUG)]
LabelStart = Annotated[str, Field(min_length=1, max_length=48)]


class Label(Shape):
    id: Id
    project_id: Id | None
    name: str
    created_at: Moment


class RemovedLabel(Shape):
    id: Id
    project_id: Id | None
    name: str
    detached: int


class ListLabels(OfProject, CursorQuery):
    scope: Literal["all", "project", "global"] = "all"
    q: LabelStart | None = None
    limit: Limit = 100


class CreateLabel(Shape):
    name: LabelName
    project_id: MayOmit[Id] = None


class AdminCreateLabel(Shape):
    name: LabelName
    merge_project_labels: bool = False


class UpdateLabel(Shape):
    id: Id
    name: LabelName


class RemoveLabel(Shape):
    id: Id


def labels_listed(asked: ListLabels) -> Page[LabelRow]:
    """Return a page: those of the project with the global ones, by name."""
    query = LabelRow.select()
    ours = in_projects(LabelRow.select(LabelRow.id), LabelRow, asked)
    is_global = LabelRow.project.is_null()
    found = {
        "all": LabelRow.id.in_(ours) | is_global,
        "project": LabelRow.id.in_(ours) & ~is_global,
        "global": is_global,
    }
    query = query.where(found[asked.scope])
    if asked.q is not None:
        query = query.where(LabelRow.name.startswith(asked.q))
    return page_of(query, asked, ascending(LabelRow.name), ascending(LabelRow.id))


def create_label(
    asked: CreateLabel, now: datetime, by: By, *, is_admin: bool
) -> LabelRow:
    """Add a label to a project; without one it is global, as an operator adds it."""
    if asked.project_id is None:
        _require_admin("labels:create", is_admin)
        return create_global_label(AdminCreateLabel(name=asked.name), now, by)
    project = project_with(asked.project_id)
    require_role(project, by, "labels:create")
    require_active(project)
    _require_free(project, asked.name)
    if LabelRow.select().where(LabelRow.project == project.id).count() >= MOST_LABELS:
        raise LimitExceeded(
            f"The project '{project.slug}' has {MOST_LABELS} labels, which is the most."
        )
    label = _made(project, asked.name, now)
    _record(label, "project.label-added", now, by)
    return label


def create_global_label(asked: AdminCreateLabel, now: datetime, by: By) -> LabelRow:
    """
    Add a label for every project.

    With merge_project_labels it takes the place of the labels that projects have
    by its name, in archived projects too: none may keep two of one name.
    """
    if not asked.merge_project_labels:
        _require_free(None, asked.name)
    elif _taken(None, asked.name):
        raise _taken_globally(asked.name)
    label = _made(None, asked.name, now)
    if asked.merge_project_labels:
        merge_labels(label, now, by)
    return label


def update_label(
    asked: UpdateLabel, now: datetime, by: By, *, is_admin: bool
) -> tuple[LabelRow, str | None]:
    """Rename the label; return it with its old name, None where it stays."""
    label = label_with(asked.id)
    _require_may_change(label, by, "labels:update", is_admin=is_admin)
    old = label.name
    if old == asked.name:
        return label, None
    _require_free(label.project, asked.name)
    changes = label.change({"name": asked.name}, now)
    _record(label, "project.label-updated", now, by, changes=told_changes(changes))
    return label, old


def remove_label(
    asked: RemoveLabel, now: datetime, by: By, *, is_admin: bool
) -> tuple[LabelRow, int]:
    """Remove the label from wherever it is; tell from how many items it went."""
    label = label_with(asked.id)
    _require_may_change(label, by, "labels:remove", is_admin=is_admin)
    detached = detach_label(label, now)
    _record(label, "project.label-removed", now, by, detached=detached)
    return label, detached


def global_label_with(id: str) -> LabelRow:
    label = label_with(id)
    if label.project_id is not None:
        raise LabelNotFound(f"No global label has the id '{id}'.")
    return label


def _require_may_change(label: LabelRow, by: By, case: str, *, is_admin: bool) -> None:
    """A global label stands above the projects, archived ones included."""
    if label.project is None:
        _require_admin(case, is_admin)
    else:
        require_role(label.project, by, case)
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


def _record(label: LabelRow, action: str, now: datetime, by: By, **more: Any) -> None:
    """Tell the label's project; a global one is told by the audit instead."""
    if label.project is not None:
        told = {"labelId": label.id, "name": label.name} | more
        record_activity(label.project, action, label.project.id, by, now, **told)
