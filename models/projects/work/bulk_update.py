"""Apply the same changes to many work items in one call: all, or none."""

from datetime import datetime
from typing import Annotated, Any, NamedTuple

from pydantic import Field, model_validator

from models.base import Schema, new_id
from models.errors import LimitExceeded
from models.fields import EXAMPLE_ID, STATUS, Id, MayOmit, Moment, WithoutDuplicates
from models.projects import descriptions
from models.projects.fields import EXAMPLE_TIME, Actor, DueAt
from models.projects.work.bulk_checks import (
    Refusals,
    changeable_items,
    raise_for_items,
)
from models.projects.work.items import (
    MAX_ASSIGNEES,
    MAX_LABELS,
    Assignees,
    Bucket,
    Labels,
    Priority,
    WorkStatus,
    WorkType,
    save_changes,
)
from models.projects.work.links import load_links
from models.projects.work.reference_checks import (
    FieldError,
    raise_if_any,
    reference_errors,
)
from models.projects.work.rows import WorkItemRow


class WorkChanges(Schema, example=("priority",)):
    """The changes to every item; labels and assignees are added and removed."""

    status: Annotated[MayOmit[WorkStatus], STATUS] = None
    priority: Annotated[MayOmit[Priority], descriptions.PRIORITY] = None
    bucket: Annotated[MayOmit[Bucket], descriptions.BUCKET] = None
    type: Annotated[MayOmit[WorkType], descriptions.TYPE] = None
    milestone_id: Annotated[Id | None, descriptions.MILESTONE_ID] = None
    due_at: DueAt | None = None
    add_label_ids: MayOmit[Labels] = Field(
        default=None, description="The IDs of labels to add."
    )
    remove_label_ids: MayOmit[Labels] = Field(
        default=None, description="The IDs of labels to remove."
    )
    add_assignee_ids: MayOmit[Assignees] = Field(
        default=None, description="The IDs of accounts to assign in addition."
    )
    remove_assignee_ids: MayOmit[Assignees] = Field(
        default=None, description="The IDs of accounts to unassign."
    )

    @model_validator(mode="after")
    def _has_changes(self) -> "WorkChanges":
        if not self.model_fields_set:
            raise ValueError("Give at least one change.")
        return self


class BulkUpdateWorkItems(Schema):
    ids: Annotated[list[Id], Field(min_length=1, max_length=100), WithoutDuplicates] = (
        Field(description="The IDs of the work items.", examples=[[EXAMPLE_ID]])
    )
    changes: WorkChanges = Field(description="The changes to make to every work item.")
    expected: dict[Id, Moment] = Field(
        default={},
        description="The expected updatedAt of work items, by ID; another one is a"
        " conflict.",
        examples=[{EXAMPLE_ID: EXAMPLE_TIME}],
    )

    @model_validator(mode="after")
    def _expected_are_updated(self) -> "BulkUpdateWorkItems":
        if not self.expected.keys() <= set(self.ids):
            raise ValueError("expected may only name work items that are in ids.")
        return self


class ListChange(NamedTuple):
    """A list field, the changes that add to it and remove from it, and its limit."""

    field: str
    add: str
    remove: str
    max_length: int


LIST_CHANGES = (
    ListChange("label_ids", "add_label_ids", "remove_label_ids", MAX_LABELS),
    ListChange(
        "assignee_ids", "add_assignee_ids", "remove_assignee_ids", MAX_ASSIGNEES
    ),
)


def bulk_update_work_items(
    request: BulkUpdateWorkItems, now: datetime, actor: Actor
) -> tuple[list[WorkItemRow], bool]:
    """Change the items; return them in the given order, and whether any changed."""
    items = changeable_items(request.ids, request.expected, actor)
    load_links(items)
    _check_references(items, request.changes)
    new_values = [_new_values(item, request.changes) for item in items]
    _require_within_limits(items, new_values)
    batch = {"batchId": new_id(now), "batchSize": len(items)}
    changed = [
        save_changes(item, values, now, actor, **batch)
        for item, values in zip(items, new_values, strict=True)
    ]
    return items, any(changed)


def _check_references(items: list[WorkItemRow], changes: WorkChanges) -> None:
    """Raise ReferenceNotFound for ids that any item may not name, each error once."""
    values = {"milestone_id": changes.milestone_id}
    values |= {change.field: getattr(changes, change.add) for change in LIST_CHANGES}
    errors: dict[tuple[str, str], FieldError] = {}
    for item in items:
        for error in reference_errors(item.project, values, current=item):
            field, *index = error["pointer"].removeprefix("/").split("/")
            # In the request, /labelIds/0 is /changes/addLabelIds/0.
            parameter = f"add{field[0].upper()}{field[1:]}" if index else field
            pointer = "/".join(["/changes", parameter, *index])
            errors[pointer, error["detail"]] = error | {"pointer": pointer}
    raise_if_any(list(errors.values()))


def _new_values(item: WorkItemRow, changes: WorkChanges) -> dict[str, Any]:
    """Return the item's values after the changes; removing wins over adding."""
    values = changes.sent_fields()
    for field, add, remove, _ in LIST_CHANGES:
        added, removed = values.pop(add, None) or [], values.pop(remove, None) or []
        elements = dict.fromkeys([*getattr(item, field), *added])
        values[field] = [element for element in elements if element not in removed]
    return values


def _require_within_limits(
    items: list[WorkItemRow], new_values: list[dict[str, Any]]
) -> None:
    refusals: Refusals = {}
    for field, *_, max_length in LIST_CHANGES:
        noun = field.removesuffix("_ids")
        for item, values in zip(items, new_values, strict=True):
            if len(values[field]) > max_length:
                detail = f"The {item.noun} would have more than {max_length} {noun}s."
                refusals.setdefault(item.id, LimitExceeded(detail))
    raise_for_items([item.id for item in items], refusals)
