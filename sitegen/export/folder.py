"""The folder that an export is written into, and what is in its files."""

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

MANIFEST = "manifest.json"
# For the owner alone: it has what is not published.
PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700


class ExportError(Exception):
    """The folder cannot be used; the text says why."""


@dataclass(frozen=True)
class Entry:
    """A file that was written; one that is not of lines has one record."""

    path: str
    records: int
    bytes: int
    sha256: str


class ExportFolder:
    """A folder that was empty; what an export broken off has written is taken away."""

    def __init__(self, path: Path) -> None:
        if path.exists() and not path.is_dir():
            raise ExportError(f"{path} is a file; name a folder that is to be made.")
        if path.exists() and any(path.iterdir()):
            raise ExportError(f"The folder {path} is not empty; name a new one.")
        path.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
        self.path = path
        self.entries: list[Entry] = []
        self._made: list[Path] = []

    def write(self, name: str, pieces: Iterable[str]) -> None:
        """Write a file piece by piece; its size, digest and records are noted."""
        target = self.path / name
        self._make(target.parent)
        digest, size, count = sha256(), 0, 0
        with self._opened(target) as file:
            for piece in pieces:
                encoded = piece.encode()
                file.write(encoded)
                digest.update(encoded)
                size, count = size + len(encoded), count + 1
        records = count if target.suffix == ".jsonl" else 1
        self.entries.append(Entry(name, records, size, digest.hexdigest()))

    def finish(self, facts: dict[str, Any]) -> None:
        """Write the manifest: without one, a folder is no whole export."""
        told = facts | {"files": [asdict(each) for each in self.entries]}
        with self._opened(self.path / MANIFEST) as file:
            file.write(json.dumps(told, indent=1, ensure_ascii=False).encode() + b"\n")

    def take_away(self) -> None:
        """Remove what was written, so that the next attempt finds it empty."""
        for each in reversed(self._made):
            with suppress(OSError):
                each.rmdir() if each.is_dir() else each.unlink()

    def _make(self, folder: Path) -> None:
        if folder == self.path or folder.is_dir():
            return
        self._make(folder.parent)
        folder.mkdir(PRIVATE_FOLDER)
        self._made.append(folder)

    def _opened(self, path: Path) -> BinaryIO:
        self._made.append(path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        return os.fdopen(os.open(path, flags, PRIVATE_FILE), "wb")
