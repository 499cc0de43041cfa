"""What a work item may name: members, labels, milestones and specifications."""

from collections.abc import Callable, Iterable
from typing import Any

from models.errors import ReferenceNotFound
from models.projects.members.role_checks import MemberRow
from models.projects.planning.rows import LabelRow, MilestoneRow
from models.projects.projects.rows import ProjectRow
from models.projects.specifications.rows import SpecificationRow
from models.projects.work.rows import WorkItemRow

# What one refusal names in its sentence; `errors` names all.
TOLD = 10

Missing = dict[str, str]
Usable = Callable[[ProjectRow, list[str]], set[str]]


def _members(project: ProjectRow, ids: list[str]) -> set[str]:
    if project.builtin:  # there everybody is at least a contributor
        return set(ids)
    account = MemberRow.account_id
    return _found(account, MemberRow.project == project.id, account.in_(ids))


def _labels(project: ProjectRow, ids: list[str]) -> set[str]:
    of = LabelRow.project.is_null() | (LabelRow.project == project.id)
    return _found(LabelRow.id, of, LabelRow.id.in_(ids))


def _milestones(project: ProjectRow, ids: list[str]) -> set[str]:
    row = MilestoneRow
    of = (row.project == project.id) & row.archived_at.is_null()
    return _found(row.id, of, row.id.in_(ids))


def _specifications(project: ProjectRow, ids: list[str]) -> set[str]:  # noqa: ARG001
    row = SpecificationRow
    return _found(row.id, row.archived_at.is_null(), row.id.in_(ids))


# The member of a body, what of its ids may be used, and what the others are not.
USABLE: dict[str, tuple[str, Usable, str]] = {
    "assignee_ids": ("assigneeIds", _members, "Is no member of the project"),
    "label_ids": ("labelIds", _labels, "Is no label that the project can use"),
    "milestone_id": ("milestoneId", _milestones, "Is no milestone of the project"),
    "specifications": ("specifications", _specifications, "Is no specification"),
}


def missing(
    project: ProjectRow,
    wanted: dict[str, Any],
    *,
    held: WorkItemRow | None = None,
    at: str = "",
) -> list[Missing]:
    """
    Return an error for everything named that cannot be used, or is archived.

    What the item holds already is not looked at again: who leaves a project must
    not make every later save fail.
    """
    found = []
    for name, (_, usable, sentence) in USABLE.items():
        places = _places(name, wanted.get(name))
        old = {id for _, id in _places(name, getattr(held, name, None))}
        new = {place: id for place, id in places if id not in old}
        known = usable(project, list(set(new.values()))) if new else set()
        for place, id in new.items():
            if id not in known:
                detail = f"{sentence}: {id}."
                found.append(
                    {"pointer": at + place, "code": "unknown", "detail": detail}
                )
    return found


def require_all(found: list[Missing]) -> None:
    """Refuse if anything is missing; say all of it."""
    if found:
        told = [f"{each['pointer']}: {each['detail']}" for each in found[:TOLD]]
        if len(found) > TOLD:
            told.append(f"And {len(found) - TOLD} more.")
        raise ReferenceNotFound(" ".join(told), errors=found)


def _places(name: str, value: Any) -> list[tuple[str, str]]:
    """Return where ids stand in the member of the body, and the ids."""
    member = USABLE[name][0]
    if value is None:
        return []
    if isinstance(value, str):
        return [(f"/{member}", value)]
    within = "/specificationId" if name == "specifications" else ""
    return [
        (f"/{member}/{place}{within}", getattr(each, "specification_id", each))
        for place, each in enumerate(value)
    ]


def _found(column: Any, *where: Any) -> set[str]:
    rows: Iterable[tuple[str]] = column.model.select(column).where(*where).tuples()
    return {id for (id,) in rows}
