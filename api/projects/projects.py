"""Handle requests about projects."""

from collections.abc import Iterator

from api.operation import MIB, Call, operation
from api.projects import PROJECT_CHANGE
from models.base import canonical_json
from models.errors import (
    BuiltinProject,
    ConfirmationMismatch,
    LimitExceeded,
    NotArchived,
    OwnerRequired,
    PayloadTooLarge,
    ProjectNotFound,
    ReferenceNotFound,
    RoleRequired,
    SlugTaken,
    VersionConflict,
)
from models.pagination import Page
from models.projects.bundles import export, project_import
from models.projects.bundles.bundle import MAX_BUNDLE_BYTES, ProjectBundle
from models.projects.bundles.export import ExportProject
from models.projects.bundles.project_import import ImportedProject, ImportProject
from models.projects.projects import projects, purge
from models.projects.projects.rows import ProjectRow, project_with


@operation("GET /projects/v1/projects/list", response=list[projects.Project])
def list_projects(call: Call, query: projects.ListProjects) -> Page[ProjectRow]:
    """
    List projects, by default by name.

    Archived projects are left out unless archived is only or include.
    """
    return projects.list_projects(query, call.actor)


@operation(
    "GET /projects/v1/projects/get",
    response=projects.Project,
    errors=(ProjectNotFound,),
)
def get_project(call: Call, query: projects.GetProject) -> ProjectRow:
    """Get a project by its id or its slug."""
    return project_with(query.id, slug=query.slug)


@operation(
    "POST /projects/v1/projects/create",
    response=projects.Project,
    errors=(OwnerRequired, SlugTaken),
    max_body_bytes=MIB,
)
def create_project(call: Call, request: projects.CreateProject) -> ProjectRow:
    """
    Create a project; the caller becomes its owner and first member.

    A key that acts for no account must name the owner in ownerId. The slug cannot be
    changed later. Send an Idempotency-Key to be able to repeat the call safely.
    """
    return projects.create_project(request, call.now, call.actor)


@operation(
    "POST /projects/v1/projects/update",
    response=projects.Project,
    errors=(ProjectNotFound, *PROJECT_CHANGE, VersionConflict),
    max_body_bytes=MIB,
)
def update_project(call: Call, request: projects.UpdateProject) -> ProjectRow:
    """
    Update the name, description or status of a project.

    Omitted fields do not change. The status is for information only: whatever it is,
    the project and its contents can be changed.
    """
    return call.result_of(projects.update_project(request, call.now, call.actor))


@operation(
    "POST /projects/v1/projects/transfer",
    response=projects.Project,
    errors=(ProjectNotFound, *PROJECT_CHANGE, VersionConflict, LimitExceeded),
    max_body_bytes=MIB,
)
def transfer_project(call: Call, request: projects.TransferProject) -> ProjectRow:
    """
    Make another account the owner of a project.

    Both the new and the previous owner are members with the role owner.
    """
    return call.result_of(projects.transfer_project(request, call.now, call.actor))


@operation(
    "POST /projects/v1/projects/remove",
    response=projects.Project,
    errors=(ProjectNotFound, RoleRequired, BuiltinProject),
    max_body_bytes=MIB,
)
def remove_project(call: Call, request: projects.RemoveProject) -> ProjectRow:
    """
    Archive a project, which makes it and its contents read-only.

    Archiving it again changes nothing.
    """
    return call.result_of(projects.archive_project(request, call.now, call.actor))


@operation(
    "POST /projects/v1/projects/restore",
    response=projects.Project,
    errors=(ProjectNotFound, RoleRequired),
    max_body_bytes=MIB,
)
def restore_project(call: Call, request: projects.RestoreProject) -> ProjectRow:
    """
    Restore an archived project.

    Restoring a project that is not archived changes nothing.
    """
    return call.result_of(projects.restore_project(request, call.now, call.actor))


@operation(
    "POST /projects/v1/admin/projects/purge",
    response=purge.PurgeResult,
    audit="project.purged",
    errors=(ProjectNotFound, BuiltinProject, NotArchived, ConfirmationMismatch),
    max_body_bytes=MIB,
)
def purge_project(call: Call, request: purge.PurgeProject) -> purge.PurgeResult:
    """
    Delete an archived project and everything in it. This cannot be undone.

    confirm must be exactly the slug of the project. deleted has the numbers of deleted
    rows by kind, including links from other projects: the work items there that lose
    one get a new updatedAt, and an activity record with purgedProjectId. The slug can
    then be used again.
    """
    project, counts = purge.purge_project(request, call.now, call.actor)
    call.audit(project, detail=canonical_json(counts).decode())
    return purge.PurgeResult(id=project.id, slug=project.slug, deleted=counts)


@operation(
    "GET /projects/v1/admin/projects/purge-preview",
    response=purge.PurgeResult,
    errors=(ProjectNotFound, BuiltinProject),
)
def preview_project_purge(call: Call, query: purge.PreviewPurge) -> purge.PurgeResult:
    """Return what a purge would delete; the project need not be archived."""
    return purge.preview_purge(query)


@operation(
    "GET /projects/v1/projects/export",
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
