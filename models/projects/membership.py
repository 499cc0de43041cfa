"""Membership: who belongs to a project and as what, listed and changed."""

from datetime import datetime
from typing import Any

from peewee import Case
from pydantic import model_validator

from models.base import Shape
from models.errors import LimitExceeded, MemberExists, OwnerMembership
from models.pagination import CursorQuery, Page, Sort, ascending, page_of
from models.projects.activity import record_activity, told_changes
from models.projects.entities import member_of
from models.projects.members import MemberRow, require_role
from models.projects.project import (
    ProjectRow,
    project_asked,
    project_with,
    require_active,
)
from models.projects.roles import ROLES, Role
from models.projects.words import AccountOrMe, By, Commas, OfProject, account_named
from models.words import Id, Moment

MOST_MEMBERS = 1000


class ProjectMember(Shape):
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


class AddProjectMember(Shape):
    project_id: Id
    account_id: Id
    role: Role


class UpdateProjectMember(Shape):
    project_id: Id
    account_id: Id
    role: Role


class RemoveProjectMember(Shape):
    project_id: Id
    account_id: Id


class RemovedMember(Shape):
    project_id: Id
    account_id: Id
    removed: bool


def _strongest_first() -> Sort:
    ranks = [(role, rank) for rank, role in enumerate(ROLES)]
    return Sort(Case(MemberRow.role, ranks), lambda row: ROLES.index(row.role))


def members_listed(asked: ListMembers, by: By) -> Page[MemberRow]:
    """Return a page, the strongest role first; of an account, where it is active."""
    project = project_asked(asked)
    query = MemberRow.select()
    if project is not None:
        query = query.where(MemberRow.project == project.id)
    else:
        archived = ProjectRow.archived_at.is_null(False)
        hidden = ProjectRow.select(ProjectRow.id).where(archived)
        query = query.where(MemberRow.project.not_in(hidden))
    account = account_named(asked.account_id, by, "accountId")
    if account is not None:
        query = query.where(MemberRow.account_id == account)
    if asked.role is not None:
        query = query.where(MemberRow.role.in_(asked.role))
    sorts = (ascending(MemberRow.created_at), ascending(MemberRow.number))
    return page_of(query, asked, _strongest_first(), *sorts)


def add_member(
    asked: AddProjectMember, now: datetime, by: By
) -> tuple[MemberRow, bool]:
    """Make the account a member; tell whether it was not one in this role already."""
    project = project_with(asked.project_id)
    require_role(project, by, _case_of_adding(asked, by))
    require_active(project)
    member = member_if_any(project, asked.account_id)
    if member is None:
        return enrol(project, asked.account_id, asked.role, now, by), True
    if member.role != asked.role:
        raise MemberExists(
            f"The account is a member of the {project.noun} already, as {member.role}."
        )
    return member, False


def update_member(
    asked: UpdateProjectMember, now: datetime, by: By
) -> tuple[MemberRow, bool]:
    """Give the member another role; tell whether it was another."""
    project = project_with(asked.project_id)
    member = member_of(project, asked.account_id)
    is_of_owner = "owner" in (member.role, asked.role)
    require_role(project, by, f"members:update{' of an owner' * is_of_owner}")
    require_active(project)
    if member.role == asked.role:
        return member, False
    _require_not_answering(project, member, "stays its owner")
    keep_role(member, asked.role, now, by)
    return member, True


def remove_member(asked: RemoveProjectMember, now: datetime, by: By) -> RemovedMember:
    """
    Take the account from the members; `removed` tells whether it was one.

    Whoever leaves may do so in an archived project too: nobody is kept.
    """
    project = project_with(asked.project_id)
    member = member_if_any(project, asked.account_id)
    leaves = by.account == asked.account_id
    require_role(project, by, _case_of_removing(member, leaves=leaves))
    if not leaves:
        require_active(project)
    if member is not None:
        _require_not_answering(project, member, "cannot be taken from its members")
        member.delete_instance()
        told = _told(member, by)
        action = "member.removed"
        record_activity(project, action, member.account_id, by, now, **told)
    return RemovedMember(
        project_id=project.id,
        account_id=asked.account_id,
        removed=member is not None,
    )


def member_if_any(project: ProjectRow, account_id: str) -> MemberRow | None:
    """Return the membership of the account, None where it has none."""
    found: MemberRow | None = MemberRow.get_or_none(
        MemberRow.project == project.id, MemberRow.account_id == account_id
    )
    return found


def enrol(
    project: ProjectRow, account_id: str, role: Role, now: datetime, by: By
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
    told = _told(member, by)
    record_activity(project, "member.added", account_id, by, now, **told)
    return member


def keep_role(member: MemberRow, role: Role, now: datetime, by: By) -> None:
    """Let the member have the role from the next request on."""
    changes = member.change({"role": role}, now)
    if changes:
        record_activity(
            member.project,
            "member.updated",
            member.account_id,
            by,
            now,
            accountId=member.account_id,
            changes=told_changes(changes),
        )


def _case_of_adding(asked: AddProjectMember, by: By) -> str:
    if asked.role == "reader" and asked.account_id == by.account:
        return "members:add of oneself as reader"
    return "members:add of an owner" if asked.role == "owner" else "members:add"


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


def _told(member: MemberRow, by: By) -> dict[str, Any]:
    account = member.account_id
    return {"accountId": account, "role": member.role, "self": account == by.account}
