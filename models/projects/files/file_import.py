"""
Import the files of a tree: only what is new is read, cleaned and stored.

What takes long comes before the transaction, which other writes wait for: the cleaned
files wait in a temporary folder.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from models.errors import Refusal, ValidationFailed
from models.projects.fields import Actor
from models.projects.files.contents import store_content
from models.projects.files.files import RemoveFile, remove_file, require_space, set_file
from models.projects.files.names import MAX_NAME_LENGTH, FileName
from models.projects.files.pins import is_published
from models.projects.files.rows import FileRow, files_by_name
from models.projects.files.uploads import Upload, read_upload
from models.projects.members.role_checks import require_role
from models.projects.projects.rows import ProjectRow, require_active

_NAME = TypeAdapter[str](FileName, config=ConfigDict(defer_build=True))

OpenUpload = Callable[[], AbstractContextManager[Upload]]


@dataclass(frozen=True)
class FileSource:
    """A file of a tree, and the name that it gets in the project."""

    name: str
    path: Path
    size: int
    modified_ns: int


@dataclass(frozen=True)
class NewFile:
    """
    A file to store under its name; `open_upload` opens its cleaned bytes.

    `digest` is that of the cleaned bytes, `source_digest` that of the file in the tree.
    """

    name: str
    digest: str
    source_digest: str
    source_size: int
    open_upload: OpenUpload
    # When the file was changed, if the next import can compare that.
    source_modified_ns: int | None = None


@dataclass
class PreparedFiles:
    """The files of a tree: what was read, what need not be, and what cannot be used."""

    files: list[NewFile] = field(default_factory=list)
    # The names of files.
    unchanged: list[str] = field(default_factory=list)
    # Each with the reason.
    refused: list[tuple[FileSource, str]] = field(default_factory=list)

    @property
    def names(self) -> set[str]:
        return {*self.unchanged, *(file.name for file in self.files)}


@dataclass
class FileReport:
    """The names of the files, by what was done."""

    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        return bool(self.added or self.updated or self.removed)


@contextmanager
def prepared_files(
    project: ProjectRow,
    sources: Sequence[FileSource],
    progress: Callable[[Sequence[FileSource]], Iterable[FileSource]] = iter,
) -> Iterator[PreparedFiles]:
    """Read and clean the files that differ from what the last import has read."""
    known = files_by_name(project)
    prepared = PreparedFiles()
    with TemporaryDirectory() as folder:
        for source in progress(sources):
            row = known.get(source.name)
            seen = row and (row.source_size, row.source_modified_ns)
            if seen == (source.size, source.modified_ns):
                prepared.unchanged.append(source.name)
                continue
            try:
                prepared.files.append(_prepare(source, Path(folder)))
            except (Refusal, OSError) as error:
                prepared.refused.append((source, reason_to_refuse(error)))
        yield prepared


def reason_to_refuse(error: Refusal | OSError) -> str:
    """Return the sentence about a file that cannot be read or used."""
    return error.detail if isinstance(error, Refusal) else str(error.strerror)


@contextmanager
def read_source(source: FileSource) -> Iterator[Upload]:
    """Read and clean a file of a tree; raise what `read_upload` raises, or OSError."""
    try:
        _NAME.validate_python(source.name)
    except ValidationError:
        raise ValidationFailed(
            f"Its name '{source.name}' would have more than {MAX_NAME_LENGTH}"
            " characters."
        ) from None
    with source.path.open("rb") as stream:
        with read_upload(source.name, stream, source.size) as upload:
            yield upload


def _prepare(source: FileSource, folder: Path) -> NewFile:
    with read_source(source) as upload:
        open_upload = keep_upload(upload, folder)
    return NewFile(
        source.name,
        upload.digest,
        upload.source_digest,
        source.size,
        open_upload,
        source.modified_ns,
    )


def keep_upload(upload: Upload, folder: Path) -> OpenUpload:
    """Write the cleaned bytes into the folder; return what opens them from there."""
    cleaned = folder / upload.digest
    if not cleaned.exists():
        with cleaned.open("wb") as copy:
            shutil.copyfileobj(upload.bytes, copy)
    return partial(_open_cleaned, cleaned, upload)


@contextmanager
def _open_cleaned(cleaned: Path, upload: Upload) -> Iterator[Upload]:
    with cleaned.open("rb") as file:
        yield replace(upload, bytes=file)


def import_files(
    project: ProjectRow,
    prepared: PreparedFiles,
    now: datetime,
    actor: Actor,
    *,
    max_bytes: int,
) -> FileReport:
    """Store what is new, inside the transaction of the import."""
    report = FileReport(unchanged=[*prepared.unchanged])
    if not prepared.files:
        return report
    require_role(project, actor, "files:add")
    require_active(project)
    known = files_by_name(project)
    for file in prepared.files:
        _import_file(project, file, known.get(file.name), now, actor, report)
    if report.changed:
        require_space(project, max_bytes)
    return report


def _import_file(
    project: ProjectRow,
    file: NewFile,
    row: Any,
    now: datetime,
    actor: Actor,
    report: FileReport,
) -> None:
    name = file.name
    if row is not None and row.content_id == file.digest:
        report.unchanged.append(name)
    else:
        (report.updated if row else report.added).append(name)
        with file.open_upload() as upload:
            store_content(upload)
            row = set_file(project, name, upload, now, actor, row)
    row.source_digest = file.source_digest
    # A file with the same size and time is not read by the next import.
    row.source_size = file.source_size
    row.source_modified_ns = file.source_modified_ns
    row.save()


def prune_files(
    project: ProjectRow, prefix: str, names: set[str], now: datetime, actor: Actor
) -> list[str]:
    """Remove imported files that the tree no longer uses; return their names."""
    rows = FileRow.select().where(
        (FileRow.project == project.id)
        & FileRow.name.startswith(f"{prefix}/")
        & FileRow.source_size.is_null(False)
    )
    unused = [row for row in rows if row.name not in names and not is_published(row)]
    for row in unused:
        remove_file(RemoveFile(id=row.id), now, actor)
    return [row.name for row in unused]
