"""What operators may ask about global labels."""

from typing import Any

from api.operation import MIB, Call, operation
from api.projects.labels import put_down, put_down_renaming, removed
from models.errors import LabelNotFound, NameTaken
from models.pagination import Page
from models.projects.planning.labels import (
    AdminCreateLabel,
    Label,
    LabelUse,
    ListGlobalLabels,
    RemovedLabel,
    RemoveLabel,
    UpdateLabel,
    create_global_label,
    global_label_with,
    label_uses_listed,
    remove_label,
    update_label,
)
from models.projects.planning.rows import LabelRow


@operation(
    "GET /projects/v1/admin/labels/list",
    scope="projects:admin:labels:list",
    request=ListGlobalLabels,
    response=list[LabelUse],
)
def list_global_labels(call: Call, query: ListGlobalLabels) -> Page[dict[str, Any]]:
    """List the global labels by name, each with how many items and projects use it."""
    return label_uses_listed(query)


@operation(
    "POST /projects/v1/admin/labels/add",
    scope="projects:admin:labels:add",
    request=AdminCreateLabel,
    response=Label,
    audit="label.added",
    errors=(NameTaken,),
    max_body_bytes=MIB,
)
def add_global_label(call: Call, request: AdminCreateLabel) -> LabelRow:
    """
    Add a label for every project.

    Where projects have labels of the name, say mergeProjectLabels: the new one
    takes their place on their items. Send an Idempotency-Key to be able to repeat
    the call safely.
    """
    label = create_global_label(request, call.now, call.actor)
    put_down(call, label)
    return label


@operation(
    "POST /projects/v1/admin/labels/update",
    scope="projects:admin:labels:update",
    request=UpdateLabel,
    response=Label,
    audit="label.updated",
    errors=(LabelNotFound, NameTaken),
    max_body_bytes=MIB,
)
def update_global_label(call: Call, request: UpdateLabel) -> LabelRow:
    """Rename a global label."""
    global_label_with(request.id)
    label, old = update_label(request, call.now, call.actor, is_admin=True)
    put_down_renaming(call, label, old)
    return label


@operation(
    "POST /projects/v1/admin/labels/remove",
    scope="projects:admin:labels:remove",
    request=RemoveLabel,
    response=RemovedLabel,
    audit="label.removed",
    errors=(LabelNotFound,),
    max_body_bytes=MIB,
)
def remove_global_label(call: Call, request: RemoveLabel) -> RemovedLabel:
    """Remove a global label, also from the items that bear it, in every project."""
    global_label_with(request.id)
    label, detached = remove_label(request, call.now, call.actor, is_admin=True)
    put_down(call, label)
    return removed(label, detached)
