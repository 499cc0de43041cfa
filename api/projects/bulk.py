"""What may be asked about many work items at once."""

from typing import Any

from api.operation import MIB, Call, operation
from api.projects.by import by
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
from models.projects.bulk_create import (
    BulkCreated,
    BulkCreateWorkItems,
    bulk_create_work_items,
)
from models.projects.bulk_update import BulkUpdateWorkItems, bulk_update_work_items
from models.projects.work_item import WorkItemRow
from models.projects.work_items import WorkItem


@operation(
    "POST /projects/v1/work-items/bulk-update",
    scope="projects:work-items:bulk-update",
    takes=BulkUpdateWorkItems,
    gives=list[WorkItem],
    refuses=(
        RoleRequired,
        VersionConflict,
        ProjectArchived,
        Archived,
        ReferenceNotFound,
        LimitExceeded,
    ),
    most_bytes=MIB,
)
def change_work_items(call: Call, asked: BulkUpdateWorkItems) -> list[WorkItemRow]:
    """
    Change up to 100 work items alike, of whatever projects: all of them, or none.

    expected says of some when they were last changed, by their ids. They come back
    in the order given.
    """
    items, changed = bulk_update_work_items(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return items


@operation(
    "POST /projects/v1/work-items/bulk-create",
    scope="projects:work-items:bulk-create",
    takes=BulkCreateWorkItems,
    gives=BulkCreated,
    refuses=(
        ProjectNotFound,
        RoleRequired,
        ProjectArchived,
        Archived,
        ReferenceNotFound,
        LimitExceeded,
        RelationshipCycle,
    ),
    most_bytes=8 * MIB,
)
def add_work_items(call: Call, asked: BulkCreateWorkItems) -> dict[str, Any]:
    """
    Put up to 100 work items and their relationships into a project: all, or none.

    A relationship names a new item by its ref and another by its id. Send an
    Idempotency-Key to be able to repeat the call safely.
    """
    return bulk_create_work_items(asked, call.now, by(call))
