"""What may be asked about relationships between work items."""

from api.operation import MIB, Call, operation
from models.errors import (
    Archived,
    LimitExceeded,
    ProjectArchived,
    ProjectNotFound,
    RelationshipCycle,
    RoleRequired,
    WorkItemNotFound,
)
from models.pagination import Page
from models.projects.work import relationships
from models.projects.work.relationship_graph import (
    GetGraph,
    Graph,
    ListRelationships,
    graph_got,
    relationships_listed,
)
from models.projects.work.relationships import (
    AddWorkRelationship,
    RemovedRelationship,
    RemoveWorkRelationship,
    WorkRelationship,
)
from models.projects.work.rows import WorkRelationshipRow


@operation(
    "GET /projects/v1/relationships/list",
    scope="projects:relationships:list",
    request=ListRelationships,
    response=list[WorkRelationship],
    errors=(WorkItemNotFound, ProjectNotFound),
)
def list_relationships(
    call: Call, query: ListRelationships
) -> Page[WorkRelationshipRow]:
    """
    List the relationships of a work item or of a project, the newest first.

    They are told as they are stored: depends_on as blocks the other way, and what
    holds both ways once.
    """
    return relationships_listed(query)


@operation(
    "GET /projects/v1/relationships/graph",
    scope="projects:relationships:graph",
    request=GetGraph,
    response=Graph,
    errors=(WorkItemNotFound, ProjectNotFound),
)
def get_relationship_graph(call: Call, query: GetGraph) -> Graph:
    """
    Get the graph of a project, or of what is around a work item.

    depth says how many steps from the item are gone. More than 2000 edges are
    truncated.
    """
    return graph_got(query)


@operation(
    "POST /projects/v1/relationships/add",
    scope="projects:relationships:add",
    request=AddWorkRelationship,
    response=WorkRelationship,
    errors=(
        WorkItemNotFound,
        RoleRequired,
        ProjectArchived,
        Archived,
        LimitExceeded,
        RelationshipCycle,
    ),
    max_body_bytes=MIB,
)
def add_relationship(call: Call, request: AddWorkRelationship) -> WorkRelationshipRow:
    """
    Relate two work items, of one project or of two; what is so already stays.

    A contributor of either project may. depends_on is stored as blocks the other
    way. What blocks or supersedes may not lead back to itself.
    """
    row, added = relationships.add_relationship(request, call.now, call.actor)
    if not added:
        call.mark_unchanged()
    return row


@operation(
    "POST /projects/v1/relationships/remove",
    scope="projects:relationships:remove",
    request=RemoveWorkRelationship,
    response=RemovedRelationship,
    errors=(WorkItemNotFound, RoleRequired, ProjectArchived),
    max_body_bytes=MIB,
)
def remove_relationship(
    call: Call, request: RemoveWorkRelationship
) -> RemovedRelationship:
    """Remove a relationship, said in either form; removed tells if it was there."""
    removed = relationships.remove_relationship(request, call.now, call.actor)
    if not removed.removed:
        call.mark_unchanged()
    return removed
