"""List, add, update and remove the members of projects."""

from datetime import datetime
from typing import Annotated, Any

from peewee import Case
from pydantic import Field, model_validator

from models.base import Schema
from models.errors import LimitExceeded, MemberExists, OwnerMembership
from models.fields import CreatedAt, Id
from models.pagination import (
    CursorQuery,
    Page,
    Sort,
    ascending,
    cursor_page,
    filter_rows,
)
from models.projects import descriptions
from models.projects.fields import (
    AccountOrMe,
    Actor,
    CommaSeparated,
    ProjectId,
    ProjectQuery,
    WasRemoved,
    resolve_account,
)
from models.projects.members.role_checks import require_role
from models.projects.members.rows import MemberRow, find_member, member_with
from models.projects.projects.activity import changes_to_json, record_activity
from models.projects.projects.rows import (
    ProjectRow,
    archived_projects,
    project_with,
    requested_project,
    require_active,
)
from models.projects.roles import ROLES, Role

MAX_MEMBERS = 1000

# What several fields mean.
ACCOUNT_ID = Field(description="The ID of the account.")


class ProjectMember(Schema):
    project_id: ProjectId
    account_id: Annotated[Id, ACCOUNT_ID]
    role: Annotated[Role, descriptions.ROLE]
    created_at: CreatedAt


class ListMembers(ProjectQuery, CursorQuery, example=("projectSlug",)):
    account_id: Annotated[AccountOrMe | None, ACCOUNT_ID] = None
    role: Annotated[CommaSeparated[Role] | None, descriptions.ROLE] = None

    @model_validator(mode="after")
    def _has_project_or_account(self) -> "ListMembers":
        if self.project_id is self.project_slug is self.account_id is None:
            raise ValueError("Give projectId, projectSlug or accountId.")
        return self


class AddProjectMember(Schema):
    project_id: ProjectId
    account_id: Annotated[Id, ACCOUNT_ID]
    role: Annotated[Role, descriptions.ROLE]


class UpdateProjectMember(Schema):
    project_id: ProjectId
    account_id: Annotated[Id, ACCOUNT_ID]
    role: Annotated[Role, descriptions.ROLE]


class RemoveProjectMember(Schema):
    project_id: ProjectId
    account_id: Annotated[Id, ACCOUNT_ID]


class RemovedMember(Schema):
    project_id: ProjectId
    account_id: Annotated[Id, ACCOUNT_ID]
    removed: WasRemoved


def list_members(query: ListMembers, actor: Actor) -> Page[MemberRow]:
    """
    Return a page of members, by role and then by the time they were added.

    Without a project, leave out members of archived projects.
    """
    project = requested_project(query)
    rows = MemberRow.select()
    if project is not None:
        rows = rows.where(MemberRow.project == project.id)
    else:
        rows = rows.where(MemberRow.project.not_in(archived_projects()))
    account_id = resolve_account(query.account_id, actor, "accountId")
    if account_id is not None:
        rows = rows.where(MemberRow.account_id == account_id)
    rows = filter_rows(rows, MemberRow, query, "role")
    return cursor_page(
        rows,
        query,
        _by_role(),
        ascending(MemberRow.created_at),
        ascending(MemberRow.number),
    )


def _by_role() -> Sort:
    """Return the sort key that puts the most powerful role first."""
    ranks = [(role, rank) for rank, role in enumerate(ROLES)]
    return Sort(Case(MemberRow.role, ranks), lambda row: ROLES.index(row.role))


def add_member(
    request: AddProjectMember, now: datetime, actor: Actor
) -> tuple[MemberRow, bool]:
    """
    Add the account to the members; return the member and whether it is new.

    Raise MemberExists if the account is a member with another role.
    """
    project = project_with(request.project_id)
    require_role(project, actor, _adding_case(request, actor))
    require_active(project)
    member = find_member(project, request.account_id)
    if member is None:
        account_id, role = request.account_id, request.role
        return insert_member(project, account_id, role, now, actor), True
    if member.role != request.role:
        raise MemberExists(
            f"The account is already a member of the {project.noun},"
            f" with the role {member.role}."
        )
    return member, False


def update_member(
    request: UpdateProjectMember, now: datetime, actor: Actor
) -> tuple[MemberRow, bool]:
    """Change the member's role; return the member and whether the role changed."""
    project = project_with(request.project_id)
    member = member_with(project, request.account_id)
    is_of_owner = "owner" in (member.role, request.role)
    require_role(project, actor, f"members:update{' of an owner' * is_of_owner}")
    require_active(project)
    if member.role == request.role:
        return member, False
    _require_not_project_owner(project, member, "its role cannot be changed")
    set_role(member, request.role, now, actor)
    return member, True


def remove_member(
    request: RemoveProjectMember, now: datetime, actor: Actor
) -> RemovedMember:
    """
    Remove the account from the members; `removed` is false if it was no member.

    Accounts may remove themselves from archived projects too.
    """
    project = project_with(request.project_id)
    member = find_member(project, request.account_id)
    is_self = actor.account_id == request.account_id
    require_role(project, actor, _removing_case(member, is_self=is_self))
    if not is_self:
        require_active(project)
    if member is not None:
        _require_not_project_owner(project, member, "it cannot be removed")
        member.delete_instance()
        metadata = _activity_metadata(member, actor)
        record_activity(member, "member.removed", actor, now, **metadata)
    return RemovedMember(
        project_id=project.id,
        account_id=request.account_id,
        removed=member is not None,
    )


def insert_member(
    project: ProjectRow, account_id: str, role: Role, now: datetime, actor: Actor
) -> MemberRow:
    """Add a member; raise LimitExceeded if the project has MAX_MEMBERS already."""
    count = MemberRow.select().where(MemberRow.project == project.id).count()
    if count >= MAX_MEMBERS:
        raise LimitExceeded(
            f"The {project.noun} has {count} members, which is the maximum."
        )
    member = MemberRow.create(
        project=project.id, account_id=account_id, role=role, created_at=now
    )
    metadata = _activity_metadata(member, actor)
    record_activity(member, "member.added", actor, now, **metadata)
    return member


def set_role(member: MemberRow, role: Role, now: datetime, actor: Actor) -> None:
    """Change the member's role, with effect from the next request."""
    changes = member.change({"role": role}, now)
    if changes:
        record_activity(
            member,
            "member.updated",
            actor,
            now,
            accountId=member.account_id,
            changes=changes_to_json(changes),
        )


def _adding_case(request: AddProjectMember, actor: Actor) -> str:
    if request.role == "reader" and request.account_id == actor.account_id:
        return "members:add of oneself as reader"
    return "members:add of an owner" if request.role == "owner" else "members:add"


def _removing_case(member: MemberRow | None, *, is_self: bool) -> str:
    if is_self:
        return "members:remove of oneself"
    if member is not None and member.role == "owner":
        return "members:remove of an owner"
    return "members:remove"


def _require_not_project_owner(
    project: ProjectRow, member: MemberRow, consequence: str
) -> None:
    if member.account_id == project.owner_id:
        raise OwnerMembership(
            f"The account is the owner of the {project.noun}, so {consequence}."
            " Transfer the project first."
        )


def _activity_metadata(member: MemberRow, actor: Actor) -> dict[str, Any]:
    account_id = member.account_id
    return {
        "accountId": account_id,
        "role": member.role,
        "self": account_id == actor.account_id,
    }
