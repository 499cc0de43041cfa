"""Access: in which role a caller acts, and which operations are open to it."""

from collections.abc import Iterable

from models.base import Schema
from models.fields import Id
from models.projects.fields import Actor, ActorType, OfProject
from models.projects.members.role_checks import membership, role_of
from models.projects.projects.rows import project_asked
from models.projects.roles import Role, opens


class GetAccess(OfProject):
    pass


class Access(Schema):
    actor_type: ActorType
    actor_id: str
    project_id: Id | None
    role: Role | None
    effective_role: Role | None
    scopes: list[str]
    allowed: list[str]


def access_of(
    query: GetAccess, actor: Actor, *, scopes: Iterable[str], covered: Iterable[str]
) -> Access:
    """
    Return what the caller may do with the operations that its key covers.

    Without a project no role is asked for.
    """
    project = project_asked(query)
    role = role_of(project, actor) if project else None
    own = membership(project, actor.account) if project and actor.account else None
    allowed = [name for name in covered if project is None or opens(role, name)]
    return Access(
        actor_type=actor.type,
        actor_id=actor.id,
        project_id=project.id if project else None,
        role=own,
        effective_role=role,
        scopes=list(scopes),
        allowed=sorted(allowed),
    )
