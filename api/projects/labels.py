"""What may be asked about labels."""

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
    labels_listed,
)
from models.projects.planning.rows import LabelRow

ADMIN = "projects:admin:labels"


@operation(
    "GET /projects/v1/labels/list",
    scope="projects:labels:list",
    request=ListLabels,
    response=list[Label],
    errors=(ProjectNotFound,),
)
def list_labels(call: Call, query: ListLabels) -> Page[LabelRow]:
    """
    List labels by name: those of the project, and the global ones.

    A label without a project is global; scope leaves out one kind. Without a
    project, labels of archived projects are left out.
    """
    return labels_listed(query)


@operation(
    "POST /projects/v1/labels/create",
    scope="projects:labels:create",
    request=CreateLabel,
    response=Label,
    audit="label.added",
    errors=(ProjectNotFound, RoleRequired, ProjectArchived, NameTaken, LimitExceeded),
    max_body_bytes=MIB,
)
def create_label(call: Call, request: CreateLabel) -> LabelRow:
    """
    Add a label to a project.

    Without a project it is global, which needs projects:admin:labels:add as well.
    A project may not take the name of a global label. Send an Idempotency-Key to
    be able to repeat the call safely.
    """
    is_admin = call.caller.has_scope(f"{ADMIN}:add")
    label = labels.create_label(request, call.now, call.actor, is_admin=is_admin)
    put_down(call, label)
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

    A global one needs projects:admin:labels:update as well.
    """
    is_admin = call.caller.has_scope(f"{ADMIN}:update")
    label, old = labels.update_label(request, call.now, call.actor, is_admin=is_admin)
    put_down_renaming(call, label, old)
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
    Remove a label, also from the items that bear it, archived ones included.

    A global one needs projects:admin:labels:remove as well.
    """
    is_admin = call.caller.has_scope(f"{ADMIN}:remove")
    label, detached = labels.remove_label(
        request, call.now, call.actor, is_admin=is_admin
    )
    put_down(call, label)
    return removed(label, detached)


def put_down(call: Call, label: LabelRow, detail: str | None = None) -> None:
    """Audit a global label; the activity of its project tells of any other."""
    if label.project_id is None:
        call.audit(label, detail=detail)
    else:
        call.skip_audit()


def put_down_renaming(call: Call, label: LabelRow, old: str | None) -> None:
    """Say how the label was called, or that it still is."""
    if old is None:
        call.mark_unchanged()
    else:
        put_down(call, label, f"{old} -> {label.name}")


def removed(label: LabelRow, detached: int) -> RemovedLabel:
    return RemovedLabel(
        id=label.id, project_id=label.project_id, name=label.name, detached=detached
    )
