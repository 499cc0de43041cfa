"""What may be asked about work items."""

from typing import Any

from api.operation import MIB, Call, operation
from api.projects.by import by
from models.errors import (
    Archived,
    ProjectArchived,
    ProjectNotFound,
    ReferenceNotFound,
    RoleRequired,
    VersionConflict,
    WorkItemNotFound,
)
from models.pagination import Page
from models.projects.work_context import GetWorkContext, WorkContext, context_of
from models.projects.work_item import WorkItemRow
from models.projects.work_items import (
    CreateWorkItem,
    GetWorkItem,
    RemoveWorkItem,
    RestoreWorkItem,
    UpdateWorkItem,
    WorkItem,
    archive_work_item,
    create_work_item,
    restore_work_item,
    update_work_item,
    work_item_got,
)
from models.projects.work_register import ListWorkItems, work_items_listed


@operation(
    "GET /projects/v1/work-items/list",
    scope="projects:work-items:list",
    takes=ListWorkItems,
    gives=list[WorkItem],
    refuses=(ProjectNotFound,),
)
def list_work_items(call: Call, asked: ListWorkItems) -> Page[WorkItemRow]:
    """
    List work items, last changed first unless sort and order say else.

    assigneeId takes an account, me or none. blocked is true for what has an open
    blocker; ready for what waits in backlog or planned without one. Down, by
    priority or bucket, the most urgent and the nearest come first. Of words that
    more than 500 items have, relevance ranks the newest 500 and tells of no other.
    Without a project, items of archived projects are left out unless archived is
    only or include.
    """
    return work_items_listed(asked, by(call))


@operation(
    "GET /projects/v1/work-items/get",
    scope="projects:work-items:get",
    takes=GetWorkItem,
    gives=WorkItem,
    refuses=(WorkItemNotFound, ProjectNotFound),
)
def get_work_item(call: Call, asked: GetWorkItem) -> WorkItemRow:
    """Get a work item, by its id or by project and number."""
    return work_item_got(asked)


@operation(
    "GET /projects/v1/work-items/context",
    scope="projects:work-items:context",
    takes=GetWorkContext,
    gives=WorkContext,
    refuses=(WorkItemNotFound,),
)
def get_context(call: Call, asked: GetWorkContext) -> dict[str, Any]:
    """
    Get a work item with all that one needs to begin.

    Comments and activity are the last 20 of each. The texts of specifications are
    left empty unless withContent is true.
    """
    return context_of(asked)


@operation(
    "POST /projects/v1/work-items/create",
    scope="projects:work-items:create",
    takes=CreateWorkItem,
    gives=WorkItem,
    refuses=(ProjectNotFound, RoleRequired, ProjectArchived, ReferenceNotFound),
    most_bytes=MIB,
)
def add_work_item(call: Call, asked: CreateWorkItem) -> WorkItemRow:
    """
    Put a work item into a project, under the project's next number.

    Assignees are members, in the docs project any account; labels are global or of
    the project. Send an Idempotency-Key to be able to repeat the call safely.
    """
    return create_work_item(asked, call.now, by(call))


@operation(
    "POST /projects/v1/work-items/update",
    scope="projects:work-items:update",
    takes=UpdateWorkItem,
    gives=WorkItem,
    refuses=(
        WorkItemNotFound,
        RoleRequired,
        VersionConflict,
        ProjectArchived,
        Archived,
        ReferenceNotFound,
    ),
    most_bytes=MIB,
)
def change_work_item(call: Call, asked: UpdateWorkItem) -> WorkItemRow:
    """
    Change a work item; members left out stay as they are, lists are replaced.

    Any status may follow any other. An item is completed when it enters done, and
    no longer when it leaves it.
    """
    item, changed = update_work_item(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return item


@operation(
    "POST /projects/v1/work-items/remove",
    scope="projects:work-items:remove",
    takes=RemoveWorkItem,
    gives=WorkItem,
    refuses=(WorkItemNotFound, RoleRequired, ProjectArchived),
    most_bytes=MIB,
)
def remove_work_item(call: Call, asked: RemoveWorkItem) -> WorkItemRow:
    """Archive a work item, in whatever status; it can be restored."""
    item, changed = archive_work_item(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return item


@operation(
    "POST /projects/v1/work-items/restore",
    scope="projects:work-items:restore",
    takes=RestoreWorkItem,
    gives=WorkItem,
    refuses=(WorkItemNotFound, RoleRequired, ProjectArchived),
    most_bytes=MIB,
)
def return_work_item(call: Call, asked: RestoreWorkItem) -> WorkItemRow:
    """Restore an archived work item as it was."""
    item, changed = restore_work_item(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return item
