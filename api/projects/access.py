"""Handle requests about the caller's own access."""

from api.operation import OPERATIONS, Call, operation
from models.errors import ProjectNotFound
from models.projects.members.access import Access, GetAccess, caller_access


@operation("GET /projects/v1/access/get", response=Access, errors=(ProjectNotFound,))
def get_access(call: Call, query: GetAccess) -> Access:
    """
    Return who the caller is, its role in a project and the operations it may call.

    role is the role of its membership, effectiveRole the role in which it acts.
    allowed lists the operations that the scopes of its key cover and its role allows
    in at least one case; in an archived project, only those that are open there, and
    without a project, all that its scopes cover.
    """
    area, caller = "projects:", call.caller
    covered = [
        operation.scope.removeprefix(area)
        for operation in OPERATIONS
        if operation.scope.startswith(area) and caller.has_scope(operation.scope)
    ]
    return caller_access(query, call.actor, scopes=caller.scopes, covered=covered)
