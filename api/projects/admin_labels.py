"""Handle administrators' requests about global labels."""

from typing import Any

from api.operation import MIB, Call, operation
from api.projects.labels import audit_label, audit_renaming, removed_label
from models.errors import LabelNotFound, NameTaken
from models.pagination import Page
from models.projects.planning import labels
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
    """List the global labels by name, and how many items and projects use each."""
    return labels.list_global_labels(query)


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
    Add a global label, which every project can use.

    If projects have labels with the same name, set mergeProjectLabels: the global
    label then replaces them on their work items. Send an Idempotency-Key to be able to
    repeat the call safely.
    """
    label = create_global_label(request, call.now, call.actor)
    audit_label(call, label)
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
    label, old_name = update_label(request, call.now, call.actor, is_admin=True)
    audit_renaming(call, label, old_name)
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
    """Remove a global label, also from the work items that have it in any project."""
    global_label_with(request.id)
    label, detached = remove_label(request, call.now, call.actor, is_admin=True)
    audit_label(call, label)
    return removed_label(label, detached)
