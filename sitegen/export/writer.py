"""Write all stored data into a folder of plain files."""

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

from models.fields import format_moment
from models.projects.bundles.bundle_writer import all_projects, serialize_bundle
from models.projects.files.contents import read_content
from models.projects.files.rows import digests_by_name
from models.runtime.commands import Progress
from models.storage.database import reading
from sitegen.export import documents
from sitegen.export.record_types import RECORD_TYPES, SAMPLES

FORMAT, VERSION = "masthead-export", 1
MANIFEST = "manifest.json"
# An export contains unpublished data, so only its owner may read it.
FILE_MODE, FOLDER_MODE = 0o600, 0o700


@dataclass(frozen=True)
class ExportedFile:
    """A file as the manifest lists it; a file that is not JSON Lines is one record."""

    path: str
    records: int
    bytes: int
    sha256: str


class ExportFolder:
    """A new or empty folder; what a failed export has written to it is removed."""

    def __init__(self, path: Path) -> None:
        if path.exists() and not path.is_dir():
            raise ExportError(f"{path} is a file; name a new folder.")
        if path.exists() and any(path.iterdir()):
            raise ExportError(f"The folder {path} is not empty; name a new one.")
        path.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        self.path = path
        self.files: list[ExportedFile] = []
        self._created: list[Path] = []

    def write(self, name: str, chunks: Iterable[str | bytes]) -> None:
        """Write a file chunk by chunk; each chunk of a .jsonl file is one record."""
        path = self.path / name
        self._create_folder(path.parent)
        digest, size, count = sha256(), 0, 0
        with self._create_file(path) as file:
            for chunk in chunks:
                encoded = chunk if isinstance(chunk, bytes) else chunk.encode()
                file.write(encoded)
                digest.update(encoded)
                size, count = size + len(encoded), count + 1
        records = count if path.suffix == ".jsonl" else 1
        self.files.append(ExportedFile(name, records, size, digest.hexdigest()))

    def write_manifest(self, header: dict[str, Any]) -> None:
        """Write the manifest last: an export without it is incomplete."""
        manifest = header | {"files": [asdict(file) for file in self.files]}
        content = json.dumps(manifest, indent=1, ensure_ascii=False).encode() + b"\n"
        with self._create_file(self.path / MANIFEST) as file:
            file.write(content)

    def remove_all(self) -> None:
        """Remove everything written, so that the next attempt finds an empty folder."""
        for path in reversed(self._created):
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()

    def _create_folder(self, folder: Path) -> None:
        if folder == self.path or folder.is_dir():
            return
        self._create_folder(folder.parent)
        folder.mkdir(FOLDER_MODE)
        self._created.append(folder)

    def _create_file(self, path: Path) -> BinaryIO:
        self._created.append(path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        return os.fdopen(os.open(path, flags, FILE_MODE), "wb")


@dataclass(frozen=True)
class ExportOptions:
    """What the manifest says about the export, and whether it has raw measurements."""

    now: datetime
    release: str
    site: str
    with_samples: bool = False

    def manifest_header(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "release": self.release,
            "site": self.site,
            "exportedAt": format_moment(self.now),
        }


def write_export(
    path: Path, options: ExportOptions, progress: Progress = iter
) -> list[ExportedFile]:
    """
    Write all data, from one snapshot, into a new or empty folder.

    The data is streamed. `progress` passes lines and files through and may show how
    many there were. If the export fails, everything written is removed.
    """
    folder = ExportFolder(path)
    try:
        with reading():
            _write_files(folder, options, progress)
        folder.write_manifest(options.manifest_header())
    except BaseException:
        folder.remove_all()
        raise
    return folder.files


def _write_files(
    folder: ExportFolder, options: ExportOptions, progress: Progress
) -> None:
    record_types = (*RECORD_TYPES, SAMPLES) if options.with_samples else RECORD_TYPES
    for record_type in record_types:
        folder.write(record_type.file, progress(record_type.lines(options.now)))
    for project in all_projects():
        chunks = serialize_bundle(project, options.now)
        folder.write(f"projects/{project.slug}.json", progress(chunks))
        for name, text in progress(documents.document_files(project)):
            folder.write(name, [text])
        for name, digest in progress([*digests_by_name(project).items()]):
            folder.write(f"projects/{project.slug}/files/{name}", read_content(digest))


class ExportError(Exception):
    """The folder cannot be used; the message says why."""
