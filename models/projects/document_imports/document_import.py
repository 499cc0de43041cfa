"""Import a tree of files as documents of the docs project."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from models.base import MILLISECOND
from models.changes import mark
from models.instants import next_instant
from models.projects.document_imports.document_batch import DocumentBatch
from models.projects.document_imports.manual_changes import (
    ManualChange,
    manual_changes,
    record_import,
)
from models.projects.document_imports.matching import DocumentMatcher, Fields
from models.projects.document_imports.options import (
    HeldDocument,
    ImportOptions,
    ImportReport,
)
from models.projects.document_imports.sources import DocumentSource, SourceFields
from models.projects.documents.documents import CreateDocument, UpdateDocument
from models.projects.documents.linking.aliases import AliasBatch, ineffective_aliases
from models.projects.documents.paths import page_address, path_of_file
from models.projects.documents.positions import stable_positions
from models.projects.documents.publication import UnpublishDocument, unpublish_document
from models.projects.documents.revisions import newest_revisions
from models.projects.documents.rows import DOCUMENTS, DocumentRow
from models.projects.files.file_import import (
    PreparedFiles,
    import_files,
    prune_files,
)
from models.projects.files.names import tree_prefix
from models.projects.projects.projects import docs_project
from models.projects.projects.rows import ProjectRow
from models.projects.versioning.archive import (
    RemoveDocument,
    RestoreDocument,
    remove_document,
    restore_document,
)
from models.storage.database import writing
from models.storage.write_locks import WriteLock

# The fields of a source that are compared with the head; the content is compared
# apart.
FIELDS = ("title", "summary", "section", "position")
# A document may be restored, saved and published, each a millisecond after the other.
LAST_SAVE = 2 * MILLISECOND
MAX_NOTE = 300
ANOTHER_TREE = (
    "More than half of the documents of this tree have no file in the folder any more."
    " If this is another folder, give it a name with --tree."
)


# What is stored of a file beside the text and its place.
Origin = tuple[Any, ...]
ORIGIN = (
    *("source_tree", "source_collection", "source_path"),
    *("source_address", "source_base", "language", "is_listed", "changed_at"),
    *("nav_title", "has_lead"),
)


class _DryRun(Exception):
    """Rolls back the transaction of a dry run."""


def import_documents(
    sources: Sequence[DocumentSource],
    options: ImportOptions,
    progress: Callable[[Sequence[DocumentSource]], Iterable[DocumentSource]] = iter,
    files: PreparedFiles | None = None,
) -> ImportReport:
    """
    Import the sources into a collection of the docs project, in one transaction.

    The `files` that they refer to come first, so that publications pin them.

    A document that equals its file is not touched, so importing twice changes
    nothing. One that a person changed since the last import is held: it stays as it
    is. `progress` iterates over the sources and may show a progress bar.
    """
    with suppress(_DryRun), writing(WriteLock.PROJECTS):
        options = replace(options, now=next_instant("projects", options.now))
        report = import_tree(
            docs_project(),
            sources,
            lambda wanted: progress(sources) if wanted is sources else wanted,
            files or PreparedFiles(),
            options,
        )
        if report.changed:
            mark("docs")
        if options.is_dry_run:
            raise _DryRun
    return report


def import_tree(
    project: ProjectRow,
    fields: Sequence[Fields],
    read: Callable[[Sequence[Fields]], Iterable[DocumentSource]],
    files: PreparedFiles,
    options: ImportOptions,
) -> ImportReport:
    """
    Import a tree into a project, inside the transaction of the caller.

    `read` yields the files with their texts in the order of the fields, so that only a
    few texts are in memory.
    """
    file_report = import_files(
        project, files, options.now, options.actor, max_bytes=options.files_max_bytes
    )
    run = _DocumentImport(project, fields, read, options)
    run.report.files = file_report
    for source in read(fields):
        run.import_source(source)
    run.finish()
    if options.prune:
        prefix = tree_prefix(options.tree)
        file_report.removed = prune_files(
            project, prefix, files.names, options.now, options.actor
        )
    if run.report.changed:
        # The next change must be later than every time stored here.
        next_instant("projects", options.now + LAST_SAVE)
    return run.report


class _DocumentImport:
    """One run of an import, inside its transaction."""

    def __init__(
        self,
        project: ProjectRow,
        sources: Sequence[Fields],
        read: Callable[[Sequence[Fields]], Iterable[DocumentSource]],
        options: ImportOptions,
    ) -> None:
        self.report = ImportReport()
        self._options = options
        self._project = project
        self._batch = DocumentBatch(project, options.now, options.actor)
        self._aliases = AliasBatch(project)
        # The file of each document that is imported, by id.
        self._paths: dict[str, str] = {}
        self._revisions = newest_revisions(project)
        self._matcher = DocumentMatcher(
            project, sources, read, options, self._revisions
        )
        if self._matcher.is_mostly_without_file():
            self.report.notes.append((options.tree, ANOTHER_TREE))
        for path, page in self._matcher.page_paths.items():
            if page != "/".join(filter(None, (options.path, path_of_file(path)))):
                address = page_address(options.collection, page)
                note = f"Another file has its address, so its page is at {address}."
                self.report.notes.append((path, note))
        documents = list(self._matcher.documents.values())
        self._old_contents = self._contents_to_change(sources)
        self._without_file = self._matcher.without_file()
        self._declaring_paths = {
            alias: source.path for source in sources for alias in source.aliases
        }
        self._manual_changes = manual_changes(
            document
            for document in documents + self._without_file
            if document.source_path
        )
        is_held = () if options.take_over else self._manual_changes.items()
        self._matcher.require_free_paths({id for id, changes in is_held if changes})
        self._positions = self._stable_positions(sources)
        # The documents that the next import finds as this one left them.
        self._settled_ids: set[str] = set()

    def _contents_to_change(self, sources: Sequence[SourceFields]) -> dict[str, str]:
        """Return the contents that differ from those of the files, by document id."""
        pairs = (
            (self._matcher.documents.get(source.path), source) for source in sources
        )
        ids = [
            document.id
            for document, source in pairs
            if document and self._revisions[document.id].sha256 != source.digest()
        ]
        return DOCUMENTS.contents_of(ids, DocumentRow.version)

    def _stable_positions(self, sources: Sequence[SourceFields]) -> dict[str, int]:
        """
        Return the position of each file, in the order of the sources' positions.

        A new page in the middle would otherwise make a new version of all that follow.
        """
        ordered = sorted(sources, key=lambda source: (source.position, source.path))
        positions = [source.position for source in ordered]
        if any(source.is_numbered for source in ordered):
            positions = stable_positions(list(map(self._known_position, ordered)))
        paths = (source.path for source in ordered)
        return dict(zip(paths, positions, strict=True))

    def _known_position(self, source: SourceFields) -> int | None:
        """Return the position that the file sets, else that of its document."""
        if not source.is_numbered:
            return source.position
        document = self._matcher.documents.get(source.path)
        return document.position if document else None

    def import_source(self, source: DocumentSource) -> None:
        position = self._positions[source.path]
        source = source.model_copy(update={"position": position})
        document = self._matcher.documents.get(source.path)
        if document is None:
            document = self._create(source)
        elif reason := self._reason_to_hold(source, document):
            self._hold(source.path, document, reason)
            if self._matcher.is_renamed(source):
                # Its text may change before people are done with it.
                document.source_path = source.path
                self._batch.change_head(document)
            return
        else:
            document = self._update(source, document)
        self._paths[document.id] = source.path
        if self._options.publish:
            self._publish(document, source.content)
        if document.id in self._manual_changes:
            self._settled_ids.add(document.id)
        self._batch.save_if_full()

    def finish(self) -> None:
        """Write what is left, prune, and record what this import did."""
        self._batch.save()
        self._aliases.save()
        if self._options.prune:
            self._prune_all()
        else:
            self.report.notes += self._notes_on_deleted_files()
        for document_id, remark in ineffective_aliases(self._project):
            if path := self._paths.get(document_id):
                self.report.notes.append((path, remark))
        # So the next import can tell it from what people do later.
        record_import(sorted(self._settled_ids))

    def _prune_all(self) -> None:
        """Unpublish and archive the documents whose file is gone."""
        for row in self._without_file:
            changes = self._manual_changes.get(row.id)
            if row.archived_at is not None:
                continue
            if changes and not self._options.take_over:
                self._hold(str(row.source_path), row, changes[0])
            else:
                self._prune(row)

    def _notes_on_deleted_files(self) -> Iterator[tuple[str, str]]:
        """Yield what --prune would do with the document of each file that is gone."""
        for row in self._without_file:
            if row.archived_at is None:
                result = self._result_of_pruning(row)
                yield str(row.source_path), f"The file is gone. {result}"

    def _result_of_pruning(self, row: DocumentRow) -> str:
        changes = self._manual_changes.get(row.id)
        if changes and not self._options.take_over:
            return f"--prune holds its document, for it was {changes[0]}."
        if row.published_version is None or not self._project.builtin:
            return "--prune archives its document."
        address = page_address(row.collection, row.path)
        if heir := self._declaring_paths.get(address):
            return f"--prune archives its page, and {address} redirects to {heir}."
        return (
            f"--prune archives its page, and {address} leads nowhere, unless another"
            " page has it as an alias."
        )

    def _reason_to_hold(
        self, source: DocumentSource, document: DocumentRow
    ) -> ManualChange | None:
        if self._options.take_over:
            return None
        for change in self._manual_changes.get(document.id, ()):
            # What a person wrote here and in the file alike is no conflict.
            is_same = change is ManualChange.EDITED and self._is_same(source, document)
            if change is not ManualChange.RESTORED and not is_same:
                return change
        return None

    def _hold(self, path: str, document: DocumentRow, change: ManualChange) -> None:
        reason = f"It was {change} after the last import."
        self.report.held.append(HeldDocument(path, document.slug, reason))

    def _is_same(self, source: DocumentSource, document: DocumentRow) -> bool:
        values = self._values(source).items()
        has_same_values = all(getattr(document, name) == old for name, old in values)
        is_same_text = self._revisions[document.id].sha256 == source.digest()
        return has_same_values and is_same_text

    def _values(self, source: DocumentSource) -> dict[str, Any]:
        values = {name: getattr(source, name) for name in FIELDS}
        path = self._matcher.page_paths[source.path]
        return values | {"collection": self._options.collection, "path": path}

    def _update(self, source: DocumentSource, document: DocumentRow) -> DocumentRow:
        """Save the document if it differs from its file."""
        options = self._options
        if document.archived_at is not None:
            # It writes at once, and must come after the changes before it.
            self._batch.save()
            restore = RestoreDocument(id=document.id)
            document, _ = restore_document(restore, options.now, options.actor)
            self._settled_ids.add(document.id)
            self.report.restored.append(document.slug)
        has_same_aliases = not self._aliases.declare(document, source.aliases)
        is_renamed = self._matcher.is_renamed(source)
        if is_renamed or not self._is_same(source, document):
            values = self._values(source) | {"content": source.content}
            path = values.pop("path")
            if is_renamed:
                values["note"] = f"Renamed from {document.source_path}."[:MAX_NOTE]
                self.report.renamed.append(document.slug)
            document.content = self._old_contents.get(document.id, source.content)
            request = UpdateDocument(id=document.id, **values)
            self._batch.update(document, request, path)
        elif _origin(document) == self._origin(source) and has_same_aliases:
            self.report.unchanged.append(document.slug)
            return document
        if document.source_path is None:
            note = (
                f"It replaces the document '{document.slug}', which came from no file."
            )
            self.report.notes.append((source.path, note))
        self.report.updated.append(document.slug)
        self._set_origin(document, source)
        return document

    def _create(self, source: DocumentSource) -> DocumentRow:
        slug = self._matcher.reserve_slug(source)
        if slug != source.slug:
            note = f"The slug '{source.slug}' is taken, so its slug is '{slug}'."
            self.report.notes.append((source.path, note))
        values = self._values(source)
        path = values.pop("path")
        request = CreateDocument(
            project_id=self._matcher.project.id,
            slug=slug,
            type="note",
            content=source.content,
            **values,
        )
        self.report.created.append(slug)
        document = self._batch.create(request)
        document.path = path
        self._aliases.declare(document, source.aliases)
        self._set_origin(document, source)
        return document

    def _origin(self, source: DocumentSource) -> Origin:
        options = self._options
        place = (options.tree, options.collection, source.path)
        shown = (source.language, source.is_listed, source.changed_at)
        labels = (source.nav_title, source.has_lead)
        return (*place, source.address, options.base, *shown, *labels)

    def _set_origin(self, document: DocumentRow, source: DocumentSource) -> None:
        for name, value in zip(ORIGIN, self._origin(source), strict=True):
            setattr(document, name, value)
        self._batch.change_head(document)
        self._settled_ids.add(document.id)

    def _publish(self, document: DocumentRow, content: str) -> None:
        is_newer = document.published_version != document.version
        document.content = content
        if is_newer or self._batch.has_newer_files(document):
            self._batch.publish(document)
            self._settled_ids.add(document.id)
            self.report.published.append(document.slug)

    def _prune(self, row: DocumentRow) -> None:
        now, actor = self._options.now, self._options.actor
        if row.published_version is not None:
            unpublish_document(UnpublishDocument(id=row.id), now, actor)
        remove_document(RemoveDocument(id=row.id), now, actor)
        self._settled_ids.add(row.id)
        self.report.pruned.append(row.slug)


def _origin(document: DocumentRow) -> Origin:
    return tuple(getattr(document, name) for name in ORIGIN)
