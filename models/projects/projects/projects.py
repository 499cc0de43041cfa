"""Create, list, update, transfer, archive and restore projects."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, model_validator

from models.base import Schema, new_id
from models.errors import (
    BuiltinProject,
    OwnerRequired,
    SlugTaken,
    ValidationFailed,
)
from models.fields import (
    ID,
    STATUS,
    TRIMMED,
    CreatedAt,
    Id,
    MayOmit,
    QueryBoolean,
    SingleLine,
    Slug,
    UpdatedAt,
)
from models.instants import next_instant
from models.pagination import CursorQuery, Page, cursor_page, filter_rows
from models.projects import descriptions
from models.projects.fields import (
    AccountOrMe,
    Actor,
    ArchivedAt,
    ArchivedFilter,
    ChangeRequest,
    CommaSeparated,
    Description,
    ExpectedUpdatedAt,
    Order,
    OwnerId,
    SearchText,
    UpdatedAfter,
    UpdatedBefore,
    require_exactly_one,
    resolve_account,
    sort_keys,
)
from models.projects.members.members import insert_member, set_role
from models.projects.members.role_checks import require_role
from models.projects.members.rows import MemberRow, find_member
from models.projects.projects.activity import (
    changes_to_json,
    record_activity,
    set_archived,
)
from models.projects.projects.rows import (
    ProjectRow,
    filter_by_history,
    project_with,
    require_active,
    require_updated_at,
)
from models.storage.database import writing

DOCS_PROJECT_NAME = "Documentation"

ProjectStatus = Literal["active", "paused", "completed"]
ProjectName = Annotated[str, TRIMMED, Field(min_length=1, max_length=120), SingleLine]


class DocsSlugTaken(RuntimeError):
    """An ordinary project has the slug of the docs project, so no server can start."""


# What several fields mean.
BUILTIN = Field(
    description="Whether it is the built-in project, which contains the docs site."
)


class Project(Schema):
    id: Annotated[Id, ID]
    slug: Annotated[Slug, descriptions.SLUG]
    name: Annotated[str, descriptions.NAME]
    description: Annotated[str | None, descriptions.DESCRIPTION]
    status: Annotated[ProjectStatus, STATUS]
    owner_id: OwnerId
    builtin: Annotated[bool, BUILTIN]
    created_at: CreatedAt
    updated_at: UpdatedAt
    archived_at: ArchivedAt | None


class ListProjects(CursorQuery):
    status: Annotated[CommaSeparated[ProjectStatus] | None, STATUS] = None
    archived: Annotated[ArchivedFilter, descriptions.ARCHIVED] = "exclude"
    builtin: Annotated[QueryBoolean | None, BUILTIN] = None
    member_id: AccountOrMe | None = Field(
        default=None,
        description="The ID of an account that is a member, or me.",
        examples=["me"],
    )
    owner_id: OwnerId | None = None
    q: Annotated[SearchText | None, descriptions.WORDS] = None
    updated_after: UpdatedAfter | None = None
    updated_before: UpdatedBefore | None = None
    sort: Annotated[Literal["name", "createdAt", "updatedAt"], descriptions.SORT] = (
        "name"
    )
    order: Order | None = None


class GetProject(Schema, example=("slug",)):
    id: Annotated[Id | None, ID] = None
    slug: Annotated[Slug | None, descriptions.SLUG] = None

    @model_validator(mode="after")
    def _id_or_slug(self) -> "GetProject":
        require_exactly_one(self, "id", "slug")
        return self


class CreateProject(Schema, example=("description",)):
    slug: Annotated[Slug, descriptions.SLUG]
    name: Annotated[ProjectName, descriptions.NAME]
    description: Annotated[Description, descriptions.DESCRIPTION] = None
    status: Annotated[ProjectStatus, STATUS] = "active"
    owner_id: MayOmit[OwnerId] = None


class UpdateProject(ChangeRequest, example=("description",)):
    id: Annotated[Id, ID]
    name: Annotated[MayOmit[ProjectName], descriptions.NAME] = None
    description: Annotated[Description, descriptions.DESCRIPTION] = None
    status: Annotated[MayOmit[ProjectStatus], STATUS] = None
    expected_updated_at: MayOmit[ExpectedUpdatedAt] = None


class TransferProject(Schema):
    id: Annotated[Id, ID]
    owner_id: OwnerId
    expected_updated_at: MayOmit[ExpectedUpdatedAt] = None


class RemoveProject(Schema):
    id: Annotated[Id, ID]


class RestoreProject(Schema):
    id: Annotated[Id, ID]


def list_projects(query: ListProjects, actor: Actor) -> Page[ProjectRow]:
    rows = ProjectRow.select()
    rows = filter_by_history(rows, ProjectRow, query)
    rows = filter_rows(rows, ProjectRow, query, "status", "builtin", "owner_id")
    account_id = resolve_account(query.member_id, actor, "memberId")
    if account_id is not None:
        is_account = MemberRow.account_id == account_id
        memberships = MemberRow.select(MemberRow.project).where(is_account)
        rows = rows.where(ProjectRow.id.in_(memberships))
    if query.q is not None:
        matches = ProjectRow.slug.contains(query.q) | ProjectRow.name.contains(query.q)
        rows = rows.where(matches)
    sort = sort_keys(ProjectRow, query.sort, query.order)
    return cursor_page(rows, query, *sort)


def create_project(request: CreateProject, now: datetime, actor: Actor) -> ProjectRow:
    """Create a project, with its owner as the first member."""
    values = request.all_fields() | {"owner_id": _new_owner_id(request, actor)}
    if ProjectRow.select().where(ProjectRow.slug == request.slug).exists():
        raise SlugTaken(f"There is already a project with the slug '{request.slug}'.")
    project = ProjectRow.create(
        id=new_id(now), builtin=False, created_at=now, updated_at=now, **values
    )
    record_activity(
        project,
        "project.created",
        actor,
        now,
        slug=project.slug,
        name=project.name,
        status=project.status,
        builtin=False,
    )
    insert_member(project, project.owner_id, "owner", now, actor)
    return project


def update_project(
    request: UpdateProject, now: datetime, actor: Actor
) -> tuple[ProjectRow, bool]:
    """Change the given fields; return the project and whether anything changed."""
    project = project_with(request.id)
    require_role(project, actor, "projects:update")
    require_updated_at(project, request.expected_updated_at)
    require_active(project)
    changes = project.change(request.changed_values(), now)
    status = changes.pop("status", None)
    if changes:
        record_activity(
            project, "project.updated", actor, now, changes=changes_to_json(changes)
        )
    if status:
        metadata = {"from": status[0], "to": status[1]}
        record_activity(project, "project.status-changed", actor, now, **metadata)
    return project, bool(changes or status)


def transfer_project(
    request: TransferProject, now: datetime, actor: Actor
) -> tuple[ProjectRow, bool]:
    """
    Make another account the owner; return the project and whether that changed it.

    The new owner gets the role owner; the previous one keeps it.
    """
    project = project_with(request.id)
    require_role(project, actor, "projects:transfer")
    require_updated_at(project, request.expected_updated_at)
    require_active(project)
    previous_id = project.owner_id
    if not project.change({"owner_id": request.owner_id}, now):
        return project, False
    record_activity(
        project,
        "project.ownership-transferred",
        actor,
        now,
        fromOwnerId=previous_id,
        toOwnerId=request.owner_id,
    )
    member = find_member(project, request.owner_id)
    if member is None:
        insert_member(project, request.owner_id, "owner", now, actor)
    else:
        set_role(member, "owner", now, actor)
    return project, True


def archive_project(
    request: RemoveProject, now: datetime, actor: Actor
) -> tuple[ProjectRow, bool]:
    """Make the project read-only; return it and whether it was active before."""
    project = project_with(request.id)
    require_role(project, actor, "projects:remove")
    if project.builtin:
        raise BuiltinProject(
            f"The {project.noun} is built in, so it cannot be archived."
        )
    return project, set_archived(project, "project", True, now, actor)


def restore_project(
    request: RestoreProject, now: datetime, actor: Actor
) -> tuple[ProjectRow, bool]:
    """Make the project writable again; return it and whether it was archived before."""
    project = project_with(request.id)
    require_role(project, actor, "projects:restore")
    return project, set_archived(project, "project", False, now, actor)


def docs_project() -> ProjectRow:
    """Return the built-in project, whose published documents are the public docs."""
    return ProjectRow.get(ProjectRow.builtin)


def ensure_docs_project(now: datetime, *, slug: str, owner_id: str) -> ProjectRow:
    """
    Return the docs project, and create it in a new installation.

    Raise DocsSlugTaken if an ordinary project has the slug, which is never
    converted. The write lock ensures that two processes that start at the same time
    create only one.
    """
    with writing():
        project = ProjectRow.get_or_none(ProjectRow.builtin)
        if project is not None:
            return project
        if ProjectRow.select().where(ProjectRow.slug == slug).exists():
            raise DocsSlugTaken(
                f"An ordinary project has the slug '{slug}', which the built-in docs"
                " project needs. Set MASTHEAD_DOCS_SLUG to another slug."
            )
        return _create_docs_project(next_instant("projects", now), slug, owner_id)


def _create_docs_project(now: datetime, slug: str, owner_id: str) -> ProjectRow:
    project = ProjectRow.create(
        id=new_id(now),
        slug=slug,
        name=DOCS_PROJECT_NAME,
        status="active",
        owner_id=owner_id,
        builtin=True,
        created_at=now,
        updated_at=now,
    )
    MemberRow.create(
        project=project.id, account_id=owner_id, role="owner", created_at=now
    )
    owner = Actor("account", owner_id)
    record_activity(project, "project.created", owner, now, builtin=True)
    return project


def _new_owner_id(request: CreateProject, actor: Actor) -> str:
    """Return the caller's account or, if its key acts for none, the given owner."""
    if actor.account_id is None:
        if request.owner_id is None:
            raise OwnerRequired(
                "The key acts for no account, so ownerId must name the owner of the"
                " project."
            )
        return request.owner_id
    if request.owner_id is not None:
        detail = "Only keys that act for no account may set it; you will be the owner."
        error = {"pointer": "/ownerId", "code": "owner", "detail": detail}
        raise ValidationFailed(f"/ownerId: {detail}", error)
    return actor.account_id
