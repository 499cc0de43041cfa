"""Handle requests about work items."""

from typing import Any

from api.locks import in_project, of_row
from api.operation import MIB, Call, operation
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
from models.projects.work import items, listing
from models.projects.work.context import GetWorkContext, WorkContext, work_context
from models.projects.work.filters import ListWorkItems
from models.projects.work.items import (
    CreateWorkItem,
    GetWorkItem,
    RemoveWorkItem,
    RestoreWorkItem,
    UpdateWorkItem,
    WorkItem,
    archive_work_item,
)
from models.projects.work.rows import WorkItemRow


@operation(
    "GET /projects/v1/work-items/list",
    scope="projects:work-items:list",
    request=ListWorkItems,
    response=list[WorkItem],
    errors=(ProjectNotFound,),
)
def list_work_items(call: Call, query: ListWorkItems) -> Page[WorkItemRow]:
    """
    List work items, by default with the most recently updated first.

    assigneeId is an account id, me or none. blocked selects the items that have an
    open blocker, ready those in backlog or planned that have none. In descending
    order, priority begins with the most urgent and bucket with the nearest. If more
    than 500 items match q, relevance ranks the newest 500; the others follow on
    further pages, newest first, whose meta.sortedBy is time. Without a project, items
    of archived projects are left out unless archived is only or include.
    """
    return listing.list_work_items(query, call.actor)


@operation(
    "GET /projects/v1/work-items/get",
    scope="projects:work-items:get",
    request=GetWorkItem,
    response=WorkItem,
    errors=(WorkItemNotFound, ProjectNotFound),
)
def get_work_item(call: Call, query: GetWorkItem) -> WorkItemRow:
    """Get a work item by its id, or by its project and number."""
    return items.get_work_item(query)


@operation(
    "GET /projects/v1/work-items/context",
    scope="projects:work-items:context",
    request=GetWorkContext,
    response=WorkContext,
    errors=(WorkItemNotFound,),
)
def get_work_item_context(call: Call, query: GetWorkContext) -> dict[str, Any]:
    """
    Get a work item with everything that one needs to start working on it.

    It includes the latest 20 comments and activity records. The contents of
    specifications are empty unless withContent is true.
    """
    return work_context(query)


@operation(
    "POST /projects/v1/work-items/create",
    scope="projects:work-items:create",
    locks=in_project,
    request=CreateWorkItem,
    response=WorkItem,
    errors=(ProjectNotFound, RoleRequired, ProjectArchived, ReferenceNotFound),
    max_body_bytes=MIB,
)
def create_work_item(call: Call, request: CreateWorkItem) -> WorkItemRow:
    """
    Create a work item, with the next number of the project.

    Assignees must be members of the project, except in the docs project. Labels must
    be global or belong to the project. Send an Idempotency-Key to be able to repeat
    the call safely.
    """
    return items.create_work_item(request, call.now, call.actor)


@operation(
    "POST /projects/v1/work-items/update",
    scope="projects:work-items:update",
    locks=of_row("work_item"),
    request=UpdateWorkItem,
    response=WorkItem,
    errors=(
        WorkItemNotFound,
        RoleRequired,
        VersionConflict,
        ProjectArchived,
        Archived,
        ReferenceNotFound,
    ),
    max_body_bytes=MIB,
)
def update_work_item(call: Call, request: UpdateWorkItem) -> WorkItemRow:
    """
    Update a work item; omitted fields do not change, and lists are replaced.

    Any status may follow any other. completedAt is set when the status becomes done,
    and cleared when it becomes another.
    """
    item, changed = items.update_work_item(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return item


@operation(
    "POST /projects/v1/work-items/remove",
    scope="projects:work-items:remove",
    locks=of_row("work_item"),
    request=RemoveWorkItem,
    response=WorkItem,
    errors=(WorkItemNotFound, RoleRequired, ProjectArchived),
    max_body_bytes=MIB,
)
def remove_work_item(call: Call, request: RemoveWorkItem) -> WorkItemRow:
    """Archive a work item, whatever its status; it can be restored."""
    item, changed = archive_work_item(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return item


@operation(
    "POST /projects/v1/work-items/restore",
    scope="projects:work-items:restore",
    locks=of_row("work_item"),
    request=RestoreWorkItem,
    response=WorkItem,
    errors=(WorkItemNotFound, RoleRequired, ProjectArchived),
    max_body_bytes=MIB,
)
def restore_work_item(call: Call, request: RestoreWorkItem) -> WorkItemRow:
    """Restore an archived work item."""
    item, changed = items.restore_work_item(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return item
