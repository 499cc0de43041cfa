"""Import a tree of files as documents of the docs project."""

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

# The fields of a source that are compared with the head; the content is compared
# apart.
FIELDS = ("title", "summary", "section", "position")


class DocumentSource(Schema):
    """A file to import; `path` is relative to the tree."""

    path: str
    slug: Slug
    section: Section | None
    position: Position
    title: Title
    summary: Summary
    content: Text


@dataclass
class ImportReport:
    """The slugs of the documents, by what was done."""

    created: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    published: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    pruned: list[str] = field(default_factory=list)
    # Pairs of a file's path and a remark about it.
    notes: list[tuple[str, str]] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        changed = self.created or self.updated or self.published
        return bool(changed or self.restored or self.pruned)


@dataclass(frozen=True)
class ImportOptions:
    """
    Where an import writes, and what it does.

    `tree` names the folder; a document belongs to one file of one tree. `publish`
    publishes every document as it is in its file. `prune` unpublishes and archives
    the documents whose file is gone; files in `skipped_paths` could not be read but
    exist. `is_dry_run` rolls everything back.
    """

    collection: Collection
    now: datetime
    actor: Actor
    tree: str
    publish: bool = False
    prune: bool = False
    skipped_paths: frozenset[str] = frozenset()
    is_dry_run: bool = False


class _DryRun(Exception):
    """Rolls back the transaction of a dry run."""


def document_source(**fields: Any) -> DocumentSource:
    """Return the source, or raise ValidationFailed with the first error."""
    try:
        return DocumentSource(**fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
    sentence = str(first["msg"]).removeprefix("Value error, ").rstrip(".")
    name = first["loc"][0] if first["loc"] else "file"
    raise ValidationFailed(f"The {name} cannot be used: {sentence}.")


def import_documents(
    sources: Sequence[DocumentSource],
    options: ImportOptions,
    progress: Callable[[Sequence[DocumentSource]], Iterable[DocumentSource]] = iter,
) -> ImportReport:
    """
    Import the sources into a collection of the docs project, in one transaction.

    A document that equals its file is not touched, so importing twice changes
    nothing. `progress` iterates over the sources and may show a progress bar.
    """
    report = ImportReport()
    with suppress(_DryRun), writing():
        matcher = DocumentMatcher(docs_project(), sources, options)
        ids = [document.id for document in matcher.documents.values()]
        contents = DOCUMENTS.contents_of(ids, DocumentRow.version)
        for source in progress(sources):
            document = matcher.documents.get(source.path)
            if document is None:
                document = _create(source, matcher, report)
            else:
                content = contents.get(document.id)
                document = _update(source, document, content, options, report)
            if options.publish:
                _publish(document, options, report)
        if options.prune:
            _prune(matcher, report)
        if report.changed:
            mark("docs")
        if options.is_dry_run:
            raise _DryRun
    return report


class DocumentMatcher:
    """Matches sources with existing documents, and assigns free slugs."""

    def __init__(
        self,
        project: ProjectRow,
        sources: Sequence[DocumentSource],
        options: ImportOptions,
    ) -> None:
        self.project, self.options = project, options
        query = DocumentRow.select().where(DocumentRow.project == project.id)
        rows = list(query.order_by(DocumentRow.id))
        self._paths = {source.path for source in sources} | options.skipped_paths
        self._by_path = {
            str(row.source_path): row for row in rows if self._is_of_tree(row)
        }
        self._by_slug = {row.slug: row for row in rows}
        # The existing document of each source that has one, by path.
        self.documents: dict[str, DocumentRow] = {}
        for source in sources:
            document = self._by_path.get(source.path) or self._adopt(source.slug)
            if document is not None:
                self.documents[source.path] = document
        self._slugs = {row.slug for row in rows}

    def without_file(self) -> list[DocumentRow]:
        """Return the documents of this tree whose file no longer exists."""
        matched_ids = {document.id for document in self.documents.values()}
        return [
            row
            for path, row in self._by_path.items()
            if row.source_tree and path not in self._paths and row.id not in matched_ids
        ]

    def reserve_slug(self, source: DocumentSource) -> str:
        """Return the slug of a new document, with a number appended if it is taken."""
        slug = unique_slug(source.slug, self._slugs)
        self._slugs.add(slug)
        return slug

    def _is_of_tree(self, row: DocumentRow) -> bool:
        is_in_collection = row.collection == self.options.collection
        # Documents imported before trees had names may be of any tree.
        is_of_tree = row.source_tree in (None, self.options.tree)
        return bool(row.source_path) and is_in_collection and is_of_tree

    def _adopt(self, slug: str) -> DocumentRow | None:
        """
        Return the document with the slug, if a file may take it over.

        It may if the document came from no file, or if its file was renamed.
        """
        row = self._by_slug.get(slug)
        if row is None or row.collection not in (None, self.options.collection):
            return None
        was_renamed = self._is_of_tree(row) and row.source_path not in self._paths
        if row.source_path and not was_renamed:
            return None
        # Only the first of several files with the same slug gets the document.
        return self._by_slug.pop(slug)


def _update(
    source: DocumentSource,
    document: DocumentRow,
    content: str | None,
    options: ImportOptions,
    report: ImportReport,
) -> DocumentRow:
    """Save the document if it differs from its file."""
    if document.archived_at is not None:
        restore = RestoreDocument(id=document.id)
        document, _ = restore_document(restore, options.now, options.actor)
        report.restored.append(document.slug)
    values = {name: getattr(source, name) for name in FIELDS}
    values |= {"collection": options.collection}
    origin = (document.source_tree, document.source_path)
    is_same = all(getattr(document, name) == value for name, value in values.items())
    if not is_same or content != source.content:
        update = UpdateDocument(id=document.id, content=source.content, **values)
        document = update_document(update, options.now, options.actor)
    elif origin == (options.tree, source.path):
        report.unchanged.append(document.slug)
        return document
    if document.source_path is None:
        note = f"It replaces the document '{document.slug}', which came from no file."
        report.notes.append((source.path, note))
    report.updated.append(document.slug)
    document.source_tree, document.source_path = options.tree, source.path
    document.save()
    return document


def _create(
    source: DocumentSource, matcher: DocumentMatcher, report: ImportReport
) -> DocumentRow:
    options, slug = matcher.options, matcher.reserve_slug(source)
    if slug != source.slug:
        note = f"The slug '{source.slug}' is taken, so its slug is '{slug}'."
        report.notes.append((source.path, note))
    request = CreateDocument(
        project_id=matcher.project.id,
        slug=slug,
        type="note",
        content=source.content,
        collection=options.collection,
        **{name: getattr(source, name) for name in FIELDS},
    )
    report.created.append(slug)
    return create_document(
        request,
        options.now,
        options.actor,
        source_path=source.path,
        source_tree=options.tree,
    )


def _publish(
    document: DocumentRow, options: ImportOptions, report: ImportReport
) -> None:
    if document.published_version != document.version:
        request = PublishDocument(id=document.id, version=document.version)
        publish_document(request, options.now, options.actor)
        report.published.append(document.slug)


def _prune(matcher: DocumentMatcher, report: ImportReport) -> None:
    now, actor = matcher.options.now, matcher.options.actor
    for row in matcher.without_file():
        if row.published_version is not None:
            unpublish_document(UnpublishDocument(id=row.id), now, actor)
        _, is_changed = remove_document(RemoveDocument(id=row.id), now, actor)
        if is_changed:
            report.pruned.append(row.slug)
