"""Work items: made, found, changed, archived."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from models.base import Schema, new_id
from models.errors import WorkItemNotFound
from models.fields import Id, MayOmit, Moment, QueryInteger
from models.projects.fields import (
    Actor,
    ActorType,
    OfProject,
    OrNull,
    Title,
    exactly_one,
)
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import record_activity
from models.projects.projects.rows import (
    ProjectRow,
    project_asked,
    project_with,
    require_active,
    require_updated_at,
)
from models.projects.search.text_index import index_text
from models.projects.work.links import TIES, SpecificationLink, tie, with_ties
from models.projects.work.reference_checks import missing, require_all
from models.projects.work.rows import WorkItemRow, work_item_with
from models.projects.work.saving import save

WorkType = Literal["task", "bug", "work_order", "idea"]
WorkStatus = Literal[
    "backlog", "planned", "in_progress", "blocked", "review", "done", "cancelled"
]
Priority = Literal["none", "low", "normal", "high", "critical"]
Bucket = Literal["none", "now", "next", "later", "someday"]


def _once(values: list[Any]) -> list[Any]:
    return list(dict.fromkeys(values))


MOST_ASSIGNEES, MOST_LABELS = 20, 50
Once = AfterValidator(_once)
Assignees = Annotated[list[Id], Field(max_length=MOST_ASSIGNEES), Once]
Labels = Annotated[list[Id], Field(max_length=MOST_LABELS), Once]
Links = Annotated[list[SpecificationLink], Field(max_length=20), Once]
LongDescription = OrNull[Annotated[str, Field(max_length=50_000)]]


class WorkItem(Schema):
    id: Id
    project_id: Id
    number: int
    type: WorkType
    title: str
    description: str | None
    status: WorkStatus
    priority: Priority
    bucket: Bucket
    creator_id: str
    creator_type: ActorType
    assignee_ids: list[Id]
    label_ids: list[Id]
    specifications: list[SpecificationLink]
    milestone_id: Id | None
    due_at: Moment | None
    created_at: Moment
    updated_at: Moment
    completed_at: Moment | None
    archived_at: Moment | None


class NewWorkItem(Schema):
    """A work item to be, of a project that is named elsewhere."""

    type: WorkType
    title: Title
    description: LongDescription = None
    status: WorkStatus = "backlog"
    priority: Priority = "none"
    bucket: Bucket = "none"
    assignee_ids: Assignees = []
    label_ids: Labels = []
    specifications: Links = []
    milestone_id: Id | None = None
    due_at: Moment | None = None


class CreateWorkItem(NewWorkItem):
    project_id: Id


class UpdateWorkItem(Schema):
    id: Id
    type: MayOmit[WorkType] = None
    title: MayOmit[Title] = None
    description: LongDescription = None
    status: MayOmit[WorkStatus] = None
    priority: MayOmit[Priority] = None
    bucket: MayOmit[Bucket] = None
    assignee_ids: MayOmit[Assignees] = None
    label_ids: MayOmit[Labels] = None
    specifications: MayOmit[Links] = None
    milestone_id: Id | None = None
    due_at: Moment | None = None
    expected_updated_at: MayOmit[Moment] = None

    @model_validator(mode="after")
    def _says_something(self) -> "UpdateWorkItem":
        if not self.model_fields_set - {"id", "expected_updated_at"}:
            raise ValueError("Give at least one member to change.")
        return self


class RemoveWorkItem(Schema):
    id: Id


class RestoreWorkItem(Schema):
    id: Id


class GetWorkItem(OfProject):
    id: Id | None = None
    number: Annotated[QueryInteger, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _one(self) -> "GetWorkItem":
        exactly_one(self, "id", "number")
        if (self.number is None) != (self.project_id is self.project_slug is None):
            raise ValueError("A number goes with projectId or projectSlug.")
        return self


def create_work_item(
    request: CreateWorkItem, now: datetime, actor: Actor
) -> WorkItemRow:
    """Put a work item into a project, under the project's next number."""
    project = project_with(request.project_id)
    require_role(project, actor, "work-items:create")
    require_active(project)
    members = request.all_fields()
    require_all(missing(project, members))
    del members["project_id"]
    return add_work_item(project, members, now, actor)


def add_work_item(
    project: ProjectRow,
    members: dict[str, Any],
    now: datetime,
    actor: Actor,
    **batch: Any,
) -> WorkItemRow:
    """Keep a work item whose place and references have been looked at."""
    ties = {name: members[name] for name in TIES}
    plain = {name: each for name, each in members.items() if name not in ties}
    item = WorkItemRow.create(
        id=new_id(now),
        project=project,
        number=_next_number(project),
        creator_id=actor.id,
        creator_type=actor.type,
        created_at=now,
        updated_at=now,
        completed_at=now if members["status"] == "done" else None,
        **plain,
    )
    for name in ties:
        setattr(item, name, [])
    tie(item, ties)
    index_text(project, "work", item.id, item.title, item.description)
    told = {name: plain[name] for name in ("type", "title", "status")}
    record_activity(
        project,
        "work.created",
        item.id,
        actor,
        now,
        number=item.number,
        **told,
        **batch,
    )
    return item


def update_work_item(
    request: UpdateWorkItem, now: datetime, actor: Actor
) -> tuple[WorkItemRow, bool]:
    """Change the members given; tell whether that changed anything."""
    item = work_item_with(request.id)
    require_role(item.project, actor, "work-items:update")
    require_updated_at(item, request.expected_updated_at)
    require_active(item.project, item)
    wanted = request.sent_fields()
    del wanted["id"]
    wanted.pop("expected_updated_at", None)
    with_ties([item])
    require_all(missing(item.project, wanted, held=item))
    return item, save(item, wanted, now, actor)


def archive_work_item(
    request: RemoveWorkItem, now: datetime, actor: Actor
) -> tuple[WorkItemRow, bool]:
    """Make the item read-only and leave it out of lists; its number stays taken."""
    return _archived("work-items:remove", request.id, now, actor)


def restore_work_item(
    request: RestoreWorkItem, now: datetime, actor: Actor
) -> tuple[WorkItemRow, bool]:
    """Take the item back as it was."""
    return _archived("work-items:restore", request.id, now, actor)


def work_item_got(query: GetWorkItem) -> WorkItemRow:
    if query.id is not None:
        return with_ties([work_item_with(query.id)])[0]
    project = project_asked(query)
    found = WorkItemRow.get_or_none(
        WorkItemRow.project == project, WorkItemRow.number == query.number
    )
    if project is None or found is None:
        raise WorkItemNotFound(f"The project has no work item #{query.number}.")
    return with_ties([found])[0]


def _archived(
    case: str, id: str, now: datetime, actor: Actor
) -> tuple[WorkItemRow, bool]:
    item = with_ties([work_item_with(id)])[0]
    require_role(item.project, actor, case)
    require_active(item.project)
    is_wanted = case == "work-items:remove"
    if (item.archived_at is not None) == is_wanted:
        return item, False
    item.change({"archived_at": now if is_wanted else None}, now)
    action = "work.archived" if is_wanted else "work.restored"
    record_activity(item.project, action, item.id, actor, now, number=item.number)
    return item, True


def _next_number(project: ProjectRow) -> int:
    """Take the next number; what is rolled back takes none."""
    query = ProjectRow.update(last_number=ProjectRow.last_number + 1)
    [(number,)] = (
        query.where(ProjectRow.id == project.id)
        .returning(ProjectRow.last_number)
        .tuples()
        .execute()
    )
    return int(number)
