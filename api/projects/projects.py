"""What may be asked about projects."""

from api.operation import MIB, Call, operation
from api.projects.by import by
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
from models.projects.lifecycle import (
    CreateProject,
    RemoveProject,
    RestoreProject,
    TransferProject,
    UpdateProject,
    archive_project,
    create_project,
    restore_project,
    transfer_project,
    update_project,
)
from models.projects.project import ProjectRow
from models.projects.projects import (
    GetProject,
    ListProjects,
    Project,
    project_got,
    projects_listed,
)


@operation(
    "GET /projects/v1/projects/list",
    scope="projects:projects:list",
    takes=ListProjects,
    gives=list[Project],
)
def list_projects(call: Call, asked: ListProjects) -> Page[ProjectRow]:
    """
    List projects, by name unless sort says else.

    Archived ones are left out unless archived is only or include.
    """
    return projects_listed(asked, by(call))


@operation(
    "GET /projects/v1/projects/get",
    scope="projects:projects:get",
    takes=GetProject,
    gives=Project,
    refuses=(ProjectNotFound,),
)
def get_project(call: Call, asked: GetProject) -> ProjectRow:
    """Get a project by its id or its slug."""
    return project_got(asked)


@operation(
    "POST /projects/v1/projects/create",
    scope="projects:projects:create",
    takes=CreateProject,
    gives=Project,
    refuses=(OwnerRequired, SlugTaken),
    most_bytes=MIB,
)
def begin_project(call: Call, asked: CreateProject) -> ProjectRow:
    """
    Begin a project; its creator answers for it, and is its first member.

    A key that acts for no account names the owner in ownerId. The slug is never
    changed. Send an Idempotency-Key to be able to repeat the call safely.
    """
    return create_project(asked, call.now, by(call))


@operation(
    "POST /projects/v1/projects/update",
    scope="projects:projects:update",
    takes=UpdateProject,
    gives=Project,
    refuses=(ProjectNotFound, RoleRequired, VersionConflict, ProjectArchived),
    most_bytes=MIB,
)
def change_project(call: Call, asked: UpdateProject) -> ProjectRow:
    """
    Change a project's name, description or status.

    Members left out stay as they are. The status tells people where the project
    stands; whatever it is, all in the project can be changed.
    """
    project, changed = update_project(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return project


@operation(
    "POST /projects/v1/projects/transfer",
    scope="projects:projects:transfer",
    takes=TransferProject,
    gives=Project,
    refuses=(
        ProjectNotFound,
        RoleRequired,
        VersionConflict,
        ProjectArchived,
        LimitExceeded,
    ),
    most_bytes=MIB,
)
def hand_on_project(call: Call, asked: TransferProject) -> ProjectRow:
    """
    Let another account answer for a project.

    It becomes an owner among the members; the former one stays an owner.
    """
    project, changed = transfer_project(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return project


@operation(
    "POST /projects/v1/projects/remove",
    scope="projects:projects:remove",
    takes=RemoveProject,
    gives=Project,
    refuses=(ProjectNotFound, RoleRequired, BuiltinProject),
    most_bytes=MIB,
)
def shelve_project(call: Call, asked: RemoveProject) -> ProjectRow:
    """
    Archive a project: all in it stays readable and can no longer be changed.

    Archiving it again changes nothing.
    """
    project, changed = archive_project(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return project


@operation(
    "POST /projects/v1/projects/restore",
    scope="projects:projects:restore",
    takes=RestoreProject,
    gives=Project,
    refuses=(ProjectNotFound, RoleRequired),
    most_bytes=MIB,
)
def revive_project(call: Call, asked: RestoreProject) -> ProjectRow:
    """
    Bring an archived project back as it was.

    Restoring one that is not archived changes nothing.
    """
    project, changed = restore_project(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return project
