"""Documents from elsewhere: a tree of files brought into the docs project."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from models.base import Shape
from models.changes import mark
from models.database import writing
from models.errors import SlugTaken, ValidationFailed
from models.projects.document import DOCUMENTS, DocumentRow
from models.projects.documents import (
    Collection,
    CreateDocument,
    Position,
    Section,
    UpdateDocument,
    create_document,
    update_document,
)
from models.projects.project import ProjectRow
from models.projects.projects import docs_project
from models.projects.publication import PublishDocument, publish_document
from models.projects.words import By, Summary, Text, Title
from models.words import Slug

# What an import says about a document; the text is compared apart.
MEMBERS = ("title", "summary", "section", "position")


class DocumentSource(Shape):
    """A file that is to be a document; `path` is relative to the tree."""

    path: str
    slug: Slug
    section: Section | None
    position: Position
    title: Title
    summary: Summary
    content: Text


@dataclass
class ImportReport:
    """The slugs of the documents, by what became of them."""

    created: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    published: list[str] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        return bool(self.created or self.updated or self.published)


@dataclass(frozen=True)
class Import:
    """What all files of one import share."""

    project: ProjectRow
    collection: Collection
    by: By
    now: datetime


def document_source(**members: Any) -> DocumentSource:
    """Return the source, or raise ValidationFailed with what is wrong with it."""
    try:
        return DocumentSource(**members)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False)[0]
    sentence = str(wrong["msg"]).removeprefix("Value error, ").rstrip(".")
    name = wrong["loc"][0] if wrong["loc"] else "file"
    raise ValidationFailed(f"The {name} cannot be used: {sentence}.")


def import_documents(
    sources: Sequence[DocumentSource],
    collection: Collection,
    now: datetime,
    by: By,
    *,
    publish: bool,
    progress: Callable[[str], object] = lambda _: None,
) -> ImportReport:
    """
    Bring the sources into a collection of the docs project: all, or none.

    What is the same stays untouched, so a second import changes nothing. With
    `publish` every document ends published as it is in its file. `progress` is
    told the path of each file that is done.
    """
    report = ImportReport()
    with writing():
        each_shares = Import(docs_project(), collection, by, now)
        existing = _existing(each_shares.project, sources, collection)
        ids = [document.id for document in existing.values()]
        texts = DOCUMENTS.contents_of(ids, DocumentRow.version)
        for source in sources:
            document = existing.get(source.path)
            text = texts.get(document.id) if document else None
            document = _kept(source, document, text, each_shares, report)
            if publish:
                _published(document, each_shares, report)
            progress(source.path)
        if report.changed:
            mark("docs")
    return report


def _existing(
    project: ProjectRow, sources: Sequence[DocumentSource], collection: Collection
) -> dict[str, DocumentRow]:
    """
    Return the document of each source that has one, by the source's path.

    It is the one that came from that file, and so keeps its slug whatever file
    joins the tree; or else the one that has the slug.
    """
    rows = list(DocumentRow.select().where(DocumentRow.project == project.id))
    of_file = {r.source_path: r for r in rows if r.collection == collection}
    of_slug = {row.slug: row for row in rows}
    found: dict[str, DocumentRow] = {}
    owners: dict[str, str] = {}
    for source in sources:
        document = of_file.get(source.path) or of_slug.get(source.slug)
        slug = document.slug if document else source.slug
        other = owners.setdefault(slug, source.path)
        if other != source.path:
            raise _taken(source, slug, f"the file '{other}'")
        if document is None:
            continue
        if document.collection not in (None, collection):
            raise _taken(source, slug, f"a page of {document.collection}")
        found[source.path] = document
    return found


def _taken(source: DocumentSource, slug: str, holder: str) -> SlugTaken:
    return SlugTaken(
        f"The file '{source.path}' would have the slug '{slug}', which belongs to"
        f" {holder}. Rename the file; nothing was imported."
    )


def _kept(
    source: DocumentSource,
    document: DocumentRow | None,
    text: str | None,
    shared: Import,
    report: ImportReport,
) -> DocumentRow:
    """Create the document, or save it when it differs from its file."""
    if document is None:
        report.created.append(source.slug)
        return _created(source, shared)
    wanted = {name: getattr(source, name) for name in MEMBERS}
    wanted |= {"collection": shared.collection}
    same_words = all(getattr(document, n) == v for n, v in wanted.items())
    if not same_words or text != source.content:
        wanted |= {"id": document.id, "content": source.content}
        document = update_document(UpdateDocument(**wanted), shared.now, shared.by)
    elif document.source_path == source.path:
        report.unchanged.append(document.slug)
        return document
    report.updated.append(document.slug)
    document.source_path = source.path
    document.save()
    return document


def _created(source: DocumentSource, shared: Import) -> DocumentRow:
    members = {name: getattr(source, name) for name in MEMBERS}
    asked = CreateDocument(
        project_id=shared.project.id,
        slug=source.slug,
        type="note",
        content=source.content,
        collection=shared.collection,
        **members,
    )
    return create_document(asked, shared.now, shared.by, source_path=source.path)


def _published(document: DocumentRow, shared: Import, report: ImportReport) -> None:
    if document.published_version != document.version:
        asked = PublishDocument(id=document.id, version=document.version)
        publish_document(asked, shared.now, shared.by)
        report.published.append(document.slug)
