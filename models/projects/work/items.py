"""Create, get, update, archive and restore work items."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from models.base import Change, Schema
from models.errors import WorkItemNotFound
from models.fields import (
    ID,
    STATUS,
    CreatedAt,
    Id,
    MayOmit,
    Moment,
    QueryInteger,
    UpdatedAt,
    WithoutDuplicates,
)
from models.projects import descriptions
from models.projects.fields import (
    Actor,
    ArchivedAt,
    ChangeRequest,
    CreatorType,
    DueAt,
    ExpectedUpdatedAt,
    NullIfEmpty,
    ProjectId,
    ProjectQuery,
    Title,
    require_exactly_one,
)
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import (
    changes_to_json,
    record_activity,
    set_archived,
)
from models.projects.projects.rows import (
    ProjectRow,
    project_with,
    requested_project,
    require_active,
    require_updated_at,
)
from models.projects.search.text_index import index_text
from models.projects.work.blockers import open_blockers
from models.projects.work.links import (
    LINK_KINDS,
    SpecificationLink,
    load_links,
    replace_links,
)
from models.projects.work.reference_checks import raise_if_any, reference_errors
from models.projects.work.rows import WorkItemRow, work_item_with

WorkType = Literal["task", "bug", "work_order", "idea"]
WorkStatus = Literal[
    "backlog", "planned", "in_progress", "blocked", "review", "done", "cancelled"
]
Priority = Literal["none", "low", "normal", "high", "critical"]
Bucket = Literal["none", "now", "next", "later", "someday"]


MAX_ASSIGNEES, MAX_LABELS = 20, 50


Assignees = Annotated[list[Id], Field(max_length=MAX_ASSIGNEES), WithoutDuplicates]
Labels = Annotated[list[Id], Field(max_length=MAX_LABELS), WithoutDuplicates]
Links = Annotated[list[SpecificationLink], Field(max_length=20), WithoutDuplicates]
WorkItemDescription = NullIfEmpty[Annotated[str, Field(max_length=50_000)]]


class WorkItem(Schema):
    id: Annotated[Id, ID]
    project_id: ProjectId
    number: Annotated[int, descriptions.NUMBER]
    type: Annotated[WorkType, descriptions.TYPE]
    title: Annotated[str, descriptions.TITLE]
    description: Annotated[str | None, descriptions.DESCRIPTION]
    status: Annotated[WorkStatus, STATUS]
    priority: Annotated[Priority, descriptions.PRIORITY]
    bucket: Annotated[Bucket, descriptions.BUCKET]
    creator_id: Annotated[str, descriptions.CREATOR_ID]
    creator_type: CreatorType
    assignee_ids: Annotated[list[Id], descriptions.ASSIGNEE_IDS]
    label_ids: Annotated[list[Id], descriptions.LABEL_IDS]
    specifications: Annotated[
        list[SpecificationLink], descriptions.LINKED_SPECIFICATIONS
    ]
    milestone_id: Annotated[Id | None, descriptions.MILESTONE_ID]
    due_at: DueAt | None
    created_at: CreatedAt
    updated_at: UpdatedAt
    completed_at: Moment | None = Field(
        description="When it was completed.", examples=[None]
    )
    archived_at: ArchivedAt | None


class NewWorkItem(Schema):
    """The fields of a new work item, without its project."""

    type: Annotated[WorkType, descriptions.TYPE]
    title: Annotated[Title, descriptions.TITLE]
    description: Annotated[WorkItemDescription, descriptions.DESCRIPTION] = None
    status: Annotated[WorkStatus, STATUS] = "backlog"
    priority: Annotated[Priority, descriptions.PRIORITY] = "none"
    bucket: Annotated[Bucket, descriptions.BUCKET] = "none"
    assignee_ids: Annotated[Assignees, descriptions.ASSIGNEE_IDS] = []
    label_ids: Annotated[Labels, descriptions.LABEL_IDS] = []
    specifications: Annotated[Links, descriptions.LINKED_SPECIFICATIONS] = []
    milestone_id: Annotated[Id | None, descriptions.MILESTONE_ID] = None
    due_at: DueAt | None = None


class CreateWorkItem(NewWorkItem, example=("description", "priority")):
    project_id: ProjectId


class UpdateWorkItem(ChangeRequest, example=("priority",)):
    id: Annotated[Id, ID]
    type: Annotated[MayOmit[WorkType], descriptions.TYPE] = None
    title: Annotated[MayOmit[Title], descriptions.TITLE] = None
    description: Annotated[WorkItemDescription, descriptions.DESCRIPTION] = None
    status: Annotated[MayOmit[WorkStatus], STATUS] = None
    priority: Annotated[MayOmit[Priority], descriptions.PRIORITY] = None
    bucket: Annotated[MayOmit[Bucket], descriptions.BUCKET] = None
    assignee_ids: Annotated[MayOmit[Assignees], descriptions.ASSIGNEE_IDS] = None
    label_ids: Annotated[MayOmit[Labels], descriptions.LABEL_IDS] = None
    specifications: Annotated[MayOmit[Links], descriptions.LINKED_SPECIFICATIONS] = None
    milestone_id: Annotated[Id | None, descriptions.MILESTONE_ID] = None
    due_at: DueAt | None = None
    expected_updated_at: MayOmit[ExpectedUpdatedAt] = None


class RemoveWorkItem(Schema):
    id: Annotated[Id, ID]


class RestoreWorkItem(Schema):
    id: Annotated[Id, ID]


class GetWorkItem(ProjectQuery, example=("projectSlug", "number")):
    id: Annotated[Id | None, ID] = None
    number: Annotated[
        Annotated[QueryInteger, Field(ge=1)] | None, descriptions.NUMBER
    ] = None

    @model_validator(mode="after")
    def _id_or_number(self) -> "GetWorkItem":
        require_exactly_one(self, "id", "number")
        if (self.number is None) != (self.project_id is self.project_slug is None):
            raise ValueError(
                "projectId or projectSlug is required with number, and only with it."
            )
        return self


def get_work_item(query: GetWorkItem) -> WorkItemRow:
    """Return the work item with the id, or with the number in the project."""
    if query.id is not None:
        return load_links([work_item_with(query.id)])[0]
    project = requested_project(query)
    item = WorkItemRow.get_or_none(
        WorkItemRow.project == project, WorkItemRow.number == query.number
    )
    if project is None or item is None:
        raise WorkItemNotFound(f"The project has no work item #{query.number}.")
    return load_links([item])[0]


def create_work_item(
    request: CreateWorkItem, now: datetime, actor: Actor
) -> WorkItemRow:
    """Create a work item, with the next number of the project."""
    project = project_with(request.project_id)
    require_role(project, actor, "work-items:create")
    require_active(project)
    values = request.all_fields()
    raise_if_any(reference_errors(project, values))
    del values["project_id"]
    return insert_work_item(project, values, now, actor)


def insert_work_item(
    project: ProjectRow,
    values: dict[str, Any],
    now: datetime,
    actor: Actor,
    **batch: Any,
) -> WorkItemRow:
    """Store a work item; the caller has checked the project and the references."""
    links = {name: values[name] for name in LINK_KINDS}
    columns = {name: value for name, value in values.items() if name not in links}
    item = WorkItemRow.create(
        project=project,
        number=_next_number(project),
        **actor.creation(now),
        completed_at=now if values["status"] == "done" else None,
        **columns,
    )
    for name in links:
        setattr(item, name, [])
    replace_links(item, links)
    index_text(project, "work", item.id, item.title, item.description)
    record_activity(
        item,
        "work.created",
        actor,
        now,
        number=item.number,
        type=item.type,
        title=item.title,
        status=item.status,
        **batch,
    )
    return item


def update_work_item(
    request: UpdateWorkItem, now: datetime, actor: Actor
) -> tuple[WorkItemRow, bool]:
    """Change the given fields; return the item and whether anything changed."""
    item = work_item_with(request.id)
    require_role(item.project, actor, "work-items:update")
    require_updated_at(item, request.expected_updated_at)
    require_active(item.project, item)
    values = request.changed_values()
    load_links([item])
    raise_if_any(reference_errors(item.project, values, current=item))
    return item, save_changes(item, values, now, actor)


def save_changes(
    item: WorkItemRow, values: dict[str, Any], now: datetime, actor: Actor, **batch: Any
) -> bool:
    """
    Save the values that differ and record them; return whether any did.

    The links of the item must be loaded. An item is completed when its status
    becomes done, and no longer completed when it becomes another.
    """
    links = {name: value for name, value in values.items() if name in LINK_KINDS}
    columns = {name: value for name, value in values.items() if name not in links}
    status = columns.get("status", item.status)
    if (status == "done") != (item.status == "done"):
        columns["completed_at"] = now if status == "done" else None
    link_changes = replace_links(item, links)
    changes = item.change(columns, now)
    if link_changes and not changes:
        item.touch(now)
    if "title" in changes or "description" in changes:
        index_text(item.project, "work", item.id, item.title, item.description)
    _record_changes(item, changes | link_changes, now, actor, batch)
    return bool(changes or link_changes)


def archive_work_item(
    request: RemoveWorkItem, now: datetime, actor: Actor
) -> tuple[WorkItemRow, bool]:
    """
    Make the item read-only; return it and whether it was active before.

    Its number is not reused.
    """
    [item] = load_links([work_item_with(request.id)])
    require_role(item.project, actor, "work-items:remove")
    require_active(item.project)
    return item, set_archived(item, "work", True, now, actor, number=item.number)


def restore_work_item(
    request: RestoreWorkItem, now: datetime, actor: Actor
) -> tuple[WorkItemRow, bool]:
    """Make the item writable again; return it and whether it was archived before."""
    [item] = load_links([work_item_with(request.id)])
    require_role(item.project, actor, "work-items:restore")
    require_active(item.project)
    return item, set_archived(item, "work", False, now, actor, number=item.number)


def _next_number(project: ProjectRow) -> int:
    """Take the next number of the project; a rollback returns it."""
    query = ProjectRow.update(last_number=ProjectRow.last_number + 1)
    [(number,)] = (
        query.where(ProjectRow.id == project.id)
        .returning(ProjectRow.last_number)
        .tuples()
        .execute()
    )
    return int(number)


def _record_changes(
    item: WorkItemRow,
    changes: dict[str, Change],
    now: datetime,
    actor: Actor,
    batch: dict[str, Any],
) -> None:
    """Record the changes; a change of status has its own action, to filter by it."""
    changes.pop("completed_at", None)
    status = changes.pop("status", None)
    metadata: dict[str, Any] = {"number": item.number}
    if changes:
        described = {"changes": changes_to_json(changes)}
        record_activity(
            item, "work.updated", actor, now, **metadata | described | batch
        )
    if status is None:
        return
    metadata |= {"from": status[0], "to": status[1]}
    blockers = open_blockers(item) if status[1] == "done" else []
    if blockers:
        metadata["openBlockers"] = [blocker.id for blocker in blockers]
    record_activity(item, "work.status-changed", actor, now, **metadata | batch)
