"""Lock, write and verify the output folder, which a manifest describes."""

import fcntl
import hashlib
import logging
import math
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from models.logs import LogLine
from models.runtime.faults import output_state
from sitegen.output.atomic_writes import DRAFT, MAX_SINGLE, AtomicWriter
from sitegen.output.manifest import (
    BUILDS,
    LIVE,
    MANIFEST,
    Manifest,
    ManifestEntry,
    parse_manifest,
    serialize_manifest,
)

LOCK = ".masthead.lock"
UNFINISHED = ".masthead.unfinished"
# Files that a process has written aside, see staging.py.
STAGING = ".masthead.docs"
# How long a process that builds here alone trusts its last look at the files.
TRUST_SECONDS = 60

log = logging.getLogger("masthead.builds")


def staged_name(path: str) -> str:
    """
    Return the name under which a file is written aside, in one folder with all others.

    To remove ten thousand empty folders afterwards takes seconds.
    """
    return hashlib.sha256(path.encode()).hexdigest()


class OutputError(Exception):
    """The folder cannot be used; the message says why and what to do."""

    def __init__(self, detail: str, state: str) -> None:
        super().__init__(detail)
        self.state = state


class OutputFolder(AtomicWriter):
    """A folder that only Masthead writes to, and only one process at a time."""

    def __init__(self, path: str, max_single: int = MAX_SINGLE) -> None:
        super().__init__(str(path), max_single)
        self.path = Path(path)
        self._site = str(path)
        self._manifest: Manifest | None = None
        # What the folder contains after a build that `suspend` has ended.
        self._suspended: Manifest | None = None
        self._mark = 0
        # When an area's files were last checked, and which areas this build checks.
        self._checked_at: dict[str, float] = {}
        self._is_checked: dict[str, bool] = {}
        # Paths at which an inspection did not find what the manifest says.
        self.damaged: set[str] = set()
        # The file descriptor of the lock, while a build holds it.
        self.lock_descriptor = -1

    @contextmanager
    def locked(self) -> Iterator[None]:
        """
        Lock the folder for one build; the lock ends with its process.

        What was written is in place at the end, unless an exception ends the build.
        Raise OutputError if the folder is not ours or cannot be written.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._require_ours()
            with (self.path / LOCK).open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                self.lock_descriptor = lock.fileno()
                try:
                    yield
                    self.flush()
                except OSError:
                    self.reset()
                    raise
        except OSError as error:
            raise OutputError(
                f"The output folder {self.path} cannot be written: {error.strerror}.",
                output_state(error),
            ) from error

    @property
    def is_locked(self) -> bool:
        return self.lock_descriptor >= 0

    @property
    def is_unfinished(self) -> bool:
        """Tell whether a build is running or, if we have the lock, has died."""
        return (self.path / UNFINISHED).exists()

    @property
    def is_complete(self) -> bool:
        """Tell whether the folder has a whole site, of whatever time."""
        return not self.is_unfinished and self.manifest() is not None

    def start(self) -> Mapping[str, ManifestEntry]:
        """
        Start a build: return what the folder contains.

        After a build that died or without a manifest, the files are read instead, and
        their entries have no fingerprint, so that every page is made again.
        """
        self.reset()
        self._is_checked.clear()
        state = self.state()
        if state is not None:
            return state.entries
        if self.is_unfinished:
            self._manifest = None
            self._remove_leftovers()
        return self._read_entries()

    def state(self) -> Manifest | None:
        """Return what the folder contains, None if that must be read from the files."""
        if self.is_suspended:
            return self._suspended
        return None if self.is_unfinished else self.manifest()

    def interrupted_entries(self) -> Mapping[str, ManifestEntry] | None:
        """
        Return the entries before a build that died, None if no build has died.

        For a build that was suspended, they are those before its first part.
        """
        if not self.is_unfinished:
            return None
        manifest = self.manifest()
        return manifest.entries if manifest else {}

    def version(self) -> str:
        """Return the version of the last build, "" if it is unknown."""
        state = self.state()
        return "" if state is None else state.version

    def made(self) -> Mapping[str, Any]:
        """Return what this process made the files of, nothing if another built last."""
        state = self.state()
        return {} if state is None else state.made

    def has_file(self, path: str, entry: ManifestEntry) -> bool:
        """
        Tell whether the file exists with the size that the manifest says.

        The disk is read only once a minute for each area. In between, this process has
        written the manifest itself, so no other process has built here.
        """
        if path in self.damaged:
            return False
        if not self._must_check(entry.area):
            return True
        try:
            return os.stat(f"{self._site}/{path}").st_size == entry.size
        except OSError:
            return False

    def mark_unfinished(self) -> None:
        """Record in the folder that a build is running, until `finish`."""
        self._mark = uuid4().int
        (self.path / UNFINISHED).write_text(str(self._mark))

    def suspend(
        self,
        version: str,
        entries: Mapping[str, ManifestEntry],
        made: Mapping[str, Any],
    ) -> None:
        """
        End a part of a build without a manifest, which takes long to write.

        This process knows the entries, and goes on with them. For any other, and if
        this one dies, the folder is unfinished, and its files must be read.
        """
        self.put_in_place()
        self._suspended = Manifest((self._mark,), version, entries, made)

    @property
    def is_suspended(self) -> bool:
        """Tell whether `suspend` has ended the last build that changed anything."""
        if self._suspended is None:
            return False
        try:
            mark = (self.path / UNFINISHED).read_text()
        except OSError:
            return False
        return mark == str(self._suspended.stamp[0])

    def remove(self, path: str) -> None:
        """Remove a file and the folders that this leaves empty."""
        target = self.path / path
        target.unlink(missing_ok=True)
        for folder in target.parents:
            if folder == self.path or not self._is_empty(folder):
                break
            folder.rmdir()

    def finish(
        self,
        version: str,
        entries: dict[str, ManifestEntry],
        made: Mapping[str, Any],
    ) -> None:
        """Write the manifest, which ends the build."""
        if self.is_large:
            self.flush()
            self.reset()
        manifest = self._manifest
        is_same = (
            manifest and manifest.version == version and manifest.entries == entries
        )
        if not (manifest and is_same and self.manifest_stamp() == manifest.stamp):
            content = serialize_manifest(version, entries)
            if not self.has_content(MANIFEST, content):
                self.mark_unfinished()
                self.write(MANIFEST, content)
        self.flush()
        (self.path / UNFINISHED).unlink(missing_ok=True)
        self._manifest = Manifest(self.manifest_stamp(), version, entries, made)
        self._suspended = None
        self.damaged.clear()
        self.note_checks()

    def note_checks(self) -> None:
        """Record which areas' files this build has checked."""
        checked = [area for area, is_checked in self._is_checked.items() if is_checked]
        self._checked_at |= dict.fromkeys(checked, time.monotonic())

    def has_content(self, path: str, content: bytes) -> bool:
        try:
            file = f"{self._site}/{path}"
            if os.stat(file).st_size != len(content):
                return False
            with open(file, "rb") as existing:
                return existing.read() == content
        except OSError:
            return False

    def manifest(self) -> Manifest | None:
        """Return the manifest, None if it cannot be read; it is parsed once."""
        try:
            stamp = self.manifest_stamp()
            if self._manifest is None or self._manifest.stamp != stamp:
                self._checked_at.clear()
                content = (self.path / MANIFEST).read_bytes()
                self._manifest = parse_manifest(stamp, content)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            self._manifest = None
            if (
                not isinstance(error, FileNotFoundError)
                and MANIFEST not in self.damaged
            ):
                self.damaged.add(MANIFEST)
                log.warning(LogLine(state="manifest-damaged", error=error))
        return self._manifest

    def is_manifest(self, entries: Mapping[str, ManifestEntry]) -> bool:
        """Tell whether the entries are the manifest, and not read from the files."""
        manifest = self.manifest()
        return manifest is not None and manifest.entries is entries

    def exists(self, path: str) -> bool:
        return os.path.isfile(f"{self._site}/{path}")

    def take(self, staging: str, path: str, *, is_synced: bool) -> None:
        """
        Put a file in place that another process has written into a folder here.

        Unless it is synced, that happens at the next `put_in_place`.
        """
        staged, target = f"{staging}/{staged_name(path)}", f"{self._site}/{path}"
        self._make_folder(target.rpartition("/")[0])
        if is_synced:
            self._rename(staged, target)
        else:
            self._sync_in_thread(staged, target)

    def manifest_stamp(self) -> tuple[int, ...]:
        """Identify the manifest's file: each build that writes one makes a new file."""
        status = os.stat(f"{self._site}/{MANIFEST}")
        return (status.st_ino, status.st_mtime_ns, status.st_size)

    def _require_ours(self) -> None:
        """Refuse a folder with files that are not ours: builds remove files."""
        if (self.path / LOCK).exists():
            return
        if any(file.name[0] != "." for file in self.path.iterdir()):
            raise OutputError(
                f"The output folder {self.path} holds files that Masthead did not"
                " write. Name an empty folder in MASTHEAD_OUTPUT.",
                "output-foreign",
            )

    def _read_entries(self) -> dict[str, ManifestEntry]:
        """Describe the files as they are, without a fingerprint."""
        return {
            path: ManifestEntry.of(path, (self.path / path).read_bytes(), "", "")
            for path in self._paths()
            if path not in (MANIFEST, LIVE) and not path.startswith(f"{BUILDS}/")
        }

    def _must_check(self, area: str) -> bool:
        if area not in self._is_checked:
            age = time.monotonic() - self._checked_at.get(area, -math.inf)
            self._is_checked[area] = age >= TRUST_SECONDS
        return self._is_checked[area]

    def _remove_leftovers(self) -> None:
        """Remove the drafts and empty folders that a build that died has left."""
        for path in sorted(self._visible("*"), reverse=True):
            if path.name.endswith(DRAFT):
                path.unlink()
            elif path.is_dir() and self._is_empty(path):
                path.rmdir()

    def _is_empty(self, folder: Path) -> bool:
        return folder.is_dir() and not any(folder.iterdir())

    def _paths(self) -> list[str]:
        files = (path for path in self._visible("[!.]*") if path.is_file())
        return [path.relative_to(self.path).as_posix() for path in files]

    def _visible(self, pattern: str) -> Iterator[Path]:
        """Yield what is in the folder, without files that are written aside."""
        staging = self.path / STAGING
        for path in self.path.rglob(pattern):
            if staging != path and staging not in path.parents:
                yield path
