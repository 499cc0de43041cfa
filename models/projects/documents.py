"""Documents: written, changed, found, listed."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from models.base import Change, Shape, new_id
from models.errors import DocumentPublished
from models.projects.activity import record_activity, told_changes
from models.projects.document import (
    DOCUMENTS,
    DocumentRow,
    document_with,
    leave_address,
)
from models.projects.members import require_role
from models.projects.project import project_with, require_active
from models.projects.words import (
    ActorType,
    By,
    NamedInProject,
    OrNull,
    Summary,
    Text,
    Title,
    Version,
)
from models.words import TRIMMED, Id, MayOmit, Moment, SingleLine, Slug, Whole

DocumentType = Literal["rfc", "runbook", "note", "design"]
Collection = Literal["guides", "products", "support"]
Section = Annotated[str, TRIMMED, Field(min_length=1, max_length=80), SingleLine]
Position = Annotated[Whole, Field(ge=0, le=10_000)]
Note = OrNull[Annotated[str, Field(max_length=300)]]
# Where the page stands: not versioned, so a change shows at once on the site.
PLACEMENT = ("collection", "section", "position")


class Document(Shape):
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


class CreateDocument(Shape):
    project_id: Id
    title: Title
    slug: Slug
    type: DocumentType
    content: Text
    summary: Summary = None
    collection: Collection | None = None
    section: Section | None = None
    position: Position = 0


class UpdateDocument(Shape):
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
    asked: CreateDocument,
    now: datetime,
    by: By,
    *,
    source_path: str | None = None,
    source_tree: str | None = None,
) -> DocumentRow:
    """Keep a new document, which nobody outside sees until it is published."""
    project = project_with(asked.project_id)
    require_role(project, by, "documents:create")
    require_active(project)
    DOCUMENTS.require_free(project, asked.slug)
    members = asked.members()
    content = members.pop("content")
    document = DocumentRow.create(
        id=new_id(now),
        version=1,
        creator_id=by.actor_id,
        creator_type=by.actor_type,
        created_at=now,
        updated_at=now,
        source_path=source_path,
        source_tree=source_tree,
        **members,
    )
    DOCUMENTS.keep(document, content, by, summary=document.summary)
    told = {name: members[name] for name in ("slug", "title", "type")}
    record_activity(
        project, "document.created", document.id, by, now, **told, version=1
    )
    return document


def update_document(asked: UpdateDocument, now: datetime, by: By) -> DocumentRow:
    """
    Keep a new version; members left out stay as they are.

    What is public changes only in its placement, which needs a maintainer; the
    words wait until the version is published.
    """
    document = DOCUMENTS.with_content(document_with(asked.id))
    wanted = _wanted(asked)
    _require_may_save(document, wanted, by)
    DOCUMENTS.require_version(document, asked.expected_version)
    require_active(document.project, document)
    _require_collection(document, wanted)
    content = wanted.pop("content", document.content)
    changes = _saved(document, wanted, now)
    if content != document.content:
        changes["content"] = (document.content, content)
    DOCUMENTS.keep(document, content, by, summary=document.summary, note=asked.note)
    record_activity(
        document.project,
        "document.updated",
        document.id,
        by,
        now,
        version=document.version,
        changes=told_changes(changes),
        note=asked.note,
    )
    return document


def _wanted(asked: UpdateDocument) -> dict[str, Any]:
    aside = {"id", "note", "expected_version"}
    return {name: each for name, each in asked.given().items() if name not in aside}


def _require_may_save(document: DocumentRow, wanted: dict[str, Any], by: By) -> None:
    moves = any(
        name in wanted and wanted[name] != getattr(document, name) for name in PLACEMENT
    )
    case = "documents:update"
    if moves and document.published_version is not None:
        case += " of the placement while published"
    require_role(document.project, by, case)


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
