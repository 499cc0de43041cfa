"""Handle requests about work items."""

from typing import Any

from api.operation import MIB, Call, operation
from api.projects import ENTITY_CHANGE, PROJECT_CHANGE, VERSIONED_CHANGE
from models.errors import (
    LimitExceeded,
    ProjectNotFound,
    ReferenceNotFound,
    RelationshipCycle,
    WorkItemNotFound,
)
from models.pagination import Page
from models.projects.work import bulk_create, bulk_update, items, listing
from models.projects.work.bulk_create import BulkCreated, BulkCreateWorkItems
from models.projects.work.bulk_update import BulkUpdateWorkItems
from models.projects.work.context import GetWorkContext, WorkContext, work_context
from models.projects.work.filters import ListWorkItems
from models.projects.work.rows import WorkItemRow


@operation(
    "GET /projects/v1/work-items/list",
    response=list[items.WorkItem],
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
    response=items.WorkItem,
    errors=(WorkItemNotFound, ProjectNotFound),
)
def get_work_item(call: Call, query: items.GetWorkItem) -> WorkItemRow:
    """Get a work item by its id, or by its project and number."""
    return items.get_work_item(query)


@operation(
    "GET /projects/v1/work-items/context",
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
    response=items.WorkItem,
    errors=(ProjectNotFound, *PROJECT_CHANGE, ReferenceNotFound),
    max_body_bytes=MIB,
)
def create_work_item(call: Call, request: items.CreateWorkItem) -> WorkItemRow:
    """
    Create a work item, with the next number of the project.

    Assignees must be members of the project, except in the docs project. Labels must
    be global or belong to the project. Send an Idempotency-Key to be able to repeat
    the call safely.
    """
    return items.create_work_item(request, call.now, call.actor)


@operation(
    "POST /projects/v1/work-items/update",
    response=items.WorkItem,
    errors=(WorkItemNotFound, *VERSIONED_CHANGE, ReferenceNotFound),
    max_body_bytes=MIB,
)
def update_work_item(call: Call, request: items.UpdateWorkItem) -> WorkItemRow:
    """
    Update a work item; omitted fields do not change, and lists are replaced.

    Any status may follow any other. completedAt is set when the status becomes done,
    and cleared when it becomes another.
    """
    return call.result_of(items.update_work_item(request, call.now, call.actor))


@operation(
    "POST /projects/v1/work-items/remove",
    response=items.WorkItem,
    errors=(WorkItemNotFound, *PROJECT_CHANGE),
    max_body_bytes=MIB,
)
def remove_work_item(call: Call, request: items.RemoveWorkItem) -> WorkItemRow:
    """Archive a work item, whatever its status; it can be restored."""
    return call.result_of(items.archive_work_item(request, call.now, call.actor))


@operation(
    "POST /projects/v1/work-items/restore",
    response=items.WorkItem,
    errors=(WorkItemNotFound, *PROJECT_CHANGE),
    max_body_bytes=MIB,
)
def restore_work_item(call: Call, request: items.RestoreWorkItem) -> WorkItemRow:
    """Restore an archived work item."""
    return call.result_of(items.restore_work_item(request, call.now, call.actor))


@operation(
    "POST /projects/v1/work-items/bulk-update",
    response=list[items.WorkItem],
    errors=(*VERSIONED_CHANGE, ReferenceNotFound, LimitExceeded),
    max_body_bytes=MIB,
)
def bulk_update_work_items(
    call: Call, request: BulkUpdateWorkItems
) -> list[WorkItemRow]:
    """
    Apply the same changes to up to 100 work items: to all of them, or to none.

    The items may belong to different projects, and are returned in the given order.
    expected maps ids to the updatedAt that you last saw; if one has changed since,
    the call fails. A refusal lists in errors every item that prevents the update,
    with its id and the reason as code: unknown, role-required, version-conflict,
    project-archived, archived or limit-exceeded.
    """
    return call.result_of(
        bulk_update.bulk_update_work_items(request, call.now, call.actor)
    )


@operation(
    "POST /projects/v1/work-items/bulk-create",
    response=BulkCreated,
    errors=(
        ProjectNotFound,
        *ENTITY_CHANGE,
        ReferenceNotFound,
        LimitExceeded,
        RelationshipCycle,
    ),
    max_body_bytes=8 * MIB,
)
def bulk_create_work_items(call: Call, request: BulkCreateWorkItems) -> dict[str, Any]:
    """
    Create up to 100 work items and their relationships: all of them, or none.

    A relationship names a new item by its ref and an existing one by its id. Send an
    Idempotency-Key to be able to repeat the call safely.
    """
    return bulk_create.bulk_create_work_items(request, call.now, call.actor)
