"""Apply an import over the API: all of it in the transaction of the request."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from io import BytesIO
from typing import Any

from peewee import chunked

from models.errors import DocumentImportIncomplete
from models.projects.document_imports.document_import import import_tree
from models.projects.document_imports.imports import current_import, delete_imports
from models.projects.document_imports.manifest import (
    ApplyDocumentImport,
    ListedDocument,
    ListedFile,
    StartDocumentImport,
)
from models.projects.document_imports.options import ImportOptions, ImportReport
from models.projects.document_imports.parts import listed_texts, missing_texts, parts_of
from models.projects.document_imports.rows import (
    DocumentImportRow,
    ImportFileRow,
    ImportTextRow,
)
from models.projects.document_imports.sources import DocumentSource
from models.projects.documents.revisions import newest_revisions
from models.projects.documents.rows import DocumentRevisionRow
from models.projects.fields import Actor
from models.projects.files.file_import import NewFile, PreparedFiles
from models.projects.files.rows import FileContentRow, files_by_name
from models.projects.files.uploads import Upload
from models.projects.projects.rows import ProjectRow

# Texts that are in memory together.
TEXTS_AT_ONCE = 25


def apply_import(
    request: ApplyDocumentImport, now: datetime, actor: Actor, *, max_bytes: int
) -> tuple[ProjectRow, ImportReport]:
    """
    Import the tree as on the server: as a whole, or not at all.

    Raise DocumentImportIncomplete if a part was not sent, or is gone since.
    """
    row = current_import(request.id, actor, "document-imports:apply")
    manifest = StartDocumentImport.model_validate_json(row.manifest)
    without_files = {*request.without_files}
    files = _new_files(row, manifest, without_files)
    read = _reader(row, manifest.documents)
    options = ImportOptions(
        collection=manifest.collection,
        now=now,
        actor=actor,
        tree=manifest.tree,
        base=manifest.base,
        path=manifest.below,
        publish=request.publish,
        prune=request.prune,
        take_over=request.take_over,
        skipped_paths=frozenset(manifest.skipped_paths),
        files_max_bytes=max_bytes,
    )
    report = import_tree(row.project, manifest.documents, read, files, options)
    delete_imports([row])
    return row.project, report


def _new_files(
    row: DocumentImportRow, manifest: StartDocumentImport, without: set[str]
) -> PreparedFiles:
    """Return the files to store, and those that are as they were."""
    query = parts_of(row, ImportFileRow, ImportFileRow, FileContentRow)
    parts = {part.name: part for part in query.join(FileContentRow)}
    stored = files_by_name(row.project)
    files = PreparedFiles()
    missing = 0
    for file in manifest.files:
        if file.name in without:
            continue
        known = stored.get(file.name)
        if known and known.source_digest == file.sha256:
            files.unchanged.append(file.name)
        elif part := parts.get(file.name):
            files.files.append(_new_file(file, part.content))
        else:
            missing += 1
    if missing:
        raise _incomplete(missing, "files")
    return files


def _new_file(file: ListedFile, content: FileContentRow) -> NewFile:
    return NewFile(
        file.name,
        str(content.digest),
        file.sha256,
        file.size,
        partial(_open_stored, content, file.sha256),
    )


@contextmanager
def _open_stored(content: FileContentRow, source_digest: str) -> Iterator[Upload]:
    """Provide a file whose bytes are stored already, so that none are read."""
    digest = str(content.digest)
    yield Upload(BytesIO(), int(content.size), digest, source_digest, None)


def _reader(
    row: DocumentImportRow, documents: list[ListedDocument]
) -> Callable[[Sequence[ListedDocument]], Iterator[DocumentSource]]:
    """Return what reads the texts of documents, as they are needed."""
    revisions = {
        revision.sha256: revision.id
        for revision in newest_revisions(row.project).values()
    }
    sent = listed_texts(row) - {*missing_texts(row)}
    needed = {document.sha256 for document in documents}
    if missing := needed - sent - revisions.keys():
        raise _incomplete(len(missing), "texts")
    return partial(_read_sources, row, revisions)


def _read_sources(
    row: DocumentImportRow,
    revisions: dict[str, str],
    documents: Sequence[ListedDocument],
) -> Iterator[DocumentSource]:
    """
    Yield the documents with their texts: those sent, or those of the revisions.

    The import may make newer revisions meanwhile, of the same documents.
    """
    for batch in chunked(documents, TEXTS_AT_ONCE):
        digests = {document.sha256 for document in batch}
        text = ImportTextRow
        sent = parts_of(row, text, text.sha256, text.content).where(
            text.sha256.in_(digests) & text.size.is_null(False)
        )
        texts: dict[str, str] = dict(sent.tuples())
        ids = [revisions[sha256] for sha256 in digests - texts.keys()]
        stored: Any = DocumentRevisionRow.select(
            DocumentRevisionRow.digest, DocumentRevisionRow.content
        ).where(DocumentRevisionRow.id.in_(ids))
        texts |= dict(stored.tuples())
        for document in batch:
            fields = document.all_fields()
            yield DocumentSource(content=texts[fields.pop("sha256")], **fields)


def _incomplete(count: int, noun: str) -> DocumentImportIncomplete:
    return DocumentImportIncomplete(
        f"The server does not have {count} {noun} of the import. Start it again, and"
        " send what is missing."
    )
