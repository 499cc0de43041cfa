"""Create, update and list documents."""

from datetime import datetime
from typing import Annotated, Any, Literal
from urllib.parse import quote

from pydantic import Field, model_validator

from models.base import Schema
from models.errors import DocumentPublished
from models.fields import (
    ID,
    TRIMMED,
    CreatedAt,
    Id,
    MayOmit,
    Moment,
    QueryBoolean,
    SingleLine,
    Slug,
    UpdatedAt,
    WholeNumber,
)
from models.pagination import Page
from models.projects import descriptions
from models.projects.documents.paths import DocumentPath, page_href, path_of_file
from models.projects.documents.rows import (
    DOCUMENTS,
    DocumentAliasRow,
    DocumentRow,
    document_with,
    record_former_address,
    require_free_path,
)
from models.projects.fields import (
    Actor,
    ArchivedAt,
    CommaSeparated,
    CreatorType,
    ExpectedVersion,
    IdOrSlugQuery,
    NullIfEmpty,
    ProjectId,
    Summary,
    Text,
    Title,
)
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import changes_to_json, record_activity
from models.projects.projects.rows import project_with, require_active
from models.projects.versioning.versioned import ListVersioned, list_versioned

DocumentType = Literal["rfc", "runbook", "note", "design"]
Collection = Literal["guides", "products", "support"]
Section = Annotated[str, TRIMMED, Field(min_length=1, max_length=80), SingleLine]
Position = Annotated[WholeNumber, Field(ge=0, le=10_000)]
Note = NullIfEmpty[Annotated[str, Field(max_length=300)]]
# The place of the page on the site. It is not versioned, so a change is public
# immediately.
PLACEMENT = ("path", "collection", "section", "position")


class Document(Schema):
    id: Annotated[Id, ID]
    project_id: ProjectId
    title: Annotated[str, descriptions.TITLE]
    slug: Annotated[Slug, descriptions.DOCUMENT_SLUG]
    type: Annotated[DocumentType, descriptions.TYPE]
    summary: Annotated[str | None, descriptions.SUMMARY]
    content: Annotated[str, descriptions.CONTENT]
    version: Annotated[int, descriptions.VERSION]
    collection: Annotated[Collection | None, descriptions.COLLECTION]
    section: Annotated[str | None, descriptions.DOCUMENT_SECTION]
    position: Annotated[int, descriptions.POSITION]
    published_version: int | None = Field(
        description="The published version.", examples=[None]
    )
    published_at: Moment | None = Field(
        description="When it was published.", examples=[None]
    )
    creator_id: Annotated[str, descriptions.CREATOR_ID]
    creator_type: CreatorType
    created_at: CreatedAt
    updated_at: UpdatedAt
    archived_at: ArchivedAt | None


class CreateDocument(Schema, example=("summary", "collection", "section", "position")):
    project_id: ProjectId
    title: Annotated[Title, descriptions.TITLE]
    slug: Annotated[Slug, descriptions.DOCUMENT_SLUG]
    type: Annotated[DocumentType, descriptions.TYPE]
    content: Annotated[Text, descriptions.CONTENT]
    summary: Annotated[Summary, descriptions.SUMMARY] = None
    collection: Annotated[Collection | None, descriptions.COLLECTION] = None
    section: Annotated[Section | None, descriptions.DOCUMENT_SECTION] = None
    position: Annotated[Position, descriptions.POSITION] = 0


# Fields of UpdateDocument that are not written to the document.
UNVERSIONED = {"id", "note", "expected_version"}


class UpdateDocument(Schema, example=("content", "note", "expectedVersion")):
    id: Annotated[Id, ID]
    title: Annotated[MayOmit[Title], descriptions.TITLE] = None
    type: Annotated[MayOmit[DocumentType], descriptions.TYPE] = None
    content: Annotated[MayOmit[Text], descriptions.CONTENT] = None
    summary: Annotated[Summary, descriptions.SUMMARY] = None
    collection: Annotated[Collection | None, descriptions.COLLECTION] = None
    section: Annotated[Section | None, descriptions.DOCUMENT_SECTION] = None
    position: Annotated[MayOmit[Position], descriptions.POSITION] = None
    note: Annotated[Note, descriptions.CHANGE_NOTE] = None
    expected_version: MayOmit[ExpectedVersion] = None

    @model_validator(mode="after")
    def _require_change(self) -> "UpdateDocument":
        changed = self.model_fields_set - UNVERSIONED
        if not changed and self.note is None:
            raise ValueError("Give at least one field to change, or a note.")
        return self


class MoveDocument(Schema, example=("expectedVersion",)):
    id: Annotated[Id, ID]
    path: Annotated[DocumentPath, descriptions.DOCUMENT_PATH]
    expected_version: MayOmit[ExpectedVersion] = None


class GetDocumentAddress(Schema):
    id: Annotated[Id, ID]


class DocumentAddress(Schema):
    """Where a document is on the site once it is published."""

    id: Annotated[Id, ID]
    collection: Annotated[Collection | None, descriptions.COLLECTION]
    path: Annotated[str, descriptions.DOCUMENT_PATH]
    address: str | None = Field(
        description="The address on the site. null: the document has no collection.",
        examples=["/guides/setup/moving/"],
    )
    redirects: list[str] = Field(
        description="Former addresses, and those that its file declares, which"
        " redirect to it.",
        examples=[["/guides/moving/"]],
    )


class GetDocument(IdOrSlugQuery, example=("projectSlug", "slug")):
    pass


def create_document(
    request: CreateDocument, now: datetime, actor: Actor
) -> DocumentRow:
    """Create a document at version 1; it is private until it is published."""
    project = project_with(request.project_id)
    require_role(project, actor, "documents:create")
    require_active(project)
    DOCUMENTS.require_free_slug(project, request.slug)
    document = new_document(request, now, actor)
    require_free_path(project, document.collection, document.path)
    document.save(force_insert=True)
    DOCUMENTS.save_revision(document, request.content, actor, summary=document.summary)
    metadata = creation_metadata(document)
    record_activity(document, "document.created", actor, now, **metadata)
    return document


def new_document(request: CreateDocument, now: datetime, actor: Actor) -> DocumentRow:
    """Return the head of a new document, which is not saved yet."""
    fields = request.all_fields()
    del fields["content"]
    return DocumentRow(
        version=1,
        path=path_of_file(request.slug),
        **actor.creation(now),
        **fields,
    )


def creation_metadata(document: DocumentRow) -> dict[str, Any]:
    """Return what the activity records about a new document."""
    return {
        "slug": document.slug,
        "title": document.title,
        "type": document.type,
        "version": 1,
    }


def update_document(
    request: UpdateDocument, now: datetime, actor: Actor
) -> tuple[DocumentRow, bool]:
    """
    Save a new version; return the document and whether the site shows the change.

    Omitted fields keep their values. While the document is published, title, summary
    and content stay private until the version is published; the placement is public
    immediately and needs a maintainer.
    """
    document = document_with(request.id)
    values = changed_values(request)
    require_role(document.project, actor, update_case(document, values))
    return _save_next_version(document, values, request, now, actor, request.note)


def move_document(
    request: MoveDocument, now: datetime, actor: Actor
) -> tuple[DocumentRow, bool]:
    """Give a document another path; return it and whether the site shows the change."""
    document = document_with(request.id)
    is_published = document.published_version is not None
    case = "documents:move" + " while published" * is_published
    require_role(document.project, actor, case)
    require_active(document.project, document)
    if document.path == request.path:
        return document, False
    return _save_next_version(document, {"path": request.path}, request, now, actor)


def _save_next_version(
    document: DocumentRow,
    values: dict[str, Any],
    request: UpdateDocument | MoveDocument,
    now: datetime,
    actor: Actor,
    note: str | None = None,
) -> tuple[DocumentRow, bool]:
    DOCUMENTS.load_content(document)
    DOCUMENTS.require_version(document, request.expected_version)
    require_active(document.project, document)
    _require_collection(document, values)
    collection = values.get("collection", document.collection)
    path = values.get("path", document.path)
    require_free_path(document.project, collection, path, document.id)
    content = values.get("content", document.content)
    metadata = assign_next_version(document, values, note, now)
    document.changed_at = None
    if "title" in metadata["changes"]:
        document.nav_title = None
    document.save()
    DOCUMENTS.save_revision(
        document, content, actor, summary=document.summary, note=note
    )
    record_activity(document, "document.updated", actor, now, **metadata)
    is_moved = not metadata["changes"].keys().isdisjoint(PLACEMENT)
    return document, document.is_on_site and is_moved


def address_of(document: DocumentRow) -> DocumentAddress:
    address = page_href(document.collection, document.path)
    aliases = DocumentAliasRow.select().where(DocumentAliasRow.document == document.id)
    others = [alias.address for alias in aliases.order_by(DocumentAliasRow.number)]
    return DocumentAddress.model_validate(
        {
            "id": document.id,
            "collection": document.collection,
            "path": document.path,
            "address": address if document.collection else None,
            "redirects": [other for other in map(quote, others) if other != address],
        }
    )


def changed_values(request: UpdateDocument) -> dict[str, Any]:
    """Return the sent fields that are written to the document."""
    return {
        name: value
        for name, value in request.sent_fields().items()
        if name not in UNVERSIONED
    }


def update_case(document: DocumentRow, values: dict[str, Any]) -> str:
    """Return the case of REQUIRED_ROLES that this update is."""
    is_moved = any(
        name in values and values[name] != getattr(document, name) for name in PLACEMENT
    )
    case = "documents:update"
    if is_moved and document.published_version is not None:
        case += " of the placement while published"
    return case


def _require_collection(document: DocumentRow, values: dict[str, Any]) -> None:
    if document.is_on_site and values.get("collection", "omitted") is None:
        raise DocumentPublished(
            f"The {document.noun} is published, so it needs a collection."
            " Unpublish it first."
        )


def assign_next_version(
    document: DocumentRow, values: dict[str, Any], note: str | None, now: datetime
) -> dict[str, Any]:
    """
    Make the loaded document its next version; return what the activity records.

    The head is not saved yet, and its content stays the old one until then.
    """
    values = dict(values)
    content = values.pop("content", document.content)
    if any(
        values.get(name, getattr(document, name)) != getattr(document, name)
        for name in ("path", "collection")
    ):
        record_former_address(document)
    changes = document.assign(values)
    if content != document.content:
        changes["content"] = (document.content, content)
    document.version += 1
    document.date_update(now)
    return {
        "version": document.version,
        "changes": changes_to_json(changes),
        "note": note,
    }


class ListDocuments(ListVersioned, example=("projectSlug", "type")):
    type: Annotated[CommaSeparated[DocumentType] | None, descriptions.TYPE] = None
    collection: Annotated[
        CommaSeparated[Collection | Literal["none"]] | None, descriptions.COLLECTION
    ] = None
    section: Annotated[Section | None, descriptions.DOCUMENT_SECTION] = None
    published: QueryBoolean | None = Field(
        default=None, description="Whether the document is published."
    )
    stale: QueryBoolean | None = Field(
        default=None,
        description="Whether a newer version than the published one exists.",
    )
    sort: Annotated[
        Literal["updatedAt", "createdAt", "title", "position"], descriptions.SORT
    ] = "updatedAt"


def list_documents(query: ListDocuments) -> Page[DocumentRow]:
    conditions = [*_conditions(query), *_publication_conditions(query)]
    return list_versioned(DOCUMENTS, query, query.sort, conditions)


def _conditions(query: ListDocuments) -> list[Any]:
    conditions: list[Any] = []
    if query.type is not None:
        conditions.append(DocumentRow.type.in_(query.type))
    if query.collection is not None:
        in_collection = DocumentRow.collection.in_(query.collection)
        if "none" in query.collection:
            in_collection |= DocumentRow.collection.is_null()
        conditions.append(in_collection)
    if query.section is not None:
        conditions.append(DocumentRow.section == query.section)
    if query.q is not None:
        conditions.append(
            DocumentRow.title.contains(query.q)
            | DocumentRow.slug.contains(query.q)
            | DocumentRow.summary.contains(query.q)
        )
    return conditions


def _publication_conditions(query: ListDocuments) -> list[Any]:
    conditions: list[Any] = []
    if query.published is not None:
        conditions.append(DocumentRow.published_version.is_null(not query.published))
    if query.stale is not None:
        is_stale = DocumentRow.published_version < DocumentRow.version
        is_current = DocumentRow.published_version.is_null() | (
            DocumentRow.published_version == DocumentRow.version
        )
        conditions.append(is_stale if query.stale else is_current)
    return conditions
