"""Check that a caller has the role that a change requires."""

from typing import cast

from models.errors import RoleRequired
from models.projects.fields import Actor
from models.projects.members.rows import find_member
from models.projects.projects.rows import ProjectRow
from models.projects.roles import REQUIRED_ROLES, Role, effective_role, role_allows


def membership_role(project: ProjectRow, account_id: str) -> Role | None:
    """Return the role of the account's membership, before built-in rules apply."""
    member = find_member(project, account_id)
    return cast(Role, member.role) if member else None


def actor_role(project: ProjectRow, actor: Actor) -> Role | None:
    """
    Return the effective role of the caller, read anew on each request.

    Every change checks it, so this also records that the request concerns the
    project.
    """
    actor.project_ids.add(project.id)
    account_id = actor.account_id
    return effective_role(
        membership_role(project, account_id) if account_id else None,
        builtin=project.builtin,
        for_account=account_id is not None,
    )


def require_role(project: ProjectRow, actor: Actor, case: str) -> None:
    """Raise RoleRequired unless the caller has the role that REQUIRED_ROLES names."""
    role = actor_role(project, actor)
    if not role_allows(role, case):
        current = f"your role is {role}" if role else "you have no role there"
        required = REQUIRED_ROLES[case]
        raise RoleRequired(
            f"{case.replace(':', '/')} needs the role {required} in the project"
            f" '{project.slug}'; {current}.",
            requiredRole=required,
        )
