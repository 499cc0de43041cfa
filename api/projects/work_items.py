"""What may be asked about work items."""

from typing import Any

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
from models.projects.work import items
from models.projects.work.context import GetWorkContext, WorkContext, context_of
from models.projects.work.items import (
    CreateWorkItem,
    GetWorkItem,
    RemoveWorkItem,
    RestoreWorkItem,
    UpdateWorkItem,
    WorkItem,
    archive_work_item,
    work_item_got,
)
from models.projects.work.listing import ListWorkItems, work_items_listed
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
    List work items, last changed first unless sort and order say else.

    assigneeId takes an account, me or none. blocked is true for what has an open
    blocker; ready for what waits in backlog or planned without one. Down, by
    priority or bucket, the most urgent and the nearest come first. Of words that
    more than 500 items have, relevance ranks the newest 500 and tells of no other.
    Without a project, items of archived projects are left out unless archived is
    only or include.
    """
    return work_items_listed(query, call.actor)


@operation(
    "GET /projects/v1/work-items/get",
    scope="projects:work-items:get",
    request=GetWorkItem,
    response=WorkItem,
    errors=(WorkItemNotFound, ProjectNotFound),
)
def get_work_item(call: Call, query: GetWorkItem) -> WorkItemRow:
    """Get a work item, by its id or by project and number."""
    return work_item_got(query)


@operation(
    "GET /projects/v1/work-items/context",
    scope="projects:work-items:context",
    request=GetWorkContext,
    response=WorkContext,
    errors=(WorkItemNotFound,),
)
def get_work_item_context(call: Call, query: GetWorkContext) -> dict[str, Any]:
    """
    Get a work item with all that one needs to begin.

    Comments and activity are the last 20 of each. The texts of specifications are
    left empty unless withContent is true.
    """
    return context_of(query)


@operation(
    "POST /projects/v1/work-items/create",
    scope="projects:work-items:create",
    request=CreateWorkItem,
    response=WorkItem,
    errors=(ProjectNotFound, RoleRequired, ProjectArchived, ReferenceNotFound),
    max_body_bytes=MIB,
)
def create_work_item(call: Call, request: CreateWorkItem) -> WorkItemRow:
    """
    Put a work item into a project, under the project's next number.

    Assignees are members, in the docs project any account; labels are global or of
    the project. Send an Idempotency-Key to be able to repeat the call safely.
    """
    return items.create_work_item(request, call.now, call.actor)


@operation(
    "POST /projects/v1/work-items/update",
    scope="projects:work-items:update",
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
    Change a work item; members left out stay as they are, lists are replaced.

    Any status may follow any other. An item is completed when it enters done, and
    no longer when it leaves it.
    """
    item, changed = items.update_work_item(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return item


@operation(
    "POST /projects/v1/work-items/remove",
    scope="projects:work-items:remove",
    request=RemoveWorkItem,
    response=WorkItem,
    errors=(WorkItemNotFound, RoleRequired, ProjectArchived),
    max_body_bytes=MIB,
)
def remove_work_item(call: Call, request: RemoveWorkItem) -> WorkItemRow:
    """Archive a work item, in whatever status; it can be restored."""
    item, changed = archive_work_item(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return item


@operation(
    "POST /projects/v1/work-items/restore",
    scope="projects:work-items:restore",
    request=RestoreWorkItem,
    response=WorkItem,
    errors=(WorkItemNotFound, RoleRequired, ProjectArchived),
    max_body_bytes=MIB,
)
def restore_work_item(call: Call, request: RestoreWorkItem) -> WorkItemRow:
    """Restore an archived work item as it was."""
    item, changed = items.restore_work_item(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return item
