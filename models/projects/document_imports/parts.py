"""List the texts and files that an import needs, and find those that are missing."""

from collections.abc import Iterable
from typing import Any

from peewee import chunked

from models.base import insert_all
from models.projects.document_imports.manifest import ListedDocument, ListedFile
from models.projects.document_imports.rows import (
    DocumentImportRow,
    ImportFileRow,
    ImportTextRow,
)
from models.projects.documents.revisions import newest_revisions
from models.projects.files.file_types import suffix_of
from models.projects.files.rows import files_by_name
from models.projects.versioning.versioned import BATCH_SIZE


def list_texts(row: DocumentImportRow, documents: list[ListedDocument]) -> None:
    """List the texts that the project does not have; keep those that were sent."""
    revisions = newest_revisions(row.project).values()
    needed = {document.sha256 for document in documents}
    needed -= {revision.sha256 for revision in revisions}
    listed = listed_texts(row)
    _delete_parts(row, ImportTextRow, ImportTextRow.sha256, listed - needed)
    insert_all(
        [
            ImportTextRow(document_import=row.id, sha256=sha256)
            for sha256 in sorted(needed - listed)
        ]
    )


def list_files(row: DocumentImportRow, files: list[ListedFile]) -> None:
    """
    List the files that are new or changed; keep those that were sent.

    The content of a file that only has a new name is taken from the project. It is
    kept even if the file that it came from changes.
    """
    stored = files_by_name(row.project)
    current = {name: file.source_digest for name, file in stored.items()}
    contents = {
        _content_key(name, file.source_digest): file for name, file in stored.items()
    }
    needed = {
        file.name: file.sha256
        for file in files
        if current.get(file.name) != file.sha256
    }
    sent = {
        part.name
        for part in parts_of(row, ImportFileRow)
        if needed.get(part.name) == part.source_digest
    }
    listed = values_of(parts_of(row, ImportFileRow, ImportFileRow.name))
    _delete_parts(row, ImportFileRow, ImportFileRow.name, listed - sent)
    insert_all(
        [
            ImportFileRow(
                document_import=row.id,
                name=name,
                source_digest=sha256,
                content=same.content_id if same else None,
            )
            for name, sha256 in needed.items()
            if name not in sent
            for same in [contents.get(_content_key(name, sha256))]
        ]
    )


def _content_key(name: str, source_digest: str) -> tuple[str, str]:
    """Equal files of one type are equal once they are cleaned."""
    return suffix_of(name), source_digest


def parts_of(row: DocumentImportRow, part: Any, *columns: Any) -> Any:
    return part.select(*columns).where(part.document_import == row.id)


def values_of(query: Any) -> set[str]:
    return {value for (value,) in query.tuples()}


def _delete_parts(
    row: DocumentImportRow, part: Any, column: Any, keys: Iterable[str]
) -> None:
    for batch in chunked(sorted(keys), BATCH_SIZE):
        is_named = (part.document_import == row.id) & column.in_(batch)
        part.delete().where(is_named).execute()


def listed_texts(row: DocumentImportRow) -> set[str]:
    """Return the SHA-256 of each text that the project did not have."""
    return values_of(parts_of(row, ImportTextRow, ImportTextRow.sha256))


def missing_texts(row: DocumentImportRow) -> list[str]:
    """Return the SHA-256 of each text that was not sent yet."""
    texts = parts_of(row, ImportTextRow, ImportTextRow.sha256)
    return sorted(values_of(texts.where(ImportTextRow.size.is_null())))


def missing_files(row: DocumentImportRow) -> list[str]:
    """Return the name of each file that was not sent yet."""
    files = parts_of(row, ImportFileRow, ImportFileRow.name)
    return sorted(values_of(files.where(ImportFileRow.content.is_null())))
