"""Write files aside, so that another process puts them in place."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from sitegen.output.atomic_writes import MAX_SINGLE, Draft
from sitegen.output.folder import STAGING, OutputFolder, staged_name
from sitegen.output.manifest import ManifestEntry


class StagedFolder(OutputFolder):
    """
    The output folder as a process sees it that changes nothing in it.

    It compares pages with the files of the site, which `entries` describes, and writes
    those that differ into a folder of its own. That is in the output folder, since a
    file can only be renamed within its file system.
    """

    def __init__(
        self, path: str, max_single: int = MAX_SINGLE, staging: str = ""
    ) -> None:
        super().__init__(path, max_single)
        self._root = staging
        self.entries: Mapping[str, ManifestEntry] = {}
        # What earlier parts of a build consist of; it may not be in place yet.
        self._sent: set[str] = set()

    @property
    def staging(self) -> str:
        return self._root

    def made(self) -> Mapping[str, Any]:
        """Return nothing: documents are no KeyedPages."""
        return {}

    def start(self) -> Mapping[str, ManifestEntry]:
        """Start a build with a folder of its own."""
        self.reset()
        self._is_checked.clear()
        self._root = str(self.path / STAGING / uuid4().hex)
        return self.entries

    def remove_staged(self) -> None:
        """Remove what earlier builds left."""
        self._sent.clear()
        # A worker of a process that was killed may write there for a moment longer.
        shutil.rmtree(self.path / STAGING, ignore_errors=True)

    def has_staged(self, path: str) -> bool:
        return Path(self._root, staged_name(path)).is_file()

    def end(self, entries: Mapping[str, ManifestEntry], *, is_synced: bool) -> None:
        """
        End a build whose files the other process will put in place.

        Without `is_synced`, that process syncs each file before readers see it, so
        that they see the first of a few without waiting for the others.
        """
        self.flush()
        if is_synced:
            self._sync_all()
        self.entries = entries
        self.damaged.clear()
        self.note_checks()

    def end_part(self, entries: Mapping[str, ManifestEntry]) -> None:
        """End a part of a build, whose files the other process may take at any time."""
        self.flush()
        self.entries = {**self.entries, **entries}
        self._sent |= entries.keys()

    def has_file(self, path: str, entry: ManifestEntry) -> bool:
        return path in self._sent or super().has_file(path, entry)

    def _write_draft(self, path: str, content: bytes) -> Draft:
        return super()._write_draft(staged_name(path), content)

    def _sync_in_thread(self, draft: str, target: str) -> None:
        """Put the file in place without a sync: see `end`."""
        self._rename(draft, target)

    def interrupted_entries(self) -> None:
        """Return None: the state of the folder is the concern of the other process."""

    def mark_unfinished(self) -> None:
        """Do nothing: no file of the site changes."""

    def is_manifest(self, entries: Mapping[str, ManifestEntry]) -> bool:
        return bool(entries)
