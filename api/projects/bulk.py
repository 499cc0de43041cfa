"""Handle requests to create or update many work items at once."""

from typing import Any

from api.locks import of_items, of_new_items
from api.operation import MIB, Call, operation
from models.errors import (
    Archived,
    LimitExceeded,
    ProjectArchived,
    ProjectNotFound,
    ReferenceNotFound,
    RelationshipCycle,
    RoleRequired,
    VersionConflict,
)
from models.projects.work import bulk_create, bulk_update
from models.projects.work.bulk_create import BulkCreated, BulkCreateWorkItems
from models.projects.work.bulk_update import BulkUpdateWorkItems
from models.projects.work.items import WorkItem
from models.projects.work.rows import WorkItemRow


@operation(
    "POST /projects/v1/work-items/bulk-update",
    scope="projects:work-items:bulk-update",
    locks=of_items,
    request=BulkUpdateWorkItems,
    response=list[WorkItem],
    errors=(
        RoleRequired,
        VersionConflict,
        ProjectArchived,
        Archived,
        ReferenceNotFound,
        LimitExceeded,
    ),
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
    items, changed = bulk_update.bulk_update_work_items(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return items


@operation(
    "POST /projects/v1/work-items/bulk-create",
    scope="projects:work-items:bulk-create",
    locks=of_new_items,
    request=BulkCreateWorkItems,
    response=BulkCreated,
    errors=(
        ProjectNotFound,
        RoleRequired,
        ProjectArchived,
        Archived,
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
