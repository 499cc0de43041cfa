"""What may be asked about labels."""

from api.operation import MIB, Call, operation
from api.projects.by import by
from models.errors import (
    LabelNotFound,
    LimitExceeded,
    NameTaken,
    ProjectArchived,
    ProjectNotFound,
    RoleRequired,
)
from models.pagination import Page
from models.projects.label import LabelRow
from models.projects.labels import (
    CreateLabel,
    Label,
    ListLabels,
    RemovedLabel,
    RemoveLabel,
    UpdateLabel,
    create_label,
    labels_listed,
    remove_label,
    update_label,
)

ADMIN = "projects:admin:labels"


@operation(
    "GET /projects/v1/labels/list",
    scope="projects:labels:list",
    takes=ListLabels,
    gives=list[Label],
    refuses=(ProjectNotFound,),
)
def list_labels(call: Call, asked: ListLabels) -> Page[LabelRow]:
    """
    List labels by name: those of the project, and the global ones.

    A label without a project is global; scope leaves out one kind. Without a
    project, labels of archived projects are left out.
    """
    return labels_listed(asked)


@operation(
    "POST /projects/v1/labels/create",
    scope="projects:labels:create",
    takes=CreateLabel,
    gives=Label,
    audit="label.added",
    refuses=(ProjectNotFound, RoleRequired, ProjectArchived, NameTaken, LimitExceeded),
    most_bytes=MIB,
)
def add_label(call: Call, asked: CreateLabel) -> LabelRow:
    """
    Add a label to a project.

    Without a project it is global, which needs projects:admin:labels:add as well.
    A project may not take the name of a global label. Send an Idempotency-Key to
    be able to repeat the call safely.
    """
    is_admin = call.caller.covers(f"{ADMIN}:add")
    label = create_label(asked, call.now, by(call), is_admin=is_admin)
    put_down(call, label)
    return label


@operation(
    "POST /projects/v1/labels/update",
    scope="projects:labels:update",
    takes=UpdateLabel,
    gives=Label,
    audit="label.updated",
    refuses=(LabelNotFound, RoleRequired, ProjectArchived, NameTaken),
    most_bytes=MIB,
)
def change_label(call: Call, asked: UpdateLabel) -> LabelRow:
    """
    Rename a label.

    A global one needs projects:admin:labels:update as well.
    """
    is_admin = call.caller.covers(f"{ADMIN}:update")
    label, old = update_label(asked, call.now, by(call), is_admin=is_admin)
    put_down_renaming(call, label, old)
    return label


@operation(
    "POST /projects/v1/labels/remove",
    scope="projects:labels:remove",
    takes=RemoveLabel,
    gives=RemovedLabel,
    audit="label.removed",
    refuses=(LabelNotFound, RoleRequired, ProjectArchived),
    most_bytes=MIB,
)
def take_label(call: Call, asked: RemoveLabel) -> RemovedLabel:
    """
    Remove a label, also from the items that bear it, archived ones included.

    A global one needs projects:admin:labels:remove as well.
    """
    is_admin = call.caller.covers(f"{ADMIN}:remove")
    label, detached = remove_label(asked, call.now, by(call), is_admin=is_admin)
    put_down(call, label)
    return removed(label, detached)


def put_down(call: Call, label: LabelRow, detail: str | None = None) -> None:
    """Audit a global label; the activity of its project tells of any other."""
    if label.project_id is None:
        call.audit(label, detail=detail)
    else:
        call.unaudited()


def put_down_renaming(call: Call, label: LabelRow, old: str | None) -> None:
    """Say how the label was called, or that it still is."""
    if old is None:
        call.unchanged()
    else:
        put_down(call, label, f"{old} -> {label.name}")


def removed(label: LabelRow, detached: int) -> RemovedLabel:
    return RemovedLabel(
        id=label.id, project_id=label.project_id, name=label.name, detached=detached
    )
