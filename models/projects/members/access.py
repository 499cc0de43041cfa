"""Report the caller's role in a project and the operations it may call there."""

from collections.abc import Iterable

from models.base import Schema
from models.fields import Id
from models.projects.fields import Actor, ActorType, ProjectQuery
from models.projects.members.role_checks import actor_role, membership_role
from models.projects.projects.rows import requested_project
from models.projects.roles import Role, open_cases, role_allows_operation


class GetAccess(ProjectQuery):
    pass


class Access(Schema):
    actor_type: ActorType
    actor_id: str
    project_id: Id | None
    role: Role | None
    effective_role: Role | None
    scopes: list[str]
    allowed: list[str]


def caller_access(
    query: GetAccess, actor: Actor, *, scopes: Iterable[str], covered: Iterable[str]
) -> Access:
    """
    Return what the caller may do with the operations that its scopes cover.

    Without a project, roles are not taken into account. In an archived project, only
    what it still permits is allowed.
    """
    project = requested_project(query)
    membership, role, allowed = None, None, list(covered)
    if project is not None:
        if actor.account_id is not None:
            membership = membership_role(project, actor.account_id)
        role = actor_role(project, actor)
        cases = open_cases(
            is_archived=project.archived_at is not None,
            for_account=actor.account_id is not None,
        )
        allowed = [name for name in allowed if role_allows_operation(role, name, cases)]
    return Access(
        actor_type=actor.type,
        actor_id=actor.id,
        project_id=project.id if project else None,
        role=membership,
        effective_role=role,
        scopes=list(scopes),
        allowed=sorted(allowed),
    )
