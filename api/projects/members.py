"""What may be asked about members of projects."""

from api.operation import MIB, Call, operation
from api.projects.by import by
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
from models.projects.members import MemberRow
from models.projects.membership import (
    AddProjectMember,
    ListMembers,
    ProjectMember,
    RemovedMember,
    RemoveProjectMember,
    UpdateProjectMember,
    add_member,
    members_listed,
    remove_member,
    update_member,
)


@operation(
    "GET /projects/v1/members/list",
    scope="projects:members:list",
    takes=ListMembers,
    gives=list[ProjectMember],
    refuses=(ProjectNotFound,),
)
def list_members(call: Call, asked: ListMembers) -> Page[MemberRow]:
    """
    List the members of a project, or the memberships of an account.

    The strongest role comes first, then whoever has been there longest. Without
    a project, memberships in archived projects are left out.
    """
    return members_listed(asked, by(call))


@operation(
    "POST /projects/v1/members/add",
    scope="projects:members:add",
    takes=AddProjectMember,
    gives=ProjectMember,
    refuses=(
        ProjectNotFound,
        RoleRequired,
        ProjectArchived,
        MemberExists,
        LimitExceeded,
    ),
    most_bytes=MIB,
)
def enrol_member(call: Call, asked: AddProjectMember) -> MemberRow:
    """
    Make an account a member of a project; adding it again changes nothing.

    Only an owner adds an owner. Every account may add itself as reader.
    """
    member, changed = add_member(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return member


@operation(
    "POST /projects/v1/members/update",
    scope="projects:members:update",
    takes=UpdateProjectMember,
    gives=ProjectMember,
    refuses=(
        ProjectNotFound,
        MemberNotFound,
        RoleRequired,
        ProjectArchived,
        OwnerMembership,
    ),
    most_bytes=MIB,
)
def change_member(call: Call, asked: UpdateProjectMember) -> MemberRow:
    """
    Give a member another role, which acts from the next request on.

    Only an owner makes or unmakes an owner.
    """
    member, changed = update_member(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return member


@operation(
    "POST /projects/v1/members/remove",
    scope="projects:members:remove",
    takes=RemoveProjectMember,
    gives=RemovedMember,
    refuses=(ProjectNotFound, RoleRequired, ProjectArchived, OwnerMembership),
    most_bytes=MIB,
)
def dismiss_member(call: Call, asked: RemoveProjectMember) -> RemovedMember:
    """
    Take an account from the members; everyone may leave by themselves.

    Where the account is no member, removed is false. The account that answers
    for the project cannot be taken out.
    """
    answer = remove_member(asked, call.now, by(call))
    if not answer.removed:
        call.unchanged()
    return answer
