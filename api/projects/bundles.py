"""What may be asked about a project as a whole: to take it out and in."""

from api.operation import Call, operation
from models.errors import (
    LimitExceeded,
    PayloadTooLarge,
    ProjectNotFound,
    ReferenceNotFound,
    RoleRequired,
    SlugTaken,
)
from models.projects.bundles import project_import
from models.projects.bundles.bundle import MOST_BYTES, ProjectBundle
from models.projects.bundles.export import ExportProject, export_project
from models.projects.bundles.project_import import ImportedProject, ImportProject


@operation(
    "GET /projects/v1/projects/export",
    scope="projects:projects:export",
    request=ExportProject,
    response=ProjectBundle,
    errors=(ProjectNotFound, RoleRequired, PayloadTooLarge),
)
def export_project(call: Call, query: ExportProject) -> ProjectBundle:
    """
    Export a project with all that is in it, archived or not, as one object.

    Of other projects nothing is told but the ids that its items are tied to. Of the
    global labels there are those that its items have, marked as global.
    """
    return export_project(query, call.now, call.actor)


@operation(
    "POST /projects/v1/admin/projects/import",
    scope="projects:admin:projects:import",
    request=ImportProject,
    response=ImportedProject,
    errors=(SlugTaken, ReferenceNotFound, LimitExceeded, PayloadTooLarge),
    max_body_bytes=MOST_BYTES,
)
def import_project(call: Call, request: ImportProject) -> ImportedProject:
    """
    Make a project of what export gave, with its numbers, versions, times and authors.

    Everything has a new id; ids tells which. Global labels are found by their names,
    and become labels of the project where there are none. ownerId answers for the
    project; members are kept or dropped. What has its other end in another project is
    left out: dropped counts relationships, and links of items to specifications. Send
    an Idempotency-Key to be able to repeat the call safely.
    """
    return project_import.import_project(request, call.now, call.actor)
