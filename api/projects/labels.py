"""Handle requests about labels."""

from api.locks import of_label
from api.operation import MIB, Call, operation
from models.errors import (
    LabelNotFound,
    LimitExceeded,
    NameTaken,
    ProjectArchived,
    ProjectNotFound,
    RoleRequired,
)
from models.pagination import Page
from models.projects.planning import labels
from models.projects.planning.labels import (
    CreateLabel,
    Label,
    ListLabels,
    RemovedLabel,
    RemoveLabel,
    UpdateLabel,
)
from models.projects.planning.rows import LabelRow

ADMIN_SCOPE = "projects:admin:labels"


@operation(
    "GET /projects/v1/labels/list",
    scope="projects:labels:list",
    request=ListLabels,
    response=list[Label],
    errors=(ProjectNotFound,),
)
def list_labels(call: Call, query: ListLabels) -> Page[LabelRow]:
    """
    List the labels of a project and the global ones, by name.

    A label without a project is global. scope restricts the list to either kind.
    Without a project, labels of archived projects are left out.
    """
    return labels.list_labels(query)


@operation(
    "POST /projects/v1/labels/create",
    scope="projects:labels:create",
    locks=of_label,
    request=CreateLabel,
    response=Label,
    audit="label.added",
    errors=(ProjectNotFound, RoleRequired, ProjectArchived, NameTaken, LimitExceeded),
    max_body_bytes=MIB,
)
def create_label(call: Call, request: CreateLabel) -> LabelRow:
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
    scope="projects:labels:update",
    request=UpdateLabel,
    response=Label,
    audit="label.updated",
    errors=(LabelNotFound, RoleRequired, ProjectArchived, NameTaken),
    max_body_bytes=MIB,
)
def update_label(call: Call, request: UpdateLabel) -> LabelRow:
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
    scope="projects:labels:remove",
    request=RemoveLabel,
    response=RemovedLabel,
    audit="label.removed",
    errors=(LabelNotFound, RoleRequired, ProjectArchived),
    max_body_bytes=MIB,
)
def remove_label(call: Call, request: RemoveLabel) -> RemovedLabel:
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


def removed_label(label: LabelRow, detached: int) -> RemovedLabel:
    return RemovedLabel(
        id=label.id, project_id=label.project_id, name=label.name, detached=detached
    )
