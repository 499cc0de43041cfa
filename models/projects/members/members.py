"""Membership: who belongs to a project and as what, listed and changed."""

from datetime import datetime
from typing import Any

from peewee import Case
from pydantic import model_validator

from models.base import Schema
from models.errors import LimitExceeded, MemberExists, OwnerMembership
from models.fields import Id, Moment
from models.pagination import CursorQuery, Page, Sort, ascending, cursor_page
from models.projects.entities import member_of
from models.projects.fields import AccountOrMe, Actor, Commas, OfProject, account_named
from models.projects.members.role_checks import MemberRow, require_role
from models.projects.projects.activity import record_activity, told_changes
from models.projects.projects.rows import (
    ProjectRow,
    project_asked,
    project_with,
    require_active,
)
from models.projects.roles import ROLES, Role

MOST_MEMBERS = 1000


class ProjectMember(Schema):
    project_id: Id
    account_id: Id
    role: Role
    created_at: Moment


class ListMembers(OfProject, CursorQuery):
    account_id: AccountOrMe | None = None
    role: Commas[Role] | None = None

    @model_validator(mode="after")
    def _of_something(self) -> "ListMembers":
        if self.project_id is self.project_slug is self.account_id is None:
            raise ValueError("Give projectId, projectSlug or accountId.")
        return self


class AddProjectMember(Schema):
    project_id: Id
    account_id: Id
    role: Role


class UpdateProjectMember(Schema):
    project_id: Id
    account_id: Id
    role: Role


class RemoveProjectMember(Schema):
    project_id: Id
    account_id: Id


class RemovedMember(Schema):
    project_id: Id
    account_id: Id
    removed: bool


def _strongest_first() -> Sort:
    ranks = [(role, rank) for rank, role in enumerate(ROLES)]
    return Sort(Case(MemberRow.role, ranks), lambda row: ROLES.index(row.role))


def members_listed(query: ListMembers, actor: Actor) -> Page[MemberRow]:
    """Return a page, the strongest role first; of an account, where it is active."""
    project = project_asked(query)
    rows = MemberRow.select()
    if project is not None:
        rows = rows.where(MemberRow.project == project.id)
    else:
        archived = ProjectRow.archived_at.is_null(False)
        hidden = ProjectRow.select(ProjectRow.id).where(archived)
        rows = rows.where(MemberRow.project.not_in(hidden))
    account = account_named(query.account_id, actor, "accountId")
    if account is not None:
        rows = rows.where(MemberRow.account_id == account)
    if query.role is not None:
        rows = rows.where(MemberRow.role.in_(query.role))
    sorts = (ascending(MemberRow.created_at), ascending(MemberRow.number))
    return cursor_page(rows, query, _strongest_first(), *sorts)


def add_member(
    request: AddProjectMember, now: datetime, actor: Actor
) -> tuple[MemberRow, bool]:
    """Make the account a member; tell whether it was not one in this role already."""
    project = project_with(request.project_id)
    require_role(project, actor, _case_of_adding(request, actor))
    require_active(project)
    member = member_if_any(project, request.account_id)
    if member is None:
        return enrol(project, request.account_id, request.role, now, actor), True
    if member.role != request.role:
        raise MemberExists(
            f"The account is a member of the {project.noun} already, as {member.role}."
        )
    return member, False


def update_member(
    request: UpdateProjectMember, now: datetime, actor: Actor
) -> tuple[MemberRow, bool]:
    """Give the member another role; tell whether it was another."""
    project = project_with(request.project_id)
    member = member_of(project, request.account_id)
    is_of_owner = "owner" in (member.role, request.role)
    require_role(project, actor, f"members:update{' of an owner' * is_of_owner}")
    require_active(project)
    if member.role == request.role:
        return member, False
    _require_not_answering(project, member, "stays its owner")
    keep_role(member, request.role, now, actor)
    return member, True


def remove_member(
    request: RemoveProjectMember, now: datetime, actor: Actor
) -> RemovedMember:
    """
    Take the account from the members; `removed` tells whether it was one.

    Whoever leaves may do so in an archived project too: nobody is kept.
    """
    project = project_with(request.project_id)
    member = member_if_any(project, request.account_id)
    leaves = actor.account == request.account_id
    require_role(project, actor, _case_of_removing(member, leaves=leaves))
    if not leaves:
        require_active(project)
    if member is not None:
        _require_not_answering(project, member, "cannot be taken from its members")
        member.delete_instance()
        told = _told(member, actor)
        action = "member.removed"
        record_activity(project, action, member.account_id, actor, now, **told)
    return RemovedMember(
        project_id=project.id,
        account_id=request.account_id,
        removed=member is not None,
    )


def member_if_any(project: ProjectRow, account_id: str) -> MemberRow | None:
    """Return the membership of the account, None where it has none."""
    found: MemberRow | None = MemberRow.get_or_none(
        MemberRow.project == project.id, MemberRow.account_id == account_id
    )
    return found


def enrol(
    project: ProjectRow, account_id: str, role: Role, now: datetime, actor: Actor
) -> MemberRow:
    """Put the account among the members, unless there are too many."""
    count = MemberRow.select().where(MemberRow.project == project.id).count()
    if count >= MOST_MEMBERS:
        raise LimitExceeded(
            f"The {project.noun} has {count} members, and cannot have more."
        )
    member = MemberRow.create(
        project=project.id, account_id=account_id, role=role, created_at=now
    )
    told = _told(member, actor)
    record_activity(project, "member.added", account_id, actor, now, **told)
    return member


def keep_role(member: MemberRow, role: Role, now: datetime, actor: Actor) -> None:
    """Let the member have the role from the next request on."""
    changes = member.change({"role": role}, now)
    if changes:
        record_activity(
            member.project,
            "member.updated",
            member.account_id,
            actor,
            now,
            accountId=member.account_id,
            changes=told_changes(changes),
        )


def _case_of_adding(request: AddProjectMember, actor: Actor) -> str:
    if request.role == "reader" and request.account_id == actor.account:
        return "members:add of oneself as reader"
    return "members:add of an owner" if request.role == "owner" else "members:add"


def _case_of_removing(member: MemberRow | None, *, leaves: bool) -> str:
    if leaves:
        return "members:remove of oneself"
    if member is not None and member.role == "owner":
        return "members:remove of an owner"
    return "members:remove"


def _require_not_answering(project: ProjectRow, member: MemberRow, fate: str) -> None:
    if member.account_id == project.owner_id:
        raise OwnerMembership(
            f"The account answers for the {project.noun}, so it {fate}."
            " Transfer the project first."
        )


def _told(member: MemberRow, actor: Actor) -> dict[str, Any]:
    account = member.account_id
    return {"accountId": account, "role": member.role, "self": account == actor.account}
