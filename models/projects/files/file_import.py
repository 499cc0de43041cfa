"""
Import the files of a tree: only what is new is read, cleaned and stored.

What takes long comes before the transaction, which other writes wait for: the cleaned
files wait in a temporary folder.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import TypeAdapter, ValidationError

from models.errors import Refusal, ValidationFailed
from models.projects.fields import Actor
from models.projects.files.contents import store_content
from models.projects.files.files import RemoveFile, remove_file, require_space, set_file
from models.projects.files.names import MAX_NAME_LENGTH, FileName
from models.projects.files.pins import is_published
from models.projects.files.rows import FileRow, files_by_name
from models.projects.files.uploads import Size, Upload, read_upload
from models.projects.members.role_checks import require_role
from models.projects.projects.rows import ProjectRow, require_active

_NAME = TypeAdapter[str](FileName)


@dataclass(frozen=True)
class FileSource:
    """A file of a tree, and the name that it gets in the project."""

    name: str
    path: Path
    size: int
    modified_ns: int


@dataclass(frozen=True)
class PreparedFile:
    """A file that was read and cleaned; the cleaned bytes are at `cleaned`."""

    source: FileSource
    cleaned: Path
    length: int
    digest: str
    source_digest: str
    size: Size | None

    @contextmanager
    def upload(self) -> Iterator[Upload]:
        with self.cleaned.open("rb") as file:
            yield Upload(file, self.length, self.digest, self.source_digest, self.size)


@dataclass
class PreparedFiles:
    """The files of a tree: what was read, what need not be, and what cannot be used."""

    files: list[PreparedFile] = field(default_factory=list)
    unchanged: list[FileSource] = field(default_factory=list)
    # Each with the reason.
    refused: list[tuple[FileSource, str]] = field(default_factory=list)

    @property
    def names(self) -> set[str]:
        sources = [*self.unchanged, *(file.source for file in self.files)]
        return {source.name for source in sources}


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
                prepared.unchanged.append(source)
                continue
            try:
                prepared.files.append(_prepare(source, Path(folder)))
            except (Refusal, OSError) as error:
                reason = error.detail if isinstance(error, Refusal) else error.strerror
                prepared.refused.append((source, str(reason)))
        yield prepared


def _prepare(source: FileSource, folder: Path) -> PreparedFile:
    try:
        _NAME.validate_python(source.name)
    except ValidationError:
        raise ValidationFailed(
            f"Its name '{source.name}' would have more than {MAX_NAME_LENGTH}"
            " characters."
        ) from None
    with source.path.open("rb") as stream:
        with read_upload(source.name, stream, source.size) as upload:
            cleaned = folder / upload.digest
            if not cleaned.exists():
                with cleaned.open("wb") as copy:
                    shutil.copyfileobj(upload.bytes, copy)
            return PreparedFile(
                source,
                cleaned,
                upload.length,
                upload.digest,
                upload.source_digest,
                upload.size,
            )


def import_files(
    project: ProjectRow,
    prepared: PreparedFiles,
    now: datetime,
    actor: Actor,
    *,
    max_bytes: int,
) -> FileReport:
    """Store what is new, inside the transaction of the import."""
    report = FileReport(unchanged=[source.name for source in prepared.unchanged])
    if not prepared.files:
        return report
    require_role(project, actor, "files:add")
    require_active(project)
    known = files_by_name(project)
    for file in prepared.files:
        _import_file(project, file, known.get(file.source.name), now, actor, report)
    if report.changed:
        require_space(project, max_bytes)
    return report


def _import_file(
    project: ProjectRow,
    file: PreparedFile,
    row: Any,
    now: datetime,
    actor: Actor,
    report: FileReport,
) -> None:
    name = file.source.name
    if row is not None and row.content_id == file.digest:
        report.unchanged.append(name)
    else:
        (report.updated if row else report.added).append(name)
        with file.upload() as upload:
            store_content(upload)
            row = set_file(project, name, upload, now, actor, row)
    row.source_digest = file.source_digest
    # A file with the same size and time is not read by the next import.
    row.source_size = file.source.size
    row.source_modified_ns = file.source.modified_ns
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
