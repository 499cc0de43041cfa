"""What may be asked about external references."""

from api.operation import MIB, Call, operation
from models.errors import (
    Archived,
    CommentNotFound,
    CommentRemoved,
    DocumentNotFound,
    ExternalReferenceNotFound,
    LimitExceeded,
    MemberNotFound,
    MilestoneNotFound,
    NameTaken,
    ProjectArchived,
    ProjectNotFound,
    RoleRequired,
    SpecificationNotFound,
    VersionConflict,
    WorkItemNotFound,
)
from models.pagination import Page
from models.projects.discussion import references
from models.projects.discussion.references import (
    AddReference,
    ExternalReference,
    GetReference,
    ListReferences,
    RemovedReference,
    RemoveReference,
    UpdateReference,
    references_listed,
)
from models.projects.discussion.rows import ExternalReferenceRow, reference_with

GATES = (RoleRequired, ProjectArchived, Archived, CommentRemoved)


@operation(
    "GET /projects/v1/references/list",
    scope="projects:references:list",
    request=ListReferences,
    response=list[ExternalReference],
    errors=(ProjectNotFound,),
)
def list_references(call: Call, query: ListReferences) -> Page[ExternalReferenceRow]:
    """
    List external references, newest first, in one project or all.

    With system and externalId, or with url, it tells what of ours the other
    system's thing belongs to. Without a project or an entityId, references in
    archived projects are left out.
    """
    return references_listed(query)


@operation(
    "GET /projects/v1/references/get",
    scope="projects:references:get",
    request=GetReference,
    response=ExternalReference,
    errors=(ExternalReferenceNotFound,),
)
def get_reference(call: Call, query: GetReference) -> ExternalReferenceRow:
    """Get an external reference."""
    return reference_with(query.id)


@operation(
    "POST /projects/v1/references/add",
    scope="projects:references:add",
    request=AddReference,
    response=ExternalReference,
    errors=(
        ProjectNotFound,
        MemberNotFound,
        WorkItemNotFound,
        SpecificationNotFound,
        DocumentNotFound,
        MilestoneNotFound,
        CommentNotFound,
        *GATES,
        NameTaken,
        LimitExceeded,
    ),
    max_body_bytes=MIB,
)
def add_reference(call: Call, request: AddReference) -> ExternalReferenceRow:
    """
    Say what in another system belongs to a thing of a project.

    What stands there already, by its system and externalId or else by its url, is
    updated in its place, so the call can be repeated. Nothing is fetched. system
    is told from the host of the url where it is left out.
    """
    reference, changed = references.add_reference(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return reference


@operation(
    "POST /projects/v1/references/update",
    scope="projects:references:update",
    request=UpdateReference,
    response=ExternalReference,
    errors=(ExternalReferenceNotFound, VersionConflict, *GATES, NameTaken),
    max_body_bytes=MIB,
)
def update_reference(call: Call, request: UpdateReference) -> ExternalReferenceRow:
    """Change an external reference; members left out stay as they are."""
    reference, changed = references.update_reference(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return reference


@operation(
    "POST /projects/v1/references/remove",
    scope="projects:references:remove",
    request=RemoveReference,
    response=RemovedReference,
    errors=GATES,
    max_body_bytes=MIB,
)
def remove_reference(call: Call, request: RemoveReference) -> RemovedReference:
    """Remove an external reference; removed is false where there was none."""
    removed = references.remove_reference(request, call.now, call.actor)
    if not removed:
        call.mark_unchanged()
    return RemovedReference(id=request.id, removed=removed)
