"""What an administrator may ask about the end of projects."""

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
    purge_previewed,
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
    Remove an archived project and all that is in it, for good.

    confirm is the slug of the project, exactly. deleted counts what went, links
    from other projects among it. The slug is free thereafter.
    """
    project, counts = purge.purge_project(request)
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
    """Tell what a purge of the project would remove; it need not be archived."""
    return purge_previewed(query)
