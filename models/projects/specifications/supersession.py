"""Supersede specifications, and follow their lineage."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from models.base import Schema
from models.errors import ReferenceNotFound, SuccessorUnusable
from models.fields import ID, STATUS, Id, MayOmit, Moment, Slug
from models.projects import descriptions
from models.projects.fields import (
    Actor,
    ArchivedAt,
    ExpectedVersion,
    SpecificationId,
)
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
    require_editable,
    save_revision,
)


class SupersedeSpecification(Schema):
    id: Annotated[Id, ID]
    superseded_by: Id = Field(description="The ID of the superseding specification.")
    summary: Annotated[RevisionSummary, descriptions.CHANGE_NOTE] = None
    expected_version: MayOmit[ExpectedVersion] = None


class GetLineage(Schema):
    id: Annotated[Id, ID]


class Relative(Schema):
    """A specification in a lineage, without its content."""

    id: Annotated[Id, ID]
    slug: Annotated[Slug, descriptions.SLUG]
    title: Annotated[str, descriptions.TITLE]
    status: Annotated[SpecificationStatus, STATUS]
    version: Annotated[int, descriptions.VERSION]
    superseded_at: Moment | None = Field(
        description="When it was superseded.", examples=[None]
    )
    superseded_by: Id | None = Field(
        description="The ID of the specification that superseded it.", examples=[None]
    )
    archived_at: ArchivedAt | None


class Lineage(Schema):
    """The predecessors and successors of a specification, nearest first."""

    specification_id: SpecificationId
    head_id: Id = Field(description="The ID of the specification in force.")
    predecessors: list[Relative] = Field(
        description="The specifications that it superseded, nearest first."
    )
    successors: list[Relative] = Field(
        description="The specifications that superseded it, nearest first."
    )


def supersede_specification(
    request: SupersedeSpecification, now: datetime, actor: Actor
) -> tuple[SpecificationRow, bool]:
    """Supersede a specification for good; return whether that changed anything."""
    specification = SPECIFICATIONS.load_content(specification_with(request.id))
    require_role(specification.project, actor, "specifications:supersede")
    SPECIFICATIONS.require_version(specification, request.expected_version)
    require_active(specification.project, specification)
    if specification.superseded_by == request.superseded_by:
        return specification, False
    require_editable(specification)
    _require_successor(specification, request.superseded_by)
    status = specification.status
    values = {
        "status": "superseded",
        "superseded_at": now,
        "superseded_by": request.superseded_by,
        "version": specification.version + 1,
    }
    specification.change(values, now)
    save_revision(specification, specification.content, actor, request.summary)
    metadata: dict[str, Any] = {
        "version": specification.version,
        "from": status,
        "supersededBy": request.superseded_by,
        "summary": request.summary,
    }
    record_activity(specification, "specification.superseded", actor, now, **metadata)
    return specification, True


def _require_successor(specification: SpecificationRow, id: str) -> None:
    """
    Raise SuccessorUnusable unless it is an editable specification of the project.

    A successor that is not superseded itself cannot close a cycle.
    """
    successor = SpecificationRow.get_or_none(SpecificationRow.id == id)
    if successor is None:
        raise ReferenceNotFound(f"supersededBy: No specification has the id '{id}'.")
    if successor.id == specification.id:
        reason = "cannot supersede itself"
    elif successor.project_id != specification.project_id:
        reason = "belongs to another project"
    elif successor.superseded_by is not None:
        reason = f"is superseded itself{_current_head(specification, successor)}"
    elif successor.archived_at is not None:
        reason = "is archived"
    else:
        return
    raise SuccessorUnusable(f"The {successor.noun} {reason}.")


def _current_head(specification: SpecificationRow, successor: SpecificationRow) -> str:
    """Return a hint at the end of the lineage, if that could be the successor."""
    line = _successors(successor.superseded_by, _superseded(successor.project_id))
    head = SpecificationRow.get_by_id(line[-1])
    if head.archived_at is not None or head.id == specification.id:
        return ""
    return f"; its current successor is '{head.slug}', with the id '{head.id}'"


def specification_lineage(query: GetLineage) -> Lineage:
    specification = specification_with(query.id)
    by_id = _superseded(specification.project_id)
    after = _successors(specification.superseded_by, by_id)
    before = _predecessors(specification.id, by_id)
    last = SpecificationRow.select().where(SpecificationRow.id.in_(after[-1:]))
    relatives = by_id | {row.id: row for row in last}
    return Lineage.model_validate(
        {
            "specification_id": specification.id,
            "head_id": after[-1] if after else specification.id,
            "predecessors": [relatives[id] for id in before],
            "successors": [relatives[id] for id in after],
        }
    )


def _superseded(project_id: str) -> dict[str, Any]:
    """Return the superseded specifications of the project by id, oldest first."""
    query = SpecificationRow.select().where(
        SpecificationRow.project == project_id,
        SpecificationRow.superseded_by.is_null(False),
    )
    return {row.id: row for row in query.order_by(SpecificationRow.id)}


def _successors(id: str | None, by_id: dict[str, Any]) -> list[str]:
    """Return the id and the ids of its successors, to the last one."""
    # Stops at a cycle too, although no rule lets one in.
    line: dict[str, None] = {}
    while id is not None and id not in line:
        line[id] = None
        id = by_id[id].superseded_by if id in by_id else None
    return list(line)


def _predecessors(id: str, by_id: dict[str, Any]) -> list[str]:
    """Return the ids of all specifications that this one supersedes, step by step."""
    predecessors: dict[str, list[str]] = {}
    for row in by_id.values():
        predecessors.setdefault(row.superseded_by, []).append(row.id)
    reached = [id]
    for successor in reached:
        reached += predecessors.pop(successor, [])
    return reached[1:]
