"""List relationships, and return them as a graph of work items."""

from typing import Annotated, Any, Literal

from peewee import ModelSelect, chunked
from pydantic import Field, model_validator

from models.base import Schema
from models.fields import ID, STATUS, Id, QueryInteger
from models.pagination import CursorQuery, Page, cursor_page, descending, filter_rows
from models.projects import descriptions
from models.projects.fields import (
    ArchivedAt,
    CommaSeparated,
    IsTruncated,
    ProjectId,
    ProjectQuery,
)
from models.projects.projects.rows import requested_project
from models.projects.work.items import WorkStatus
from models.projects.work.relationships import Relationship, WorkRelationship
from models.projects.work.rows import WorkItemRow, WorkRelationshipRow, work_item_with

DEFAULT_DEPTH = 2
MAX_EDGES = 2000
# Ids in one query.
BATCH_SIZE = 500

Direction = Literal["any", "outgoing", "incoming"]

Row: Any = WorkRelationshipRow
SourceItem: Any = WorkItemRow.alias("source_item")
TargetItem: Any = WorkItemRow.alias("target_item")


class RelationshipQuery(ProjectQuery):
    """A query about the relationships of one work item or of one project."""

    work_item_id: Id | None = Field(
        default=None, description="The ID of the work item."
    )
    relationship: Annotated[
        CommaSeparated[Relationship] | None, descriptions.RELATIONSHIP
    ] = None

    @model_validator(mode="after")
    def _item_or_project(self) -> "RelationshipQuery":
        values = (self.work_item_id, self.project_id, self.project_slug)
        if len([value for value in values if value is not None]) != 1:
            raise ValueError(
                "Give exactly one of workItemId, projectId and projectSlug."
            )
        return self


class ListRelationships(RelationshipQuery, CursorQuery, example=("workItemId",)):
    direction: Direction | None = Field(
        default=None,
        description="The direction of the relationships, seen from the work item.",
    )

    @model_validator(mode="after")
    def _direction_requires_item(self) -> "ListRelationships":
        if self.direction is not None and self.work_item_id is None:
            raise ValueError("direction requires workItemId.")
        return self


class GetGraph(RelationshipQuery, example=("workItemId", "depth")):
    depth: Annotated[QueryInteger, Field(ge=1, le=5)] | None = Field(
        default=None,
        description="The maximum number of relationships between the work item and"
        " others.",
    )

    @model_validator(mode="after")
    def _depth_requires_item(self) -> "GetGraph":
        if self.depth is not None and self.work_item_id is None:
            raise ValueError("depth requires workItemId.")
        return self


class Node(Schema):
    id: Annotated[Id, ID]
    project_id: ProjectId
    number: Annotated[int, descriptions.NUMBER]
    title: Annotated[str, descriptions.TITLE]
    status: Annotated[WorkStatus, STATUS]
    archived_at: ArchivedAt | None


class Graph(Schema):
    nodes: list[Node] = Field(description="The work items.")
    edges: list[WorkRelationship] = Field(
        description="The relationships between the work items."
    )
    truncated: IsTruncated


def list_relationships(query: ListRelationships) -> Page[WorkRelationshipRow]:
    """Return a page of relationships in their normalized form, newest first."""
    rows = _relationships(query)
    if query.work_item_id is None:
        rows = _in_project(rows, query)
    else:
        id = work_item_with(query.work_item_id).id
        conditions = {
            "any": (Row.source == id) | (Row.target == id),
            "outgoing": Row.source == id,
            "incoming": Row.target == id,
        }
        rows = rows.where(conditions[query.direction or "any"])
    return cursor_page(rows, query, descending(Row.number))


def relationship_graph(query: GetGraph) -> Graph:
    """
    Return the graph of a project, or of what surrounds one work item.

    It has at most MAX_EDGES relationships, and is marked as truncated if there are
    more.
    """
    if query.work_item_id is None:
        rows = _in_project(_relationships(query), query).order_by(Row.number)
        edges_by_number = {row.number: row for row in rows.limit(MAX_EDGES + 1)}
        ids: set[str] = set()
    else:
        ids = {work_item_with(query.work_item_id).id}
        edges_by_number = _surrounding_edges(ids, query)
    edges = sorted(edges_by_number.values(), key=lambda row: row.number)[:MAX_EDGES]
    ids |= {id for row in edges for id in (row.source_id, row.target_id)}
    is_truncated = len(edges_by_number) > MAX_EDGES
    return Graph.model_validate(
        {"nodes": _nodes(ids), "edges": edges, "truncated": is_truncated},
        by_name=True,
    )


def _surrounding_edges(
    start: set[str], query: GetGraph
) -> dict[int, WorkRelationshipRow]:
    """Follow relationships in both directions, breadth first; return them by number."""
    edges: dict[int, WorkRelationshipRow] = {}
    visited, frontier = set(start), sorted(start)
    for _ in range(query.depth or DEFAULT_DEPTH):
        new_edges = _adjacent_edges(frontier, query)
        edges |= new_edges
        if len(edges) > MAX_EDGES:
            break
        ends = {
            id for row in new_edges.values() for id in (row.source_id, row.target_id)
        }
        frontier = sorted(ends - visited)
        visited |= ends
    return edges


def _adjacent_edges(ids: list[str], query: GetGraph) -> dict[int, WorkRelationshipRow]:
    edges: dict[int, WorkRelationshipRow] = {}
    for batch in chunked(ids, BATCH_SIZE):
        is_end = Row.source.in_(batch) | Row.target.in_(batch)
        rows = _relationships(query).where(is_end).order_by(Row.number)
        edges |= {row.number: row for row in rows.limit(MAX_EDGES + 1)}
        if len(edges) > MAX_EDGES:
            break
    return edges


def _nodes(ids: set[str]) -> list[WorkItemRow]:
    """Return the work items, by id."""
    items: list[WorkItemRow] = []
    for batch in chunked(sorted(ids), BATCH_SIZE):
        items += list(WorkItemRow.select().where(WorkItemRow.id.in_(batch)))
    return sorted(items, key=lambda item: item.id)


def _relationships(query: RelationshipQuery) -> "ModelSelect[Any]":
    return filter_rows(Row.select(), Row, query, "relationship")


def _in_project(
    rows: "ModelSelect[Any]", query: RelationshipQuery
) -> "ModelSelect[Any]":
    """Restrict the relationships to those with at least one end in the project."""
    project = requested_project(query)
    id = project.id if project else None
    return (
        rows.join(SourceItem, on=(Row.source == SourceItem.id))
        .switch(Row)
        .join(TargetItem, on=(Row.target == TargetItem.id))
        .where((SourceItem.project == id) | (TargetItem.project == id))
    )
