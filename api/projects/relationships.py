"""What may be asked about relationships between work items."""

from api.operation import MIB, Call, operation
from api.projects.by import by
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
from models.projects.relationship_graph import (
    GetGraph,
    Graph,
    ListRelationships,
    graph_got,
    relationships_listed,
)
from models.projects.relationships import (
    AddWorkRelationship,
    RemovedRelationship,
    RemoveWorkRelationship,
    WorkRelationship,
    add_relationship,
    remove_relationship,
)
from models.projects.work_item import WorkRelationshipRow


@operation(
    "GET /projects/v1/relationships/list",
    scope="projects:relationships:list",
    takes=ListRelationships,
    gives=list[WorkRelationship],
    refuses=(WorkItemNotFound, ProjectNotFound),
)
def list_relationships(
    call: Call, asked: ListRelationships
) -> Page[WorkRelationshipRow]:
    """
    List the relationships of a work item or of a project, the newest first.

    They are told as they are stored: depends_on as blocks the other way, and what
    holds both ways once.
    """
    return relationships_listed(asked)


@operation(
    "GET /projects/v1/relationships/graph",
    scope="projects:relationships:graph",
    takes=GetGraph,
    gives=Graph,
    refuses=(WorkItemNotFound, ProjectNotFound),
)
def get_graph(call: Call, asked: GetGraph) -> Graph:
    """
    Get the graph of a project, or of what is around a work item.

    depth says how many steps from the item are gone. More than 2000 edges are
    truncated.
    """
    return graph_got(asked)


@operation(
    "POST /projects/v1/relationships/add",
    scope="projects:relationships:add",
    takes=AddWorkRelationship,
    gives=WorkRelationship,
    refuses=(
        WorkItemNotFound,
        RoleRequired,
        ProjectArchived,
        Archived,
        LimitExceeded,
        RelationshipCycle,
    ),
    most_bytes=MIB,
)
def relate_items(call: Call, asked: AddWorkRelationship) -> WorkRelationshipRow:
    """
    Relate two work items, of one project or of two; what is so already stays.

    A contributor of either project may. depends_on is stored as blocks the other
    way. What blocks or supersedes may not lead back to itself.
    """
    row, added = add_relationship(asked, call.now, by(call))
    if not added:
        call.unchanged()
    return row


@operation(
    "POST /projects/v1/relationships/remove",
    scope="projects:relationships:remove",
    takes=RemoveWorkRelationship,
    gives=RemovedRelationship,
    refuses=(WorkItemNotFound, RoleRequired, ProjectArchived),
    most_bytes=MIB,
)
def part_items(call: Call, asked: RemoveWorkRelationship) -> RemovedRelationship:
    """Remove a relationship, said in either form; removed tells if it was there."""
    removed = remove_relationship(asked, call.now, by(call))
    if not removed.removed:
        call.unchanged()
    return removed
