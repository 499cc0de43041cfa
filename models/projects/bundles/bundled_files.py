"""Write the files of a project into its bundle, and create them from one."""

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from peewee import fn

from models.errors import Refusal, ValidationFailed
from models.projects.bundles.bundle import BundledFile, PinnedFile, ProjectBundle
from models.projects.documents.rows import DocumentRow
from models.projects.files.contents import read_content, store_content
from models.projects.files.file_import import OpenUpload, keep_upload
from models.projects.files.file_types import media_type
from models.projects.files.files import ProjectFile, describe_file, require_space
from models.projects.files.rows import FileContentRow, FileRow, PinnedFileRow
from models.projects.files.uploads import read_upload
from models.projects.projects.rows import ProjectRow

Values = dict[str, Any]
# What opens each cleaned content, by the bundle's digest and the media type.
CleanedFiles = dict[tuple[str, str], OpenUpload]


def files_of(project: ProjectRow) -> Iterator[ProjectFile]:
    rows = FileRow.select(FileRow, FileContentRow).join(FileContentRow)
    of_project = rows.where(FileRow.project == project.id)
    yield from map(describe_file, of_project.order_by(FileRow.name).iterator())


def pinned_files_of(project: ProjectRow) -> Iterator[Values]:
    pin = PinnedFileRow
    rows: Iterable[Any] = (
        pin.select(pin.document, pin.version, pin.name, pin.content)
        .join(DocumentRow)
        .where(DocumentRow.project == project.id)
        .order_by(pin.document, pin.version, pin.name)
        .tuples()
        .iterator()
    )
    for document_id, version, name, sha256 in rows:
        yield {
            "document_id": document_id,
            "version": version,
            "name": name,
            "sha256": sha256,
        }


def serialize_contents(project: ProjectRow) -> Iterator[str]:
    """Yield the JSON of the files' contents in pieces, so that none is in memory."""
    content: Any = FileContentRow
    query = content.select(content.digest).where(_is_of(project))
    rows: list[tuple[str]] = list(query.order_by(content.digest).tuples())
    separator = "\n"
    for (digest,) in rows:
        yield f'{separator}{{"sha256": {json.dumps(digest)}, "data": "'
        yield from _base64(read_content(digest))
        yield '"}'
        separator = ",\n"


def content_bytes(project: ProjectRow) -> int:
    """Return how many bytes the contents have in a bundle."""
    size = FileContentRow.select(fn.COALESCE(fn.SUM(FileContentRow.size), 0))
    return int(size.where(_is_of(project)).scalar()) * 4 // 3


def _is_of(project: ProjectRow) -> Any:
    """Return whether a file of the project, or one that its pages show, has it."""
    files = FileRow.select(FileRow.content).where(FileRow.project == project.id)
    documents = DocumentRow.select(DocumentRow.id).where(
        DocumentRow.project == project.id
    )
    pinned = PinnedFileRow.select(PinnedFileRow.content).where(
        PinnedFileRow.document.in_(documents)
    )
    content: Any = FileContentRow
    digest = content.digest
    return digest.in_(files) | digest.in_(pinned)


def _base64(pieces: Iterable[bytes]) -> Iterator[str]:
    rest = b""
    for piece in pieces:
        piece = rest + piece
        # Three bytes are four characters.
        end = len(piece) // 3 * 3
        yield b64encode(piece[:end]).decode()
        rest = piece[end:]
    yield b64encode(rest).decode()


@contextmanager
def cleaned_files(bundle: ProjectBundle) -> Iterator[CleanedFiles]:
    """
    Check and clean the contents of a valid bundle, as uploads are.

    A release may clean more than the one before. The cleaned files wait in a temporary
    folder, since other writes would wait for what is done in a transaction.
    """
    contents = bundle.file_contents
    indices = {content.sha256: index for index, content in enumerate(contents)}
    cleaned: CleanedFiles = {}
    lists: dict[str, Sequence[BundledFile | PinnedFile]] = {
        "files": bundle.files,
        "pinnedFiles": bundle.pinned_files,
    }
    with TemporaryDirectory() as folder:
        for kind, entries in lists.items():
            for index, entry in enumerate(entries):
                key = _key(entry)
                if key in cleaned:
                    continue
                try:
                    data = contents[indices[entry.sha256]].decode()
                    cleaned[key] = _clean(entry.name, data, Path(folder))
                except Refusal as refusal:
                    pointer = f"/bundle/{kind}/{index}"
                    detail = (
                        f"The file '{entry.name}' cannot be stored: {refusal.detail}"
                    )
                    error = {"pointer": pointer, "code": "file", "detail": detail}
                    raise ValidationFailed(detail, error) from None
        yield cleaned


def create_files(
    bundle: ProjectBundle,
    ids: dict[str, str],
    cleaned: CleanedFiles,
    project: ProjectRow,
    max_bytes: int,
) -> None:
    """Create the files; raise LimitExceeded if they have more than `max_bytes`."""
    digests = {key: _store(open_upload) for key, open_upload in cleaned.items()}
    for file in bundle.files:
        FileRow.create(
            id=ids[file.id],
            project=project,
            name=file.name,
            content=digests[_key(file)],
            source_digest=file.source_sha256,
            creator_id=file.creator_id,
            creator_type=file.creator_type,
            created_at=file.created_at,
            updated_at=file.updated_at,
        )
    for pin in bundle.pinned_files:
        PinnedFileRow.insert(
            document=ids[pin.document_id],
            version=pin.version,
            name=pin.name,
            content=digests[_key(pin)],
        ).execute()
    if cleaned:
        require_space(project, max_bytes)


def _key(entry: BundledFile | PinnedFile) -> tuple[str, str]:
    """Return the bundle's digest and the media type, by which the bytes are cleaned."""
    return entry.sha256, media_type(entry.name)


def _clean(name: str, data: bytes, folder: Path) -> OpenUpload:
    with read_upload(name, BytesIO(data), len(data)) as upload:
        return keep_upload(upload, folder)


def _store(open_upload: OpenUpload) -> str:
    with open_upload() as upload:
        store_content(upload)
        return upload.digest
