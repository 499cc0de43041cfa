"""Check the members, labels, milestones and specifications that work items name."""

from collections.abc import Callable, Iterable
from typing import Any

from models.errors import ReferenceNotFound
from models.projects.members.rows import MemberRow
from models.projects.planning.rows import LabelRow, MilestoneRow
from models.projects.projects.rows import ProjectRow
from models.projects.specifications.rows import SpecificationRow
from models.projects.work.rows import WorkItemRow

# How many errors the sentence of a refusal names; its `errors` have all.
MAX_NAMED = 10

# An error in one field of a request: its pointer, code and detail.
FieldError = dict[str, str]
# Returns those of the ids that a work item of the project may name.
Checker = Callable[[ProjectRow, list[str]], set[str]]


def _members(project: ProjectRow, ids: list[str]) -> set[str]:
    if project.builtin:  # every account is at least a contributor there
        return set(ids)
    account_id = MemberRow.account_id
    return _select(account_id, MemberRow.project == project.id, account_id.in_(ids))


def _labels(project: ProjectRow, ids: list[str]) -> set[str]:
    is_usable = LabelRow.project.is_null() | (LabelRow.project == project.id)
    return _select(LabelRow.id, is_usable, LabelRow.id.in_(ids))


def _milestones(project: ProjectRow, ids: list[str]) -> set[str]:
    row = MilestoneRow
    is_usable = (row.project == project.id) & row.archived_at.is_null()
    return _select(row.id, is_usable, row.id.in_(ids))


def _specifications(project: ProjectRow, ids: list[str]) -> set[str]:  # noqa: ARG001
    row = SpecificationRow
    return _select(row.id, row.archived_at.is_null(), row.id.in_(ids))


def _select(column: Any, *conditions: Any) -> set[str]:
    rows: Iterable[tuple[str]] = column.model.select(column).where(*conditions).tuples()
    return {id for (id,) in rows}


# For each field: its name in JSON, the checker, and the error for other ids.
REFERENCE_FIELDS: dict[str, tuple[str, Checker, str]] = {
    "assignee_ids": ("assigneeIds", _members, "Is not a member of the project"),
    "label_ids": ("labelIds", _labels, "Is not a label that the project can use"),
    "milestone_id": ("milestoneId", _milestones, "Is not a milestone of the project"),
    "specifications": ("specifications", _specifications, "Is not a specification"),
}


def reference_errors(
    project: ProjectRow,
    values: dict[str, Any],
    *,
    current: WorkItemRow | None = None,
    prefix: str = "",
) -> list[FieldError]:
    """
    Return an error for each id that does not exist, is archived or belongs elsewhere.

    What the current work item names already is not checked again: otherwise a member
    who leaves the project would make every later update fail.
    """
    errors = []
    for name, (_, check, message) in REFERENCE_FIELDS.items():
        current_ids = {id for _, id in _pointers(name, getattr(current, name, None))}
        ids_by_pointer = {
            pointer: id
            for pointer, id in _pointers(name, values.get(name))
            if id not in current_ids
        }
        valid = set()
        if ids_by_pointer:
            valid = check(project, list(set(ids_by_pointer.values())))
        errors += [
            {
                "pointer": prefix + pointer,
                "code": "unknown",
                "detail": f"{message}: {id}.",
            }
            for pointer, id in ids_by_pointer.items()
            if id not in valid
        ]
    return errors


def raise_if_any(errors: list[FieldError]) -> None:
    """Raise ReferenceNotFound with all of the errors, if there are any."""
    if errors:
        raise ReferenceNotFound(describe_errors(errors), errors=errors)


def describe_errors(errors: list[FieldError]) -> str:
    """Return the detail of a refusal: the first MAX_NAMED errors."""
    lines = [f"{error['pointer']}: {error['detail']}" for error in errors[:MAX_NAMED]]
    if len(errors) > MAX_NAMED:
        lines.append(f"And {len(errors) - MAX_NAMED} more.")
    return " ".join(lines)


def _pointers(name: str, value: Any) -> list[tuple[str, str]]:
    """Return the JSON pointer of each id in the field, and the id."""
    field = REFERENCE_FIELDS[name][0]
    if value is None:
        return []
    if isinstance(value, str):
        return [(f"/{field}", value)]
    suffix = "/specificationId" if name == "specifications" else ""
    return [
        (f"/{field}/{index}{suffix}", getattr(element, "specification_id", element))
        for index, element in enumerate(value)
    ]
