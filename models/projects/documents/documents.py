"""Documents: written, changed, found, listed."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from models.base import Change, Schema, new_id
from models.errors import DocumentPublished
from models.fields import (
    TRIMMED,
    Id,
    MayOmit,
    Moment,
    QueryBoolean,
    SingleLine,
    Slug,
    WholeNumber,
)
from models.pagination import Page
from models.projects.documents.rows import (
    DOCUMENTS,
    DocumentRow,
    document_with,
    leave_address,
)
from models.projects.fields import (
    Actor,
    ActorType,
    Commas,
    NamedInProject,
    OrNull,
    Summary,
    Text,
    Title,
    Version,
)
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import record_activity, told_changes
from models.projects.projects.rows import project_with, require_active
from models.projects.versioning.listing import ListVersioned, registered

DocumentType = Literal["rfc", "runbook", "note", "design"]
Collection = Literal["guides", "products", "support"]
Section = Annotated[str, TRIMMED, Field(min_length=1, max_length=80), SingleLine]
Position = Annotated[WholeNumber, Field(ge=0, le=10_000)]
Note = OrNull[Annotated[str, Field(max_length=300)]]
# Where the page stands: not versioned, so a change shows at once on the site.
PLACEMENT = ("collection", "section", "position")


class Document(Schema):
    id: Id
    project_id: Id
    title: str
    slug: Slug
    type: DocumentType
    summary: str | None
    content: str
    version: int
    collection: Collection | None
    section: str | None
    position: int
    published_version: int | None
    published_at: Moment | None
    creator_id: str
    creator_type: ActorType
    created_at: Moment
    updated_at: Moment
    archived_at: Moment | None


class CreateDocument(Schema):
    project_id: Id
    title: Title
    slug: Slug
    type: DocumentType
    content: Text
    summary: Summary = None
    collection: Collection | None = None
    section: Section | None = None
    position: Position = 0


class UpdateDocument(Schema):
    id: Id
    title: MayOmit[Title] = None
    type: MayOmit[DocumentType] = None
    content: MayOmit[Text] = None
    summary: Summary = None
    collection: Collection | None = None
    section: Section | None = None
    position: MayOmit[Position] = None
    note: Note = None
    expected_version: MayOmit[Version] = None

    @model_validator(mode="after")
    def _says_something(self) -> "UpdateDocument":
        given = self.model_fields_set - {"id", "note", "expected_version"}
        if not given and self.note is None:
            raise ValueError("Give at least one member to change, or a note.")
        return self


class GetDocument(NamedInProject):
    pass


def create_document(
    request: CreateDocument,
    now: datetime,
    actor: Actor,
    *,
    source_path: str | None = None,
    source_tree: str | None = None,
) -> DocumentRow:
    """Keep a new document, which nobody outside sees until it is published."""
    project = project_with(request.project_id)
    require_role(project, actor, "documents:create")
    require_active(project)
    DOCUMENTS.require_free(project, request.slug)
    members = request.all_fields()
    content = members.pop("content")
    document = DocumentRow.create(
        id=new_id(now),
        version=1,
        creator_id=actor.id,
        creator_type=actor.type,
        created_at=now,
        updated_at=now,
        source_path=source_path,
        source_tree=source_tree,
        **members,
    )
    DOCUMENTS.keep(document, content, actor, summary=document.summary)
    told = {name: members[name] for name in ("slug", "title", "type")}
    record_activity(
        project, "document.created", document.id, actor, now, **told, version=1
    )
    return document


def update_document(
    request: UpdateDocument, now: datetime, actor: Actor
) -> DocumentRow:
    """
    Keep a new version; members left out stay as they are.

    What is public changes only in its placement, which needs a maintainer; the
    words wait until the version is published.
    """
    document = DOCUMENTS.with_content(document_with(request.id))
    wanted = _wanted(request)
    _require_may_save(document, wanted, actor)
    DOCUMENTS.require_version(document, request.expected_version)
    require_active(document.project, document)
    _require_collection(document, wanted)
    content = wanted.pop("content", document.content)
    changes = _saved(document, wanted, now)
    if content != document.content:
        changes["content"] = (document.content, content)
    DOCUMENTS.keep(
        document, content, actor, summary=document.summary, note=request.note
    )
    record_activity(
        document.project,
        "document.updated",
        document.id,
        actor,
        now,
        version=document.version,
        changes=told_changes(changes),
        note=request.note,
    )
    return document


def _wanted(request: UpdateDocument) -> dict[str, Any]:
    aside = {"id", "note", "expected_version"}
    return {
        name: each for name, each in request.sent_fields().items() if name not in aside
    }


def _require_may_save(
    document: DocumentRow, wanted: dict[str, Any], actor: Actor
) -> None:
    moves = any(
        name in wanted and wanted[name] != getattr(document, name) for name in PLACEMENT
    )
    case = "documents:update"
    if moves and document.published_version is not None:
        case += " of the placement while published"
    require_role(document.project, actor, case)


def _require_collection(document: DocumentRow, wanted: dict[str, Any]) -> None:
    if document.is_on_site and wanted.get("collection", "unsaid") is None:
        raise DocumentPublished(
            f"The {document.noun} is published, so it needs a collection."
            " Unpublish it first."
        )


def _saved(
    document: DocumentRow, wanted: dict[str, Any], now: datetime
) -> dict[str, Change]:
    """Save the head as the next version; return what differs."""
    if wanted.get("collection", document.collection) != document.collection:
        leave_address(document)
    changes = document.change(wanted | {"version": document.version + 1}, now)
    del changes["version"]
    return changes


class ListDocuments(ListVersioned):
    type: Commas[DocumentType] | None = None
    collection: Commas[Collection | Literal["none"]] | None = None
    section: Section | None = None
    published: QueryBoolean | None = None
    stale: QueryBoolean | None = None
    sort: Literal["updatedAt", "createdAt", "title", "position"] = "updatedAt"


SORTS = {
    "updatedAt": DocumentRow.updated_at,
    "createdAt": DocumentRow.created_at,
    "title": DocumentRow.title,
    "position": DocumentRow.position,
}


def documents_listed(query: ListDocuments) -> Page[DocumentRow]:
    where = [*_where(query), *_released(query)]
    return registered(DOCUMENTS, query, SORTS[query.sort], where)


def _where(query: ListDocuments) -> list[Any]:
    found: list[Any] = []
    if query.type is not None:
        found.append(DocumentRow.type.in_(query.type))
    if query.collection is not None:
        placed = DocumentRow.collection.in_(query.collection)
        nowhere = DocumentRow.collection.is_null()
        found.append(placed | nowhere if "none" in query.collection else placed)
    if query.section is not None:
        found.append(DocumentRow.section == query.section)
    if query.q is not None:
        found.append(
            DocumentRow.title.contains(query.q)
            | DocumentRow.slug.contains(query.q)
            | DocumentRow.summary.contains(query.q)
        )
    return found


def _released(query: ListDocuments) -> list[Any]:
    found: list[Any] = []
    if query.published is not None:
        found.append(DocumentRow.published_version.is_null(not query.published))
    if query.stale is not None:
        is_stale = DocumentRow.published_version < DocumentRow.version
        is_fresh = DocumentRow.published_version.is_null() | (
            DocumentRow.published_version == DocumentRow.version
        )
        found.append(is_stale if query.stale else is_fresh)
    return found
