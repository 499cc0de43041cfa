"""Handle requests about relationships between work items."""

from api.operation import MIB, Call, operation
from api.projects import ENTITY_CHANGE, PROJECT_CHANGE
from models.errors import (
    LimitExceeded,
    ProjectNotFound,
    RelationshipCycle,
    WorkItemNotFound,
)
from models.pagination import Page
from models.projects.work import relationship_graph, relationships
from models.projects.work.rows import WorkRelationshipRow


@operation(
    "GET /projects/v1/relationships/list",
    response=list[relationships.WorkRelationship],
    errors=(WorkItemNotFound, ProjectNotFound),
)
def list_relationships(
    call: Call, query: relationship_graph.ListRelationships
) -> Page[WorkRelationshipRow]:
    """
    List the relationships of a work item or of a project, newest first.

    They are returned in the form in which they are stored: depends_on as blocks in
    the other direction, and symmetric relationships once.
    """
    return relationship_graph.list_relationships(query)


@operation(
    "GET /projects/v1/relationships/graph",
    response=relationship_graph.Graph,
    errors=(WorkItemNotFound, ProjectNotFound),
)
def get_relationship_graph(
    call: Call, query: relationship_graph.GetGraph
) -> relationship_graph.Graph:
    """
    Get the relationships of a project, or around a work item, as a graph.

    depth is the maximum distance from the work item. The graph is truncated at 2000
    edges.
    """
    return relationship_graph.relationship_graph(query)


@operation(
    "POST /projects/v1/relationships/add",
    response=relationships.WorkRelationship,
    errors=(WorkItemNotFound, *ENTITY_CHANGE, LimitExceeded, RelationshipCycle),
    max_body_bytes=MIB,
)
def add_relationship(
    call: Call, request: relationships.AddWorkRelationship
) -> WorkRelationshipRow:
    """
    Add a relationship between two work items, of the same project or of two.

    The caller must be a contributor in either project. depends_on is stored as blocks
    in the other direction. blocks and supersedes must not form a cycle. Adding a
    relationship again changes nothing.
    """
    return call.result_of(relationships.add_relationship(request, call.now, call.actor))


@operation(
    "POST /projects/v1/relationships/remove",
    response=relationships.RemovedRelationship,
    errors=(WorkItemNotFound, *PROJECT_CHANGE),
    max_body_bytes=MIB,
)
def remove_relationship(
    call: Call, request: relationships.RemoveWorkRelationship
) -> relationships.RemovedRelationship:
    """
    Remove a relationship, given in either form.

    removed is false if there was no such relationship.
    """
    response = relationships.remove_relationship(request, call.now, call.actor)
    if not response.removed:
        call.mark_unchanged()
    return response
