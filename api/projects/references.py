"""What may be asked about external references."""

from api.operation import MIB, Call, operation
from api.projects.by import by
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
from models.projects.reference import ExternalReferenceRow, reference_with
from models.projects.references import (
    AddReference,
    ExternalReference,
    GetReference,
    ListReferences,
    RemovedReference,
    RemoveReference,
    UpdateReference,
    references_listed,
)
from models.projects.referring import add_reference, remove_reference, update_reference

GATES = (RoleRequired, ProjectArchived, Archived, CommentRemoved)


@operation(
    "GET /projects/v1/references/list",
    scope="projects:references:list",
    takes=ListReferences,
    gives=list[ExternalReference],
    refuses=(ProjectNotFound,),
)
def list_references(call: Call, asked: ListReferences) -> Page[ExternalReferenceRow]:
    """
    List external references, newest first, in one project or all.

    With system and externalId, or with url, it tells what of ours the other
    system's thing belongs to. Without a project or an entityId, references in
    archived projects are left out.
    """
    return references_listed(asked)


@operation(
    "GET /projects/v1/references/get",
    scope="projects:references:get",
    takes=GetReference,
    gives=ExternalReference,
    refuses=(ExternalReferenceNotFound,),
)
def get_reference(call: Call, asked: GetReference) -> ExternalReferenceRow:
    """Get an external reference."""
    return reference_with(asked.id)


@operation(
    "POST /projects/v1/references/add",
    scope="projects:references:add",
    takes=AddReference,
    gives=ExternalReference,
    refuses=(
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
    most_bytes=MIB,
)
def put_reference(call: Call, asked: AddReference) -> ExternalReferenceRow:
    """
    Say what in another system belongs to a thing of a project.

    What stands there already, by its system and externalId or else by its url, is
    updated in its place, so the call can be repeated. Nothing is fetched. system
    is told from the host of the url where it is left out.
    """
    reference, changed = add_reference(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return reference


@operation(
    "POST /projects/v1/references/update",
    scope="projects:references:update",
    takes=UpdateReference,
    gives=ExternalReference,
    refuses=(ExternalReferenceNotFound, VersionConflict, *GATES, NameTaken),
    most_bytes=MIB,
)
def change_reference(call: Call, asked: UpdateReference) -> ExternalReferenceRow:
    """Change an external reference; members left out stay as they are."""
    reference, changed = update_reference(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return reference


@operation(
    "POST /projects/v1/references/remove",
    scope="projects:references:remove",
    takes=RemoveReference,
    gives=RemovedReference,
    refuses=GATES,
    most_bytes=MIB,
)
def drop_reference(call: Call, asked: RemoveReference) -> RemovedReference:
    """Remove an external reference; removed is false where there was none."""
    removed = remove_reference(asked, call.now, by(call))
    if not removed:
        call.unchanged()
    return RemovedReference(id=asked.id, removed=removed)
