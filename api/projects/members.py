"""What may be asked about members of projects."""

from api.operation import MIB, Call, operation
from models.errors import (
    LimitExceeded,
    MemberExists,
    MemberNotFound,
    OwnerMembership,
    ProjectArchived,
    ProjectNotFound,
    RoleRequired,
)
from models.pagination import Page
from models.projects.members import members
from models.projects.members.members import (
    AddProjectMember,
    ListMembers,
    ProjectMember,
    RemovedMember,
    RemoveProjectMember,
    UpdateProjectMember,
    members_listed,
)
from models.projects.members.role_checks import MemberRow


@operation(
    "GET /projects/v1/members/list",
    scope="projects:members:list",
    request=ListMembers,
    response=list[ProjectMember],
    errors=(ProjectNotFound,),
)
def list_members(call: Call, query: ListMembers) -> Page[MemberRow]:
    """
    List the members of a project, or the memberships of an account.

    The strongest role comes first, then whoever has been there longest. Without
    a project, memberships in archived projects are left out.
    """
    return members_listed(query, call.actor)


@operation(
    "POST /projects/v1/members/add",
    scope="projects:members:add",
    request=AddProjectMember,
    response=ProjectMember,
    errors=(
        ProjectNotFound,
        RoleRequired,
        ProjectArchived,
        MemberExists,
        LimitExceeded,
    ),
    max_body_bytes=MIB,
)
def add_member(call: Call, request: AddProjectMember) -> MemberRow:
    """
    Make an account a member of a project; adding it again changes nothing.

    Only an owner adds an owner. Every account may add itself as reader.
    """
    member, changed = members.add_member(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return member


@operation(
    "POST /projects/v1/members/update",
    scope="projects:members:update",
    request=UpdateProjectMember,
    response=ProjectMember,
    errors=(
        ProjectNotFound,
        MemberNotFound,
        RoleRequired,
        ProjectArchived,
        OwnerMembership,
    ),
    max_body_bytes=MIB,
)
def update_member(call: Call, request: UpdateProjectMember) -> MemberRow:
    """
    Give a member another role, which acts from the next request on.

    Only an owner makes or unmakes an owner.
    """
    member, changed = members.update_member(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return member


@operation(
    "POST /projects/v1/members/remove",
    scope="projects:members:remove",
    request=RemoveProjectMember,
    response=RemovedMember,
    errors=(ProjectNotFound, RoleRequired, ProjectArchived, OwnerMembership),
    max_body_bytes=MIB,
)
def remove_member(call: Call, request: RemoveProjectMember) -> RemovedMember:
    """
    Take an account from the members; everyone may leave by themselves.

    Where the account is no member, removed is false. The account that answers
    for the project cannot be taken out.
    """
    answer = members.remove_member(request, call.now, call.actor)
    if not answer.removed:
        call.mark_unchanged()
    return answer
