"""What may be asked about projects."""

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
from models.projects.projects import lifecycle
from models.projects.projects.lifecycle import (
    CreateProject,
    RemoveProject,
    RestoreProject,
    TransferProject,
    UpdateProject,
    archive_project,
)
from models.projects.projects.projects import (
    GetProject,
    ListProjects,
    Project,
    project_got,
    projects_listed,
)
from models.projects.projects.rows import ProjectRow


@operation(
    "GET /projects/v1/projects/list",
    scope="projects:projects:list",
    request=ListProjects,
    response=list[Project],
)
def list_projects(call: Call, query: ListProjects) -> Page[ProjectRow]:
    """
    List projects, by name unless sort says else.

    Archived ones are left out unless archived is only or include.
    """
    return projects_listed(query, call.actor)


@operation(
    "GET /projects/v1/projects/get",
    scope="projects:projects:get",
    request=GetProject,
    response=Project,
    errors=(ProjectNotFound,),
)
def get_project(call: Call, query: GetProject) -> ProjectRow:
    """Get a project by its id or its slug."""
    return project_got(query)


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
    Begin a project; its creator answers for it, and is its first member.

    A key that acts for no account names the owner in ownerId. The slug is never
    changed. Send an Idempotency-Key to be able to repeat the call safely.
    """
    return lifecycle.create_project(request, call.now, call.actor)


@operation(
    "POST /projects/v1/projects/update",
    scope="projects:projects:update",
    request=UpdateProject,
    response=Project,
    errors=(ProjectNotFound, RoleRequired, VersionConflict, ProjectArchived),
    max_body_bytes=MIB,
)
def update_project(call: Call, request: UpdateProject) -> ProjectRow:
    """
    Change a project's name, description or status.

    Members left out stay as they are. The status tells people where the project
    stands; whatever it is, all in the project can be changed.
    """
    project, changed = lifecycle.update_project(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return project


@operation(
    "POST /projects/v1/projects/transfer",
    scope="projects:projects:transfer",
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
    Let another account answer for a project.

    It becomes an owner among the members; the former one stays an owner.
    """
    project, changed = lifecycle.transfer_project(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return project


@operation(
    "POST /projects/v1/projects/remove",
    scope="projects:projects:remove",
    request=RemoveProject,
    response=Project,
    errors=(ProjectNotFound, RoleRequired, BuiltinProject),
    max_body_bytes=MIB,
)
def remove_project(call: Call, request: RemoveProject) -> ProjectRow:
    """
    Archive a project: all in it stays readable and can no longer be changed.

    Archiving it again changes nothing.
    """
    project, changed = archive_project(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return project


@operation(
    "POST /projects/v1/projects/restore",
    scope="projects:projects:restore",
    request=RestoreProject,
    response=Project,
    errors=(ProjectNotFound, RoleRequired),
    max_body_bytes=MIB,
)
def restore_project(call: Call, request: RestoreProject) -> ProjectRow:
    """
    Bring an archived project back as it was.

    Restoring one that is not archived changes nothing.
    """
    project, changed = lifecycle.restore_project(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return project
