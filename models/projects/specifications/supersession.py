"""Supersession: a specification gives way to another, for good."""

from datetime import datetime
from typing import Any

from models.base import Schema
from models.errors import ReferenceNotFound, SuccessorUnusable
from models.fields import Id, MayOmit, Moment, Slug
from models.projects.fields import Actor, Version
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import record_activity
from models.projects.projects.rows import require_active
from models.projects.specifications.rows import (
    SPECIFICATIONS,
    SpecificationRow,
    specification_with,
)
from models.projects.specifications.specifications import (
    RevisionSummary,
    SpecificationStatus,
    keep,
    require_living,
)


class SupersedeSpecification(Schema):
    id: Id
    superseded_by: Id
    summary: RevisionSummary = None
    expected_version: MayOmit[Version] = None


class GetLineage(Schema):
    id: Id


class Relative(Schema):
    """A specification in a line, without its text."""

    id: Id
    slug: Slug
    title: str
    status: SpecificationStatus
    version: int
    superseded_at: Moment | None
    superseded_by: Id | None
    archived_at: Moment | None


class Lineage(Schema):
    """What led to a specification and what follows it, nearest first."""

    specification_id: Id
    head_id: Id
    predecessors: list[Relative]
    successors: list[Relative]


def supersede_specification(
    request: SupersedeSpecification, now: datetime, actor: Actor
) -> tuple[SpecificationRow, bool]:
    """Retire it in favour of another; tell whether that was not so already."""
    specification = SPECIFICATIONS.with_content(specification_with(request.id))
    require_role(specification.project, actor, "specifications:supersede")
    SPECIFICATIONS.require_version(specification, request.expected_version)
    require_active(specification.project, specification)
    if specification.superseded_by == request.superseded_by:
        return specification, False
    require_living(specification)
    _require_successor(specification, request.superseded_by)
    status = specification.status
    wanted = {
        "status": "superseded",
        "superseded_at": now,
        "superseded_by": request.superseded_by,
        "version": specification.version + 1,
    }
    specification.change(wanted, now)
    keep(specification, specification.content, actor, request.summary)
    told: dict[str, Any] = {
        "version": specification.version,
        "from": status,
        "supersededBy": request.superseded_by,
        "summary": request.summary,
    }
    about = (specification.id, actor, now)
    record_activity(specification.project, "specification.superseded", *about, **told)
    return specification, True


def _require_successor(specification: SpecificationRow, id: str) -> None:
    """
    Refuse who cannot take over: it must live, in the same project.

    A successor that lives has none itself, so no line closes to a ring.
    """
    successor = SpecificationRow.get_or_none(SpecificationRow.id == id)
    if successor is None:
        raise ReferenceNotFound(f"supersededBy: No specification has the id '{id}'.")
    if successor.id == specification.id:
        why = "cannot supersede itself"
    elif successor.project_id != specification.project_id:
        why = "belongs to another project"
    elif successor.superseded_by is not None:
        why = f"is superseded itself{_living_head(specification, successor)}"
    elif successor.archived_at is not None:
        why = "is archived"
    else:
        return
    raise SuccessorUnusable(f"The {successor.noun} {why}.")


def _living_head(specification: SpecificationRow, successor: SpecificationRow) -> str:
    """Name who took over in the end, where that one can be the successor."""
    line = _followed(successor.superseded_by, _superseded(successor.project_id))
    head = SpecificationRow.get_by_id(line[-1])
    if head.archived_at is not None or head.id == specification.id:
        return ""
    return f"; the living one is '{head.slug}', with the id '{head.id}'"


def lineage_of(query: GetLineage) -> Lineage:
    specification = specification_with(query.id)
    by_id = _superseded(specification.project_id)
    after = _followed(specification.superseded_by, by_id)
    before = _led_to(specification.id, by_id)
    found = SpecificationRow.select().where(SpecificationRow.id.in_(after[-1:]))
    relatives = by_id | {each.id: each for each in found}
    return Lineage.model_validate(
        {
            "specification_id": specification.id,
            "head_id": after[-1] if after else specification.id,
            "predecessors": [relatives[id] for id in before],
            "successors": [relatives[id] for id in after],
        }
    )


def _superseded(project_id: str) -> dict[str, Any]:
    """Return what has a successor in the project, oldest first, by id."""
    query = SpecificationRow.select().where(
        SpecificationRow.project == project_id,
        SpecificationRow.superseded_by.is_null(False),
    )
    return {each.id: each for each in query.order_by(SpecificationRow.id)}


def _followed(id: str | None, by_id: dict[str, Any]) -> list[str]:
    """Return the ids from this one to the last successor."""
    # Even a ring, which an import might assert, comes to an end.
    line: dict[str, None] = {}
    while id is not None and id not in line:
        line[id] = None
        id = by_id[id].superseded_by if id in by_id else None
    return list(line)


def _led_to(id: str, by_id: dict[str, Any]) -> list[str]:
    """Return the ids of all that gave way to this one, by however many steps."""
    predecessors: dict[str, list[str]] = {}
    for each in by_id.values():
        predecessors.setdefault(each.superseded_by, []).append(each.id)
    reached = [id]
    for each in reached:
        reached += predecessors.pop(each, [])
    return reached[1:]
