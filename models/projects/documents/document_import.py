"""Documents from elsewhere: a tree of files brought into the docs project."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from models.base import Schema
from models.changes import mark
from models.errors import ValidationFailed
from models.fields import Slug, unique_slug
from models.projects.documents.documents import (
    Collection,
    CreateDocument,
    Position,
    Section,
    UpdateDocument,
    create_document,
    update_document,
)
from models.projects.documents.publication import (
    PublishDocument,
    UnpublishDocument,
    publish_document,
    unpublish_document,
)
from models.projects.documents.rows import DOCUMENTS, DocumentRow
from models.projects.fields import Actor, Summary, Text, Title
from models.projects.projects.projects import docs_project
from models.projects.projects.rows import ProjectRow
from models.projects.versioning.archive import (
    RemoveDocument,
    RestoreDocument,
    remove_document,
    restore_document,
)
from models.storage.database import writing

# What an import says about a document; the text is compared apart.
MEMBERS = ("title", "summary", "section", "position")


class DocumentSource(Schema):
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
    restored: list[str] = field(default_factory=list)
    pruned: list[str] = field(default_factory=list)
    # What a reader of the report should know, by the path of the file.
    notes: list[tuple[str, str]] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        changed = self.created or self.updated or self.published
        return bool(changed or self.restored or self.pruned)


@dataclass(frozen=True)
class Import:
    """
    What an import is to do.

    `tree` names the folder: a document comes from one file of one tree. `publish`
    leaves every document published as it is in its file. `prune` withdraws those
    whose file is gone and puts them into the archive; a file of `held` is there,
    though it could not be used. A trial keeps nothing.
    """

    collection: Collection
    now: datetime
    actor: Actor
    tree: str
    publish: bool = False
    prune: bool = False
    held: frozenset[str] = frozenset()
    is_trial: bool = False


class _Trial(Exception):
    """Ends the transaction of a trial, so that nothing of it is kept."""


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
    request: Import,
    progress: Callable[[Sequence[DocumentSource]], Iterable[DocumentSource]] = iter,
) -> ImportReport:
    """
    Bring the sources into a collection of the docs project: all, or none.

    What is the same stays untouched, so a second import changes nothing. `progress`
    goes through the sources and may show how far it is.
    """
    report = ImportReport()
    with suppress(_Trial), writing():
        register = Register(docs_project(), sources, request)
        ids = [each.id for each in register.found.values()]
        texts = DOCUMENTS.contents_of(ids, DocumentRow.version)
        for source in progress(sources):
            document = register.found.get(source.path)
            text = texts.get(document.id) if document else None
            document = _kept(source, document, text, register, report)
            if request.publish:
                _published(document, request, report)
        if request.prune:
            _pruned(register, report)
        if report.changed:
            mark("docs")
        if request.is_trial:
            raise _Trial
    return report


class Register:
    """Which document each source is, and which slugs are taken."""

    def __init__(
        self, project: ProjectRow, sources: Sequence[DocumentSource], request: Import
    ) -> None:
        self.asked, self.project = request, project
        ours = DocumentRow.select().where(DocumentRow.project == project.id)
        rows = list(ours.order_by(DocumentRow.id))
        self._paths = {each.path for each in sources} | request.held
        self._own = {str(r.source_path): r for r in rows if self._is_of_tree(r)}
        self._taken = {row.slug: row for row in rows}
        self.found: dict[str, DocumentRow] = {}
        for source in sources:
            document = self._own.get(source.path) or self._adopted(source.slug)
            if document is not None:
                self.found[source.path] = document
        self._slugs = {row.slug for row in rows}

    def gone(self) -> list[DocumentRow]:
        """Return the documents of this tree whose file is in it no more."""
        kept = {each.id for each in self.found.values()}
        return [
            row
            for path, row in self._own.items()
            if row.source_tree and path not in self._paths and row.id not in kept
        ]

    def free_slug(self, source: DocumentSource) -> str:
        """Return the slug of a new document: its own, or one that is free."""
        slug = unique_slug(source.slug, self._slugs)
        self._slugs.add(slug)
        return slug

    def _is_of_tree(self, row: DocumentRow) -> bool:
        is_here = row.collection == self.asked.collection
        # What came in before trees had names is of any.
        is_of_tree = row.source_tree in (None, self.asked.tree)
        return bool(row.source_path) and is_here and is_of_tree

    def _adopted(self, slug: str) -> DocumentRow | None:
        """
        Return the document of that slug, if a file may have it.

        It is one that came from no file yet, or whose file was renamed.
        """
        row = self._taken.get(slug)
        if row is None or row.collection not in (None, self.asked.collection):
            return None
        was_renamed = self._is_of_tree(row) and row.source_path not in self._paths
        if row.source_path and not was_renamed:
            return None
        # Two files may wish for it; the first has it.
        return self._taken.pop(slug)


def _kept(
    source: DocumentSource,
    document: DocumentRow | None,
    text: str | None,
    register: Register,
    report: ImportReport,
) -> DocumentRow:
    """Create the document, or save it when it differs from its file."""
    if document is None:
        return _created(source, register, report)
    asked = register.asked
    if document.archived_at is not None:
        restored = RestoreDocument(id=document.id)
        document, _ = restore_document(restored, asked.now, asked.actor)
        report.restored.append(document.slug)
    wanted = {name: getattr(source, name) for name in MEMBERS}
    wanted |= {"collection": asked.collection}
    came_from = (document.source_tree, document.source_path)
    same_words = all(getattr(document, n) == v for n, v in wanted.items())
    if not same_words or text != source.content:
        wanted |= {"id": document.id, "content": source.content}
        document = update_document(UpdateDocument(**wanted), asked.now, asked.actor)
    elif came_from == (asked.tree, source.path):
        report.unchanged.append(document.slug)
        return document
    if came_from[1] is None:
        told = f"It takes the place of the document '{document.slug}'."
        report.notes.append((source.path, told))
    report.updated.append(document.slug)
    document.source_tree, document.source_path = asked.tree, source.path
    document.save()
    return document


def _created(
    source: DocumentSource, register: Register, report: ImportReport
) -> DocumentRow:
    asked, slug = register.asked, register.free_slug(source)
    if slug != source.slug:
        told = f"The slug '{source.slug}' is taken, so its slug is '{slug}'."
        report.notes.append((source.path, told))
    wanted = CreateDocument(
        project_id=register.project.id,
        slug=slug,
        type="note",
        content=source.content,
        collection=asked.collection,
        **{name: getattr(source, name) for name in MEMBERS},
    )
    report.created.append(slug)
    return create_document(
        wanted,
        asked.now,
        asked.actor,
        source_path=source.path,
        source_tree=asked.tree,
    )


def _published(document: DocumentRow, request: Import, report: ImportReport) -> None:
    if document.published_version != document.version:
        wanted = PublishDocument(id=document.id, version=document.version)
        publish_document(wanted, request.now, request.actor)
        report.published.append(document.slug)


def _pruned(register: Register, report: ImportReport) -> None:
    asked = register.asked
    for row in register.gone():
        if row.published_version is not None:
            unpublish_document(UnpublishDocument(id=row.id), asked.now, asked.actor)
        _, changed = remove_document(RemoveDocument(id=row.id), asked.now, asked.actor)
        if changed:
            report.pruned.append(row.slug)
