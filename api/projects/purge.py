"""Handle administrators' requests to purge projects."""

from api.operation import MIB, Call, operation
from models.base import canonical_json
from models.errors import (
    BuiltinProject,
    ConfirmationMismatch,
    NotArchived,
    ProjectNotFound,
)
from models.projects.projects import purge
from models.projects.projects.purge import (
    PreviewPurge,
    PurgeProject,
    PurgeResult,
)


@operation(
    "POST /projects/v1/admin/projects/purge",
    scope="projects:admin:projects:purge",
    request=PurgeProject,
    response=PurgeResult,
    audit="project.purged",
    errors=(ProjectNotFound, BuiltinProject, NotArchived, ConfirmationMismatch),
    max_body_bytes=MIB,
)
def purge_project(call: Call, request: PurgeProject) -> PurgeResult:
    """
    Delete an archived project and everything in it. This cannot be undone.

    confirm must be exactly the slug of the project. deleted has the numbers of deleted
    rows by kind, including links from other projects: the work items there that lose
    one get a new updatedAt, and an activity record with purgedProjectId. The slug can
    then be used again.
    """
    project, counts = purge.purge_project(request, call.now, call.actor)
    call.audit(project, detail=canonical_json(counts).decode())
    return PurgeResult(id=project.id, slug=project.slug, deleted=counts)


@operation(
    "GET /projects/v1/admin/projects/purge-preview",
    scope="projects:admin:projects:purge-preview",
    request=PreviewPurge,
    response=PurgeResult,
    errors=(ProjectNotFound, BuiltinProject),
)
def preview_project_purge(call: Call, query: PreviewPurge) -> PurgeResult:
    """Return what a purge would delete; the project need not be archived."""
    return purge.preview_purge(query)
