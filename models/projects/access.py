"""Access: in which role a caller acts, and which operations are open to it."""

from collections.abc import Iterable

from models.base import Shape
from models.projects.members import membership, role_of
from models.projects.project import project_asked
from models.projects.roles import Role, opens
from models.projects.words import ActorType, By, OfProject
from models.words import Id


class GetAccess(OfProject):
    pass


class Access(Shape):
    actor_type: ActorType
    actor_id: str
    project_id: Id | None
    role: Role | None
    effective_role: Role | None
    scopes: list[str]
    allowed: list[str]


def access_of(
    asked: GetAccess, by: By, *, scopes: Iterable[str], covered: Iterable[str]
) -> Access:
    """
    Return what the caller may do with the operations that its key covers.

    Without a project no role is asked for.
    """
    project = project_asked(asked)
    role = role_of(project, by) if project else None
    own = membership(project, by.account) if project and by.account else None
    allowed = [name for name in covered if project is None or opens(role, name)]
    return Access(
        actor_type=by.actor_type,
        actor_id=by.actor_id,
        project_id=project.id if project else None,
        role=own,
        effective_role=role,
        scopes=list(scopes),
        allowed=sorted(allowed),
    )
