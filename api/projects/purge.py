"""What an administrator may ask about the end of projects."""

from api.operation import MIB, Call, operation
from models.base import canonical
from models.errors import (
    BuiltinProject,
    ConfirmationMismatch,
    NotArchived,
    ProjectNotFound,
)
from models.projects.purge import (
    PreviewPurge,
    PurgeProject,
    PurgeResult,
    purge_previewed,
    purge_project,
)


@operation(
    "POST /projects/v1/admin/projects/purge",
    scope="projects:admin:projects:purge",
    takes=PurgeProject,
    gives=PurgeResult,
    audit="project.purged",
    refuses=(ProjectNotFound, BuiltinProject, NotArchived, ConfirmationMismatch),
    most_bytes=MIB,
)
def remove_for_good(call: Call, asked: PurgeProject) -> PurgeResult:
    """
    Remove an archived project and all that is in it, for good.

    confirm is the slug of the project, exactly. deleted counts what went, links
    from other projects among it. The slug is free thereafter.
    """
    project, counts = purge_project(asked)
    call.audit(project, detail=canonical(counts).decode())
    return PurgeResult(id=project.id, slug=project.slug, deleted=counts)


@operation(
    "GET /projects/v1/admin/projects/purge-preview",
    scope="projects:admin:projects:purge-preview",
    takes=PreviewPurge,
    gives=PurgeResult,
    refuses=(ProjectNotFound, BuiltinProject),
)
def preview_purge(call: Call, asked: PreviewPurge) -> PurgeResult:
    """Tell what a purge of the project would remove; it need not be archived."""
    return purge_previewed(asked)
