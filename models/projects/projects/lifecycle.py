"""The life of a project: begun, changed, handed on, archived and restored."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, model_validator

from models.base import Schema, new_id
from models.errors import (
    BuiltinProject,
    OwnerRequired,
    SlugTaken,
    ValidationFailed,
)
from models.fields import TRIMMED, Id, MayOmit, Moment, SingleLine, Slug
from models.projects.fields import Actor, Description
from models.projects.members.members import enrol, keep_role, member_if_any
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import record_activity, told_changes
from models.projects.projects.projects import ProjectStatus
from models.projects.projects.rows import (
    ProjectRow,
    project_with,
    require_active,
    require_updated_at,
)

ProjectName = Annotated[str, TRIMMED, Field(min_length=1, max_length=120), SingleLine]


class CreateProject(Schema):
    slug: Slug
    name: ProjectName
    description: Description = None
    status: ProjectStatus = "active"
    owner_id: MayOmit[Id] = None


class UpdateProject(Schema):
    id: Id
    name: MayOmit[ProjectName] = None
    description: Description = None
    status: MayOmit[ProjectStatus] = None
    expected_updated_at: MayOmit[Moment] = None

    @model_validator(mode="after")
    def _says_something(self) -> "UpdateProject":
        if not self.model_fields_set - {"id", "expected_updated_at"}:
            raise ValueError("Give at least one member to change.")
        return self


class TransferProject(Schema):
    id: Id
    owner_id: Id
    expected_updated_at: MayOmit[Moment] = None


class RemoveProject(Schema):
    id: Id


class RestoreProject(Schema):
    id: Id


def create_project(request: CreateProject, now: datetime, actor: Actor) -> ProjectRow:
    """Begin a project; who answers for it is its first member."""
    members = request.all_fields() | {"owner_id": _owner(request, actor)}
    if ProjectRow.select().where(ProjectRow.slug == request.slug).exists():
        raise SlugTaken(f"There already is a project with the slug '{request.slug}'.")
    project = ProjectRow.create(
        id=new_id(now), builtin=False, created_at=now, updated_at=now, **members
    )
    told = {name: members[name] for name in ("slug", "name", "status")}
    record_activity(
        project, "project.created", project.id, actor, now, **told, builtin=False
    )
    enrol(project, project.owner_id, "owner", now, actor)
    return project


def update_project(
    request: UpdateProject, now: datetime, actor: Actor
) -> tuple[ProjectRow, bool]:
    """Change the members that were sent; tell whether that changed anything."""
    project = project_with(request.id)
    require_role(project, actor, "projects:update")
    require_updated_at(project, request.expected_updated_at)
    require_active(project)
    wanted = request.sent_fields()
    wanted.pop("expected_updated_at", None)
    changes = project.change(wanted, now)
    status = changes.pop("status", None)
    if changes:
        told = told_changes(changes)
        record_activity(
            project, "project.updated", project.id, actor, now, changes=told
        )
    if status:
        ends = {"from": status[0], "to": status[1]}
        action = "project.status-changed"
        record_activity(project, action, project.id, actor, now, **ends)
    return project, bool(changes or status)


def transfer_project(
    request: TransferProject, now: datetime, actor: Actor
) -> tuple[ProjectRow, bool]:
    """
    Let another account answer for the project; tell whether it did not already.

    The new owner is made an owner among the members; the former one stays one.
    """
    project = project_with(request.id)
    require_role(project, actor, "projects:transfer")
    require_updated_at(project, request.expected_updated_at)
    require_active(project)
    former = project.owner_id
    if not project.change({"owner_id": request.owner_id}, now):
        return project, False
    record_activity(
        project,
        "project.ownership-transferred",
        project.id,
        actor,
        now,
        fromOwnerId=former,
        toOwnerId=request.owner_id,
    )
    _make_owner(project, request.owner_id, now, actor)
    return project, True


def archive_project(
    request: RemoveProject, now: datetime, actor: Actor
) -> tuple[ProjectRow, bool]:
    """Make the project and all within read-only; tell whether it was not yet."""
    project = project_with(request.id)
    require_role(project, actor, "projects:remove")
    if project.builtin:
        raise BuiltinProject(
            f"The {project.noun} is built in, so it cannot be archived."
        )
    if project.archived_at is not None:
        return project, False
    project.change({"archived_at": now}, now)
    record_activity(project, "project.archived", project.id, actor, now)
    return project, True


def restore_project(
    request: RestoreProject, now: datetime, actor: Actor
) -> tuple[ProjectRow, bool]:
    """Bring the project back as it was; tell whether it was archived."""
    project = project_with(request.id)
    require_role(project, actor, "projects:restore")
    if not project.change({"archived_at": None}, now):
        return project, False
    record_activity(project, "project.restored", project.id, actor, now)
    return project, True


def _owner(request: CreateProject, actor: Actor) -> str:
    """Return who will answer: the caller, or for a key of nobody whom it names."""
    if actor.account is None:
        if request.owner_id is None:
            raise OwnerRequired(
                "The key acts for no account, so ownerId must name who answers for"
                " the project."
            )
        return request.owner_id
    if request.owner_id is not None:
        detail = "Is for keys that act for no account; you will be the owner."
        error = {"pointer": "/ownerId", "code": "owner", "detail": detail}
        raise ValidationFailed(f"/ownerId: {detail}", error)
    return actor.account


def _make_owner(
    project: ProjectRow, account_id: str, now: datetime, actor: Actor
) -> None:
    member = member_if_any(project, account_id)
    if member is None:
        enrol(project, account_id, "owner", now, actor)
    else:
        keep_role(member, "owner", now, actor)
