"""What may be asked about the caller's own access."""

from api.operation import OPERATIONS, Call, operation
from models.errors import ProjectNotFound
from models.projects.members.access import Access, GetAccess, access_of


@operation(
    "GET /projects/v1/access/get",
    scope="projects:access:get",
    request=GetAccess,
    response=Access,
    errors=(ProjectNotFound,),
)
def get_access(call: Call, query: GetAccess) -> Access:
    """
    Tell who the caller is, its role in a project, and what it may call there.

    role is the membership, effectiveRole the role in which it acts. allowed names
    the operations that its key covers and its role allows in at least one case;
    without a project, all that the key covers.
    """
    area, caller = "projects:", call.caller
    own = [each.scope for each in OPERATIONS if each.scope.startswith(area)]
    covered = [each.removeprefix(area) for each in own if caller.has_scope(each)]
    return access_of(query, call.actor, scopes=caller.scopes, covered=covered)
