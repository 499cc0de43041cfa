"""What operators may ask about global labels."""

from typing import Any

from api.operation import MIB, Call, operation
from api.projects.by import by
from api.projects.labels import put_down, put_down_renaming, removed
from models.errors import LabelNotFound, NameTaken
from models.pagination import Page
from models.projects.admin_labels import LabelUse, ListGlobalLabels, label_uses_listed
from models.projects.label import LabelRow
from models.projects.labels import (
    AdminCreateLabel,
    Label,
    RemovedLabel,
    RemoveLabel,
    UpdateLabel,
    create_global_label,
    global_label_with,
    remove_label,
    update_label,
)


@operation(
    "GET /projects/v1/admin/labels/list",
    scope="projects:admin:labels:list",
    takes=ListGlobalLabels,
    gives=list[LabelUse],
)
def list_global_labels(call: Call, asked: ListGlobalLabels) -> Page[dict[str, Any]]:
    """List the global labels by name, each with how many items and projects use it."""
    return label_uses_listed(asked)


@operation(
    "POST /projects/v1/admin/labels/add",
    scope="projects:admin:labels:add",
    takes=AdminCreateLabel,
    gives=Label,
    audit="label.added",
    refuses=(NameTaken,),
    most_bytes=MIB,
)
def add_global_label(call: Call, asked: AdminCreateLabel) -> LabelRow:
    """
    Add a label for every project.

    Where projects have labels of the name, say mergeProjectLabels: the new one
    takes their place on their items. Send an Idempotency-Key to be able to repeat
    the call safely.
    """
    label = create_global_label(asked, call.now, by(call))
    put_down(call, label)
    return label


@operation(
    "POST /projects/v1/admin/labels/update",
    scope="projects:admin:labels:update",
    takes=UpdateLabel,
    gives=Label,
    audit="label.updated",
    refuses=(LabelNotFound, NameTaken),
    most_bytes=MIB,
)
def change_global_label(call: Call, asked: UpdateLabel) -> LabelRow:
    """Rename a global label."""
    global_label_with(asked.id)
    label, old = update_label(asked, call.now, by(call), is_admin=True)
    put_down_renaming(call, label, old)
    return label


@operation(
    "POST /projects/v1/admin/labels/remove",
    scope="projects:admin:labels:remove",
    takes=RemoveLabel,
    gives=RemovedLabel,
    audit="label.removed",
    refuses=(LabelNotFound,),
    most_bytes=MIB,
)
def take_global_label(call: Call, asked: RemoveLabel) -> RemovedLabel:
    """Remove a global label, also from the items that bear it, in every project."""
    global_label_with(asked.id)
    label, detached = remove_label(asked, call.now, by(call), is_admin=True)
    put_down(call, label)
    return removed(label, detached)
