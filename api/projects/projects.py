"""Handle requests about projects."""

from api.locks import of_row
from api.operation import MIB, Call, operation
from models.errors import (
    BuiltinProject,
    LimitExceeded,
    OwnerRequired,
    ProjectArchived,
    ProjectNotFound,
    RoleRequired,
    SlugTaken,
    VersionConflict,
)
from models.pagination import Page
from models.projects.projects import projects
from models.projects.projects.projects import (
    CreateProject,
    GetProject,
    ListProjects,
    Project,
    RemoveProject,
    RestoreProject,
    TransferProject,
    UpdateProject,
    archive_project,
)
from models.projects.projects.rows import ProjectRow, project_with


@operation(
    "GET /projects/v1/projects/list",
    scope="projects:projects:list",
    request=ListProjects,
    response=list[Project],
)
def list_projects(call: Call, query: ListProjects) -> Page[ProjectRow]:
    """
    List projects, by default by name.

    Archived projects are left out unless archived is only or include.
    """
    return projects.list_projects(query, call.actor)


@operation(
    "GET /projects/v1/projects/get",
    scope="projects:projects:get",
    request=GetProject,
    response=Project,
    errors=(ProjectNotFound,),
)
def get_project(call: Call, query: GetProject) -> ProjectRow:
    """Get a project by its id or its slug."""
    return project_with(query.id, slug=query.slug)


@operation(
    "POST /projects/v1/projects/create",
    scope="projects:projects:create",
    request=CreateProject,
    response=Project,
    errors=(OwnerRequired, SlugTaken),
    max_body_bytes=MIB,
)
def create_project(call: Call, request: CreateProject) -> ProjectRow:
    """
    Create a project; the caller becomes its owner and first member.

    A key that acts for no account must name the owner in ownerId. The slug cannot be
    changed later. Send an Idempotency-Key to be able to repeat the call safely.
    """
    return projects.create_project(request, call.now, call.actor)


@operation(
    "POST /projects/v1/projects/update",
    scope="projects:projects:update",
    locks=of_row("project"),
    request=UpdateProject,
    response=Project,
    errors=(ProjectNotFound, RoleRequired, VersionConflict, ProjectArchived),
    max_body_bytes=MIB,
)
def update_project(call: Call, request: UpdateProject) -> ProjectRow:
    """
    Update the name, description or status of a project.

    Omitted fields do not change. The status is for information only: whatever it is,
    the project and its contents can be changed.
    """
    project, changed = projects.update_project(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return project


@operation(
    "POST /projects/v1/projects/transfer",
    scope="projects:projects:transfer",
    locks=of_row("project"),
    request=TransferProject,
    response=Project,
    errors=(
        ProjectNotFound,
        RoleRequired,
        VersionConflict,
        ProjectArchived,
        LimitExceeded,
    ),
    max_body_bytes=MIB,
)
def transfer_project(call: Call, request: TransferProject) -> ProjectRow:
    """
    Make another account the owner of a project.

    Both the new and the previous owner are members with the role owner.
    """
    project, changed = projects.transfer_project(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return project


@operation(
    "POST /projects/v1/projects/remove",
    scope="projects:projects:remove",
    locks=of_row("project"),
    request=RemoveProject,
    response=Project,
    errors=(ProjectNotFound, RoleRequired, BuiltinProject),
    max_body_bytes=MIB,
)
def remove_project(call: Call, request: RemoveProject) -> ProjectRow:
    """
    Archive a project, which makes it and its contents read-only.

    Archiving it again changes nothing.
    """
    project, changed = archive_project(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return project


@operation(
    "POST /projects/v1/projects/restore",
    scope="projects:projects:restore",
    locks=of_row("project"),
    request=RestoreProject,
    response=Project,
    errors=(ProjectNotFound, RoleRequired),
    max_body_bytes=MIB,
)
def restore_project(call: Call, request: RestoreProject) -> ProjectRow:
    """
    Restore an archived project.

    Restoring a project that is not archived changes nothing.
    """
    project, changed = projects.restore_project(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return project
