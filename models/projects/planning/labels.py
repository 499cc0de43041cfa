"""List, create, update and remove labels: of a project, or global ones of admins."""

from collections.abc import Collection
from datetime import datetime
from typing import Annotated, Any, Literal

from peewee import Case, ModelSelect, fn
from pydantic import Field

from models.base import Schema, epoch_ms, new_id
from models.errors import LabelNotFound, LimitExceeded, NameTaken, RoleRequired
from models.fields import ID, LIMIT, SLUG, CreatedAt, Id, MayOmit
from models.pagination import CursorQuery, Limit, Page, ascending, cursor_page
from models.projects import descriptions
from models.projects.fields import Actor, ProjectId, ProjectQuery
from models.projects.members.role_checks import require_role
from models.projects.planning.rows import LabelRow, label_with
from models.projects.projects.activity import changes_to_json, record_activity
from models.projects.projects.rows import (
    ProjectRow,
    filter_by_project,
    project_with,
    require_active,
)
from models.projects.work.rows import WorkItemRow, WorkLabelRow

MAX_PROJECT_LABELS = 500

LabelName = Annotated[str, Field(min_length=1, max_length=48, pattern=SLUG)]
LabelPrefix = Annotated[str, Field(min_length=1, max_length=48)]


class Label(Schema):
    id: Annotated[Id, ID]
    project_id: ProjectId | None
    name: Annotated[str, descriptions.LABEL_NAME]
    created_at: CreatedAt


class RemovedLabel(Schema):
    id: Annotated[Id, ID]
    project_id: ProjectId | None
    name: Annotated[str, descriptions.LABEL_NAME]
    detached: int = Field(
        description="The number of work items that had the label.", examples=[4]
    )


class LabelUse(Schema):
    """A global label, with the numbers of work items and projects that use it."""

    label: Label = Field(description="The label.")
    uses: int = Field(
        description="The number of work items with the label.", examples=[4]
    )
    projects: int = Field(description="The number of projects.", examples=[2])


# What several fields mean.
NAME_PREFIX = Field(description="The beginning of the name.", examples=["sec"])


class ListLabels(ProjectQuery, CursorQuery, example=("projectSlug",)):
    scope: Literal["all", "project", "global"] = Field(
        default="all",
        description="Whether to return project labels, global labels or both.",
    )
    q: Annotated[LabelPrefix | None, NAME_PREFIX] = None
    limit: Annotated[Limit, LIMIT] = 100


class ListGlobalLabels(CursorQuery):
    q: Annotated[LabelPrefix | None, NAME_PREFIX] = None
    limit: Annotated[Limit, LIMIT] = 100


class CreateLabel(Schema):
    name: Annotated[LabelName, descriptions.LABEL_NAME]
    project_id: MayOmit[ProjectId] = None


class AdminCreateLabel(Schema):
    name: Annotated[LabelName, descriptions.LABEL_NAME]
    merge_project_labels: bool = Field(
        default=False,
        description="Whether to merge project labels of the same name into this one.",
        examples=[False],
    )


class UpdateLabel(Schema, example=("name",)):
    id: Annotated[Id, ID]
    name: Annotated[LabelName, descriptions.LABEL_NAME]


class RemoveLabel(Schema):
    id: Annotated[Id, ID]


def list_labels(query: ListLabels) -> Page[LabelRow]:
    """Return a page of the labels of the requested scope, by name."""
    labels = filter_by_project(LabelRow.select(LabelRow.id), LabelRow, query)
    is_global = LabelRow.project.is_null()
    conditions = {
        "all": LabelRow.id.in_(labels) | is_global,
        "project": LabelRow.id.in_(labels) & ~is_global,
        "global": is_global,
    }
    rows = LabelRow.select().where(conditions[query.scope])
    return _page_by_name(rows, query)


def list_global_labels(query: ListGlobalLabels) -> Page[dict[str, Any]]:
    """Return a page of the global labels, by name, with the fields of LabelUse."""
    page = _page_by_name(LabelRow.select().where(LabelRow.project.is_null()), query)
    uses = _count_uses([label.id for label in page.items])
    items = []
    for label in page.items:
        item_count, project_count = uses.get(label.id, (0, 0))
        items.append({"label": label, "uses": item_count, "projects": project_count})
    return Page(items, page.meta)


def _page_by_name(
    rows: "ModelSelect[Any]", query: ListLabels | ListGlobalLabels
) -> Page[LabelRow]:
    if query.q is not None:
        rows = rows.where(LabelRow.name.startswith(query.q))
    return cursor_page(rows, query, ascending(LabelRow.name), ascending(LabelRow.id))


def create_label(
    request: CreateLabel, now: datetime, actor: Actor, *, is_admin: bool
) -> LabelRow:
    """Add a label to a project; without a project, add a global one as an admin."""
    if request.project_id is None:
        _require_admin("labels:create", is_admin)
        return create_global_label(AdminCreateLabel(name=request.name), now, actor)
    project = project_with(request.project_id)
    require_role(project, actor, "labels:create")
    require_active(project)
    _require_name_free(project, request.name)
    count = LabelRow.select().where(LabelRow.project == project.id).count()
    if count >= MAX_PROJECT_LABELS:
        raise LimitExceeded(
            f"The project '{project.slug}' has {MAX_PROJECT_LABELS} labels, which is"
            " the maximum."
        )
    label = _insert_label(project, request.name, now)
    _record_activity(label, "project.label-added", now, actor)
    return label


def create_global_label(
    request: AdminCreateLabel, now: datetime, actor: Actor
) -> LabelRow:
    """
    Add a global label.

    With merge_project_labels it replaces the labels of projects with the same name,
    in archived projects too: a project must not have two labels of one name.
    """
    if not request.merge_project_labels:
        _require_name_free(None, request.name)
    elif _has_label(None, request.name):
        raise _global_name_taken(request.name)
    label = _insert_label(None, request.name, now)
    if request.merge_project_labels:
        _replace_project_labels(label, now, actor)
    return label


def update_label(
    request: UpdateLabel, now: datetime, actor: Actor, *, is_admin: bool
) -> tuple[LabelRow, str | None]:
    """Rename the label; return it and its old name, or None if it did not change."""
    label = label_with(request.id)
    _require_may_change(label, actor, "labels:update", is_admin=is_admin)
    old_name = label.name
    if old_name == request.name:
        return label, None
    _require_name_free(label.project, request.name)
    changes = changes_to_json(label.change({"name": request.name}, now))
    _record_activity(label, "project.label-updated", now, actor, changes=changes)
    return label, old_name


def remove_label(
    request: RemoveLabel, now: datetime, actor: Actor, *, is_admin: bool
) -> tuple[LabelRow, int]:
    """Delete the label; return it and the number of work items that had it."""
    label = label_with(request.id)
    _require_may_change(label, actor, "labels:remove", is_admin=is_admin)
    item_count = _touch_labeled_items(label, now)
    label.delete_instance()
    _record_activity(label, "project.label-removed", now, actor, detached=item_count)
    return label, item_count


def global_label_with(id: str) -> LabelRow:
    label = label_with(id)
    if label.project_id is not None:
        raise LabelNotFound(f"No global label has the id '{id}'.")
    return label


def _require_may_change(
    label: LabelRow, actor: Actor, case: str, *, is_admin: bool
) -> None:
    if label.project is None:
        # A global label belongs to no project, so roles and archives do not matter.
        _require_admin(case, is_admin)
    else:
        require_role(label.project, actor, case)
        require_active(label.project)


def _require_admin(case: str, is_admin: bool) -> None:
    if not is_admin:
        scope = f"projects:admin:{case.replace('labels:create', 'labels:add')}"
        raise RoleRequired(
            f"{case.replace(':', '/')} of a global label needs the scope {scope}.",
            requiredScope=scope,
        )


def _require_name_free(project: ProjectRow | None, name: str) -> None:
    """
    Raise NameTaken if a label of the project, or a global one, has the name.

    A new global label must not have the name of any project's label either, so that
    a list of a project's labels and the global ones never shows a name twice.
    """
    if _has_label(None, name):
        raise _global_name_taken(name)
    if project is not None and _has_label(project, name):
        raise NameTaken(f"The project '{project.slug}' already has a label '{name}'.")
    if project is None:
        is_taken = (LabelRow.name == name) & LabelRow.project.is_null(False)
        projects = LabelRow.select().where(is_taken).count()
        if projects:
            raise NameTaken(
                f"{projects} projects already have a label '{name}'. Set"
                " mergeProjectLabels to replace their labels with the global one.",
                projects=projects,
            )


def _global_name_taken(name: str) -> NameTaken:
    return NameTaken(f"There is already a global label '{name}'.")


def _has_label(project: ProjectRow | None, name: str) -> bool:
    """Return whether the project has a label of the name, or None for global ones."""
    belongs = (
        LabelRow.project.is_null() if project is None else LabelRow.project == project
    )
    return bool(LabelRow.select().where(belongs, LabelRow.name == name).exists())


def _insert_label(project: ProjectRow | None, name: str, now: datetime) -> LabelRow:
    return LabelRow.create(id=new_id(now), project=project, name=name, created_at=now)


def _record_activity(
    label: LabelRow, action: str, now: datetime, actor: Actor, **metadata: Any
) -> None:
    """Record a change of a project's label; global ones are in the audit log."""
    if label.project is not None:
        metadata = {"labelId": label.id, "name": label.name} | metadata
        record_activity(label.project, action, actor, now, **metadata)


def _replace_project_labels(label: LabelRow, now: datetime, actor: Actor) -> None:
    """Replace the labels of projects that have the global label's name by it."""
    has_name = (LabelRow.name == label.name) & LabelRow.project.is_null(False)
    replaced_labels: Any = LabelRow.select().where(has_name).order_by(LabelRow.id)
    for replaced in replaced_labels:
        item_count = _touch_labeled_items(replaced, now)
        is_replaced = WorkLabelRow.label == replaced.id
        WorkLabelRow.update(label=label.id).where(is_replaced).execute()
        replaced.delete_instance()
        _record_activity(
            replaced,
            "project.label-removed",
            now,
            actor,
            detached=item_count,
            mergedInto=label.id,
        )


def _count_uses(ids: Collection[str]) -> dict[str, tuple[int, int]]:
    """Return, by label id, the numbers of work items and of projects that use it."""
    counts = fn.COUNT(WorkItemRow.id), fn.COUNT(WorkItemRow.project.distinct())
    query: Any = (
        WorkLabelRow.select(WorkLabelRow.label, *counts)
        .join(WorkItemRow)
        .where(WorkLabelRow.label.in_(ids))
        .group_by(WorkLabelRow.label)
        .tuples()
    )
    return {id: (items, projects) for id, items, projects in query}


def _touch_labeled_items(label: LabelRow, now: datetime) -> int:
    """Advance updated_at of the work items with the label; return their number."""
    items = WorkLabelRow.select(WorkLabelRow.work).where(WorkLabelRow.label == label.id)
    updated_at: Any = WorkItemRow.updated_at
    advanced = Case(None, [(updated_at >= now, updated_at + 1)], epoch_ms(now))
    query = WorkItemRow.update(updated_at=advanced).where(WorkItemRow.id.in_(items))
    return int(query.execute())
