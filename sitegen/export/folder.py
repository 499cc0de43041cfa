"""Write the files of an export into its folder, and their manifest."""

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

MANIFEST = "manifest.json"
# An export contains unpublished data, so only its owner may read it.
FILE_MODE, FOLDER_MODE = 0o600, 0o700


class ExportError(Exception):
    """The folder cannot be used; the message says why."""


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
