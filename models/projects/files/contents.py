"""Store the bytes of files once, in pieces, and delete those that nothing shows."""

from collections.abc import Iterable, Iterator
from typing import Any

from peewee import chunked, fn

from models.projects.document_imports.rows import DocumentImportRow, ImportFileRow
from models.projects.documents.rows import DocumentRow
from models.projects.files.rows import (
    FileChunkRow,
    FileContentRow,
    FileRow,
    PinnedFileRow,
)
from models.projects.files.uploads import Upload
from models.projects.projects.rows import ProjectRow
from models.projects.versioning.versioned import BATCH_SIZE

CHUNK_BYTES = 256 * 1024


def store_content(upload: Upload) -> None:
    """Store the bytes of an upload, unless equal bytes are stored."""
    if FileContentRow.select().where(FileContentRow.digest == upload.digest).exists():
        return
    width, height = upload.size or (None, None)
    FileContentRow.create(
        digest=upload.digest, size=upload.length, width=width, height=height
    )
    number = 0
    while chunk := upload.bytes.read(CHUNK_BYTES):
        FileChunkRow.insert(content=upload.digest, number=number, bytes=chunk).execute()
        number += 1


def read_content(digest: str) -> Iterator[bytes]:
    """Yield the bytes of a content in pieces."""
    number = 0
    while row := FileChunkRow.get_or_none(content=digest, number=number):
        yield bytes(row.bytes)
        number += 1


def stored_bytes(project: ProjectRow) -> int:
    """Return the size of all contents that a project has, had or was sent."""
    digests = _digests_of(project)
    total = FileContentRow.select(fn.SUM(FileContentRow.size)).where(
        FileContentRow.digest.in_(digests)
    )
    return int(total.scalar() or 0)


def content_digests(project: ProjectRow) -> set[str]:
    return {digest for (digest,) in _digests_of(project).tuples()}


def delete_unused_contents(digests: Iterable[str] | None = None) -> None:
    """
    Delete those of the contents, or of all, that nothing refers to.

    What refers to one is a file, a page, or an import that was not applied yet.
    """
    sent = ImportFileRow.select(ImportFileRow.content).where(
        ImportFileRow.content.is_null(False)
    )
    unused = (
        FileContentRow.digest.not_in(FileRow.select(FileRow.content))
        & FileContentRow.digest.not_in(PinnedFileRow.select(PinnedFileRow.content))
        & FileContentRow.digest.not_in(sent)
    )
    if digests is None:
        FileContentRow.delete().where(unused).execute()
        return
    for batch in chunked(digests, BATCH_SIZE):
        is_named = FileContentRow.digest.in_(batch)
        FileContentRow.delete().where(is_named & unused).execute()


def _digests_of(project: ProjectRow) -> Any:
    """Select the digests of the project's files, of what its pages show or is sent."""
    pinned = (
        PinnedFileRow.select(PinnedFileRow.content)
        .join(DocumentRow)
        .where(DocumentRow.project == project.id)
    )
    sent = (
        ImportFileRow.select(ImportFileRow.content)
        .join(DocumentImportRow)
        .where(
            (DocumentImportRow.project == project.id)
            & ImportFileRow.content.is_null(False)
        )
    )
    files = FileRow.select(FileRow.content).where(FileRow.project == project.id)
    return files | pinned | sent
