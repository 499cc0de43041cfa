"""Report the caller's role in a project and the operations it may call there."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from models.base import Schema
from models.projects import descriptions
from models.projects.fields import (
    Actor,
    ChangerType,
    ProjectId,
    ProjectQuery,
)
from models.projects.members.role_checks import actor_role, membership_role
from models.projects.projects.rows import requested_project
from models.projects.roles import Role, open_cases, role_allows_operation


class GetAccess(ProjectQuery, example=("projectSlug",)):
    pass


class Access(Schema):
    actor_type: ChangerType
    actor_id: Annotated[str, descriptions.CHANGER_ID]
    project_id: ProjectId | None
    role: Annotated[Role | None, descriptions.ROLE]
    effective_role: Role | None = Field(
        description="The role that applies. null: none."
    )
    scopes: list[str] = Field(
        description="The scopes of the key.", examples=[["status:services:list"]]
    )
    allowed: list[str] = Field(
        description="The operations that the role allows.",
        examples=[["work-items:create"]],
    )


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
