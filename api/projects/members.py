"""Handle requests about the members of projects."""

from api.operation import MIB, Call, operation
from api.projects import PROJECT_CHANGE
from models.errors import (
    LimitExceeded,
    MemberExists,
    MemberNotFound,
    OwnerMembership,
    ProjectNotFound,
)
from models.pagination import Page
from models.projects.members import members
from models.projects.members.rows import MemberRow


@operation(
    "GET /projects/v1/members/list",
    response=list[members.ProjectMember],
    errors=(ProjectNotFound,),
)
def list_members(call: Call, query: members.ListMembers) -> Page[MemberRow]:
    """
    List the members of a project, or the memberships of an account.

    They are sorted by role, owners first, and then by the time they were added.
    Without a project, memberships in archived projects are left out.
    """
    return members.list_members(query, call.actor)


@operation(
    "POST /projects/v1/members/add",
    response=members.ProjectMember,
    errors=(ProjectNotFound, *PROJECT_CHANGE, MemberExists, LimitExceeded),
    max_body_bytes=MIB,
)
def add_member(call: Call, request: members.AddProjectMember) -> MemberRow:
    """
    Add an account to the members of a project.

    Only owners can add an owner. Every account can add itself as a reader. Adding a
    member again with the same role changes nothing.
    """
    return call.result_of(members.add_member(request, call.now, call.actor))


@operation(
    "POST /projects/v1/members/update",
    response=members.ProjectMember,
    errors=(ProjectNotFound, MemberNotFound, *PROJECT_CHANGE, OwnerMembership),
    max_body_bytes=MIB,
)
def update_member(call: Call, request: members.UpdateProjectMember) -> MemberRow:
    """
    Change the role of a member, with effect from its next request.

    Only owners can grant or revoke the role owner.
    """
    return call.result_of(members.update_member(request, call.now, call.actor))


@operation(
    "POST /projects/v1/members/remove",
    response=members.RemovedMember,
    errors=(ProjectNotFound, *PROJECT_CHANGE, OwnerMembership),
    max_body_bytes=MIB,
)
def remove_member(
    call: Call, request: members.RemoveProjectMember
) -> members.RemovedMember:
    """
    Remove an account from the members of a project.

    Every account can remove itself. removed is false if the account was no member.
    The account in ownerId cannot be removed.
    """
    response = members.remove_member(request, call.now, call.actor)
    if not response.removed:
        call.mark_unchanged()
    return response
