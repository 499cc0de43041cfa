"""Members of a project, and the role in which a caller acts there."""

from datetime import datetime
from typing import cast

from peewee import AutoField, ForeignKeyField, TextField

from models.base import MomentField, Row
from models.errors import RoleRequired
from models.projects.fields import Actor
from models.projects.projects.rows import ProjectRow
from models.projects.roles import NEEDS, Role, allows, effective_role


class MemberRow(Row):
    project_id: str

    number = AutoField()
    project = ForeignKeyField(ProjectRow, on_delete="CASCADE")
    account_id = TextField(index=True)
    role = TextField()
    created_at = MomentField()

    class Meta:
        indexes = ((("project", "account_id"), True),)

    def touch(self, now: datetime) -> None:  # noqa: ARG002
        """Save; a membership has no time of its last change."""
        self.save()


def membership(project: ProjectRow, account_id: str) -> Role | None:
    """Return the role that the account was given in the project."""
    row = MemberRow.get_or_none(
        MemberRow.project == project.id, MemberRow.account_id == account_id
    )
    return cast(Role, row.role) if row else None


def role_of(project: ProjectRow, actor: Actor) -> Role | None:
    """
    Return the role in which the caller acts; it is read at each request.

    No change is made without asking for it, so it also notes where that is.
    """
    actor.about.add(project.id)
    account = actor.account
    return effective_role(
        membership(project, account) if account else None,
        builtin=project.builtin,
        for_account=account is not None,
    )


def require_role(project: ProjectRow, actor: Actor, case: str) -> None:
    """Refuse who has less than the role that NEEDS names for the case."""
    role = role_of(project, actor)
    if not allows(role, case):
        has = f"yours is {role}" if role else "you have none there"
        raise RoleRequired(
            f"{case.replace(':', '/')} needs the role {NEEDS[case]} in the project"
            f" '{project.slug}'; {has}.",
            requiredRole=NEEDS[case],
        )
