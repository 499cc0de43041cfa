"""Operations on project bundles: export and import."""

from collections.abc import Iterator

from api.operation import Call, operation
from models.errors import (
    LimitExceeded,
    PayloadTooLarge,
    ProjectNotFound,
    ReferenceNotFound,
    RoleRequired,
    SlugTaken,
)
from models.projects.bundles import export, project_import
from models.projects.bundles.bundle import MAX_BUNDLE_BYTES, ProjectBundle
from models.projects.bundles.export import ExportProject
from models.projects.bundles.project_import import ImportedProject, ImportProject


@operation(
    "GET /projects/v1/projects/export",
    scope="projects:projects:export",
    request=ExportProject,
    response=ProjectBundle,
    errors=(ProjectNotFound, RoleRequired, PayloadTooLarge),
    streamed=True,
)
def export_project(call: Call, query: ExportProject) -> Iterator[str]:
    """
    Export a project with its entire content, archived or not, as one object.

    Other projects appear only as the ids that work items are linked to. Global
    labels are included if a work item has them, and marked as global. The bytes of
    files are in fileContents, as Base64; with files=false, the bundle has no files.
    """
    return export.export_project(query, call.now, call.actor)


@operation(
    "POST /projects/v1/admin/projects/import",
    scope="projects:admin:projects:import",
    request=ImportProject,
    response=ImportedProject,
    errors=(SlugTaken, ReferenceNotFound, LimitExceeded, PayloadTooLarge),
    max_body_bytes=MAX_BUNDLE_BYTES,
    lazy_lists="bundle",
    prepare=project_import.prepared_import,
)
def import_project(call: Call, request: ImportProject) -> ImportedProject:
    """
    Create a project from an export, with its numbers, versions, times and authors.

    Everything gets a new id; ids maps the old ids to the new ones. Global labels are
    matched by name, and become labels of the project if there is no match. ownerId
    names the owner of the project; other members are kept or dropped. Relationships
    and specification links that lead to another project are left out; dropped counts
    them. Send an Idempotency-Key to repeat the call safely.
    """
    return project_import.import_project(
        request,
        call.prepared,
        call.now,
        call.actor,
        files_max_bytes=call.settings.files_max_bytes,
    )
