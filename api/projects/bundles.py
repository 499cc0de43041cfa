"""What may be asked about a project as a whole: to take it out and in."""

from api.operation import Call, operation
from api.projects.by import by
from models.errors import (
    LimitExceeded,
    PayloadTooLarge,
    ProjectNotFound,
    ReferenceNotFound,
    RoleRequired,
    SlugTaken,
)
from models.projects.bundle import MOST_BYTES, ProjectBundle
from models.projects.export import ExportProject, project_exported
from models.projects.project_import import (
    ImportedProject,
    ImportProject,
    import_project,
)


@operation(
    "GET /projects/v1/projects/export",
    scope="projects:projects:export",
    takes=ExportProject,
    gives=ProjectBundle,
    refuses=(ProjectNotFound, RoleRequired, PayloadTooLarge),
)
def export_project(call: Call, asked: ExportProject) -> ProjectBundle:
    """
    Export a project with all that is in it, archived or not, as one object.

    Of other projects nothing is told but the ids that its items are tied to. Of the
    global labels there are those that its items have, marked as global.
    """
    return project_exported(asked, call.now, by(call))


@operation(
    "POST /projects/v1/admin/projects/import",
    scope="projects:admin:projects:import",
    takes=ImportProject,
    gives=ImportedProject,
    refuses=(SlugTaken, ReferenceNotFound, LimitExceeded, PayloadTooLarge),
    most_bytes=MOST_BYTES,
)
def take_project_in(call: Call, asked: ImportProject) -> ImportedProject:
    """
    Make a project of what export gave, with its numbers, versions, times and authors.

    Everything has a new id; ids tells which. Global labels are found by their names,
    and become labels of the project where there are none. ownerId answers for the
    project; members are kept or dropped. What has its other end in another project is
    left out: dropped counts relationships, and links of items to specifications. Send
    an Idempotency-Key to be able to repeat the call safely.
    """
    return import_project(asked, call.now, by(call))
