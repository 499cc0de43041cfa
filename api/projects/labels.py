"""Handle requests about labels."""

from typing import Any

from api.operation import MIB, Call, operation
from api.projects import PROJECT_CHANGE
from models.errors import LabelNotFound, LimitExceeded, NameTaken, ProjectNotFound
from models.pagination import Page
from models.projects.planning import labels
from models.projects.planning.rows import LabelRow

ADMIN_SCOPE = "projects:admin:labels"


@operation(
    "GET /projects/v1/labels/list",
    response=list[labels.Label],
    errors=(ProjectNotFound,),
)
def list_labels(call: Call, query: labels.ListLabels) -> Page[LabelRow]:
    """
    List the labels of a project and the global ones, by name.

    A label without a project is global. scope restricts the list to either kind.
    Without a project, labels of archived projects are left out.
    """
    return labels.list_labels(query)


@operation(
    "POST /projects/v1/labels/create",
    response=labels.Label,
    audit="label.added",
    errors=(ProjectNotFound, *PROJECT_CHANGE, NameTaken, LimitExceeded),
    max_body_bytes=MIB,
)
def create_label(call: Call, request: labels.CreateLabel) -> LabelRow:
    """
    Create a label in a project.

    Without a project the label is global, which also needs the scope
    projects:admin:labels:add. A project cannot have a label with the name of a global
    one. Send an Idempotency-Key to be able to repeat the call safely.
    """
    is_admin = call.caller.has_scope(f"{ADMIN_SCOPE}:add")
    label = labels.create_label(request, call.now, call.actor, is_admin=is_admin)
    audit_label(call, label)
    return label


@operation(
    "POST /projects/v1/labels/update",
    response=labels.Label,
    audit="label.updated",
    errors=(LabelNotFound, *PROJECT_CHANGE, NameTaken),
    max_body_bytes=MIB,
)
def update_label(call: Call, request: labels.UpdateLabel) -> LabelRow:
    """
    Rename a label.

    A global label also needs the scope projects:admin:labels:update.
    """
    is_admin = call.caller.has_scope(f"{ADMIN_SCOPE}:update")
    label, old_name = labels.update_label(
        request, call.now, call.actor, is_admin=is_admin
    )
    audit_renaming(call, label, old_name)
    return label


@operation(
    "POST /projects/v1/labels/remove",
    response=labels.RemovedLabel,
    audit="label.removed",
    errors=(LabelNotFound, *PROJECT_CHANGE),
    max_body_bytes=MIB,
)
def remove_label(call: Call, request: labels.RemoveLabel) -> labels.RemovedLabel:
    """
    Remove a label, also from the work items that have it, even if archived.

    A global label also needs the scope projects:admin:labels:remove.
    """
    is_admin = call.caller.has_scope(f"{ADMIN_SCOPE}:remove")
    label, detached = labels.remove_label(
        request, call.now, call.actor, is_admin=is_admin
    )
    audit_label(call, label)
    return removed_label(label, detached)


def audit_label(call: Call, label: LabelRow, detail: str | None = None) -> None:
    """Audit a change of a global label; others are in the activity of their project."""
    if label.project_id is None:
        call.audit(label, detail=detail)
    else:
        call.skip_audit()


def audit_renaming(call: Call, label: LabelRow, old_name: str | None) -> None:
    if old_name is None:
        call.mark_unchanged()
    else:
        audit_label(call, label, f"{old_name} -> {label.name}")


def removed_label(label: LabelRow, detached: int) -> labels.RemovedLabel:
    return labels.RemovedLabel(
        id=label.id, project_id=label.project_id, name=label.name, detached=detached
    )


@operation("GET /projects/v1/admin/labels/list", response=list[labels.LabelUse])
def list_global_labels(
    call: Call, query: labels.ListGlobalLabels
) -> Page[dict[str, Any]]:
    """List the global labels by name, and how many items and projects use each."""
    return labels.list_global_labels(query)


@operation(
    "POST /projects/v1/admin/labels/add",
    response=labels.Label,
    audit="label.added",
    errors=(NameTaken,),
    max_body_bytes=MIB,
)
def add_global_label(call: Call, request: labels.AdminCreateLabel) -> LabelRow:
    """
    Add a global label, which every project can use.

    If projects have labels with the same name, set mergeProjectLabels: the global
    label then replaces them on their work items. Send an Idempotency-Key to be able to
    repeat the call safely.
    """
    label = labels.create_global_label(request, call.now, call.actor)
    audit_label(call, label)
    return label


@operation(
    "POST /projects/v1/admin/labels/update",
    response=labels.Label,
    audit="label.updated",
    errors=(LabelNotFound, NameTaken),
    max_body_bytes=MIB,
)
def update_global_label(call: Call, request: labels.UpdateLabel) -> LabelRow:
    """Rename a global label."""
    labels.global_label_with(request.id)
    label, old_name = labels.update_label(request, call.now, call.actor, is_admin=True)
    audit_renaming(call, label, old_name)
    return label


@operation(
    "POST /projects/v1/admin/labels/remove",
    response=labels.RemovedLabel,
    audit="label.removed",
    errors=(LabelNotFound,),
    max_body_bytes=MIB,
)
def remove_global_label(call: Call, request: labels.RemoveLabel) -> labels.RemovedLabel:
    """Remove a global label, also from the work items that have it in any project."""
    labels.global_label_with(request.id)
    label, detached = labels.remove_label(request, call.now, call.actor, is_admin=True)
    audit_label(call, label)
    return removed_label(label, detached)
