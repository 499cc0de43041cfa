"""Operations on external references."""

from api.operation import MIB, Call, operation
from api.projects import ENTITY_CHANGE
from models.errors import (
    CommentNotFound,
    CommentRemoved,
    DocumentNotFound,
    ExternalReferenceNotFound,
    LimitExceeded,
    MemberNotFound,
    MilestoneNotFound,
    NameTaken,
    ProjectNotFound,
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
)
from models.projects.discussion.rows import ExternalReferenceRow, reference_with

WRITE_ERRORS = (*ENTITY_CHANGE, CommentRemoved)


@operation(
    "GET /projects/v1/references/list",
    response=list[ExternalReference],
    errors=(ProjectNotFound,),
)
def list_references(call: Call, query: ListReferences) -> Page[ExternalReferenceRow]:
    """
    List external references, newest first, in one project or all.

    Filter by system and externalId, or by url, to find the entities that refer to
    something in another system. Without a project or an entityId, references in
    archived projects are left out.
    """
    return references.list_references(query)


@operation(
    "GET /projects/v1/references/get",
    response=ExternalReference,
    errors=(ExternalReferenceNotFound,),
)
def get_reference(call: Call, query: GetReference) -> ExternalReferenceRow:
    """Get an external reference."""
    return reference_with(query.id)


@operation(
    "POST /projects/v1/references/add",
    response=ExternalReference,
    errors=(
        ProjectNotFound,
        MemberNotFound,
        WorkItemNotFound,
        SpecificationNotFound,
        DocumentNotFound,
        MilestoneNotFound,
        CommentNotFound,
        *WRITE_ERRORS,
        NameTaken,
        LimitExceeded,
    ),
    max_body_bytes=MIB,
)
def add_reference(call: Call, request: AddReference) -> ExternalReferenceRow:
    """
    Link something in another system, such as an issue, to an entity of a project.

    If the entity has the reference already, by system and externalId or else by url,
    it is updated, so the call can be repeated. The url is not fetched. If system is
    omitted, it follows from the host of the url.
    """
    return call.result_of(references.add_reference(request, call.now, call.actor))


@operation(
    "POST /projects/v1/references/update",
    response=ExternalReference,
    errors=(ExternalReferenceNotFound, VersionConflict, *WRITE_ERRORS, NameTaken),
    max_body_bytes=MIB,
)
def update_reference(call: Call, request: UpdateReference) -> ExternalReferenceRow:
    """Update an external reference; omitted fields keep their values."""
    return call.result_of(references.update_reference(request, call.now, call.actor))


@operation(
    "POST /projects/v1/references/remove",
    response=RemovedReference,
    errors=WRITE_ERRORS,
    max_body_bytes=MIB,
)
def remove_reference(call: Call, request: RemoveReference) -> RemovedReference:
    """Remove an external reference; removed is false if there was none."""
    removed = references.remove_reference(request, call.now, call.actor)
    if not removed:
        call.mark_unchanged()
    return RemovedReference(id=request.id, removed=removed)
