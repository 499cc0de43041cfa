"""Relationships as they are found: listed, and as a graph around something."""

from typing import Annotated, Any, Literal

from peewee import ModelSelect
from pydantic import Field, model_validator

from models.base import Schema
from models.fields import Id, Moment, QueryInteger
from models.pagination import CursorQuery, Page, cursor_page, descending
from models.projects.fields import Commas, OfProject
from models.projects.projects.rows import project_asked
from models.projects.work.items import WorkStatus
from models.projects.work.relationships import Relationship, WorkRelationship
from models.projects.work.rows import WorkItemRow, WorkRelationshipRow, work_item_with

Direction = Literal["any", "outgoing", "incoming"]
DEPTH, MOST_EDGES, AT_ONCE = 2, 2000, 500

Row: Any = WorkRelationshipRow
Source: Any = WorkItemRow.alias("source_item")
Target: Any = WorkItemRow.alias("target_item")


class OfItem(OfProject):
    """A question about one work item, or about one project."""

    work_item_id: Id | None = None
    relationship: Commas[Relationship] | None = None

    @model_validator(mode="after")
    def _one(self) -> "OfItem":
        names = (self.work_item_id, self.project_id, self.project_slug)
        if len([name for name in names if name is not None]) != 1:
            raise ValueError(
                "Give exactly one of workItemId, projectId and projectSlug."
            )
        return self


class ListRelationships(OfItem, CursorQuery):
    direction: Direction | None = None

    @model_validator(mode="after")
    def _from_an_item(self) -> "ListRelationships":
        if self.direction is not None and self.work_item_id is None:
            raise ValueError("direction goes with workItemId.")
        return self


class GetGraph(OfItem):
    depth: Annotated[QueryInteger, Field(ge=1, le=5)] | None = None

    @model_validator(mode="after")
    def _from_an_item(self) -> "GetGraph":
        if self.depth is not None and self.work_item_id is None:
            raise ValueError("depth goes with workItemId.")
        return self


class Node(Schema):
    id: Id
    project_id: Id
    number: int
    title: str
    status: WorkStatus
    archived_at: Moment | None


class Graph(Schema):
    nodes: list[Node]
    edges: list[WorkRelationship]
    truncated: bool


def relationships_listed(query: ListRelationships) -> Page[WorkRelationshipRow]:
    """Return a page of them as they are stored, the newest first."""
    rows = _of_kind(query)
    if query.work_item_id is None:
        rows = _in_project(rows, query)
    else:
        id = work_item_with(query.work_item_id).id
        ways = {"outgoing": Row.source == id, "incoming": Row.target == id}
        either = (Row.source == id) | (Row.target == id)
        rows = rows.where(ways.get(query.direction or "any", either))
    return cursor_page(rows, query, descending(Row.number))


def graph_got(query: GetGraph) -> Graph:
    """
    Return items and their relationships: of a project, or around one item.

    At most MOST_EDGES; beyond, the graph is truncated.
    """
    if query.work_item_id is None:
        rows = _in_project(_of_kind(query), query).order_by(Row.number)
        edges = {row.number: row for row in rows.limit(MOST_EDGES + 1)}
        ids: set[str] = set()
    else:
        ids = {work_item_with(query.work_item_id).id}
        edges = _around(ids, query)
    told = sorted(edges.values(), key=lambda row: row.number)[:MOST_EDGES]
    ids |= {id for row in told for id in (row.source_id, row.target_id)}
    return Graph.model_validate(
        {"nodes": _nodes(ids), "edges": told, "truncated": len(edges) > MOST_EDGES},
        by_name=True,
    )


def _around(start: set[str], query: GetGraph) -> dict[int, WorkRelationshipRow]:
    """Walk from the item along relationships, either way, one step after another."""
    edges: dict[int, WorkRelationshipRow] = {}
    seen, front = set(start), sorted(start)
    for _ in range(query.depth or DEPTH):
        found = _touching(front, query)
        edges |= found
        if len(edges) > MOST_EDGES:
            break
        ends = {id for row in found.values() for id in (row.source_id, row.target_id)}
        front = sorted(ends - seen)
        seen |= ends
    return edges


def _touching(front: list[str], query: GetGraph) -> dict[int, WorkRelationshipRow]:
    found: dict[int, WorkRelationshipRow] = {}
    for start in range(0, len(front), AT_ONCE):
        ids = front[start : start + AT_ONCE]
        touches = Row.source.in_(ids) | Row.target.in_(ids)
        rows = _of_kind(query).where(touches).order_by(Row.number)
        found |= {row.number: row for row in rows.limit(MOST_EDGES + 1)}
        if len(found) > MOST_EDGES:
            break
    return found


def _nodes(ids: set[str]) -> list[WorkItemRow]:
    wanted, found = sorted(ids), []
    for start in range(0, len(wanted), AT_ONCE):
        some = wanted[start : start + AT_ONCE]
        found += list(WorkItemRow.select().where(WorkItemRow.id.in_(some)))
    return sorted(found, key=lambda row: row.id)


def _of_kind(request: OfItem) -> "ModelSelect[Any]":
    query = Row.select()
    if request.relationship is not None:
        query = query.where(Row.relationship.in_(request.relationship))
    return query


def _in_project(query: "ModelSelect[Any]", request: OfItem) -> "ModelSelect[Any]":
    """Narrow to those of which either end is in the project."""
    project = project_asked(request)
    id = project.id if project else None
    return (
        query.join(Source, on=(Row.source == Source.id))
        .switch(Row)
        .join(Target, on=(Row.target == Target.id))
        .where((Source.project == id) | (Target.project == id))
    )
