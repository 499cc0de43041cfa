"""
Lock, write and verify the output folder, whose files manifests describe.

The files of each area are built by one process at a time, and have a manifest of their
own. What all areas share belongs to an area, too; its lock is that of the folder.
"""

import fcntl
import logging
import math
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from models.changes import AREAS
from models.logs import LogLine
from models.runtime.faults import output_state
from sitegen.output.atomic_writes import AtomicWriter
from sitegen.output.manifest import (
    BUILDS,
    LIVE,
    MANIFEST,
    SHARED,
    Manifest,
    ManifestEntry,
    area_of,
    listed_paths,
    merge_manifests,
    parse_manifest,
    serialize_manifest,
)

ALL_AREAS = (*AREAS, SHARED)
# Who writes to the folder has created this file, so the folder is ours.
LOCK = ".masthead.lock"
# How long a process that builds here alone trusts its last look at the files.
TRUST_SECONDS = 60

log = logging.getLogger("masthead.builds")
# A tab that has been open for longer is reloaded before it loads another script.
RETENTION = timedelta(days=30)


class OutputError(Exception):
    """The folder cannot be used; the message says why and what to do."""

    def __init__(self, detail: str, state: str) -> None:
        super().__init__(detail)
        self.state = state


class OutputFolder(AtomicWriter):
    """The files of one area in a folder that only Masthead writes to."""

    def __init__(self, path: str, area: str = SHARED) -> None:
        super().__init__(str(path), f".masthead.{area}.drafts")
        self.path = Path(path)
        self.area = area
        self._manifest: Manifest | None = None
        self._has_changed = False
        # When the files were last checked, and whether this build checks them.
        self._checked_at = -math.inf
        self._is_checked = False
        # Paths at which an inspection did not find what the manifest says.
        self.damaged: set[str] = set()

    @property
    def manifest_name(self) -> str:
        return manifest_name(self.area)

    @property
    def _unfinished(self) -> Path:
        return self.path / f".masthead.{self.area}.unfinished"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """
        Lock the area for one build; the lock ends with its process.

        What was written is in place at the end, unless an exception ends the build.
        Raise OutputError if the folder is not ours or cannot be written.
        """
        is_shared = self.area == SHARED
        name = LOCK if is_shared else f".masthead.{self.area}.lock"
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._require_ours()
            (self.path / LOCK).touch()
            with (self.path / name).open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                try:
                    yield
                    self.put_in_place()
                except BaseException:
                    self.reset()
                    raise
        except OSError as error:
            raise OutputError(
                f"The output folder {self.path} cannot be written: {error.strerror}.",
                output_state(error),
            ) from error

    @property
    def is_unfinished(self) -> bool:
        """
        Return whether files differ from what the manifest says.

        A build changes them right now or, if we have the lock, has died.
        """
        return self._unfinished.exists()

    def start(self) -> Mapping[str, ManifestEntry]:
        """
        Start a build: return what the area consists of.

        After a build that died, or without a manifest, the files are read instead, and
        their entries have no fingerprint, so that every page is made again.
        """
        self.reset()
        if self.is_unfinished:
            self._manifest, self._has_changed = None, True
            self._remove_empty_folders()
        elif manifest := self.manifest():
            age = time.monotonic() - self._checked_at
            self._is_checked = age >= TRUST_SECONDS
            return manifest.entries
        self._is_checked = True
        return {
            path: ManifestEntry.from_content(path, (self.path / path).read_bytes(), "")
            for path in self._paths()
        }

    def interrupted_entries(self) -> Mapping[str, ManifestEntry] | None:
        """Return the entries before a build that died, None if no build has died."""
        if not self.is_unfinished:
            return None
        manifest = self.manifest()
        return manifest.entries if manifest else {}

    def version(self) -> str:
        """Return the version of the last build, "" if it is unknown."""
        manifest = None if self.is_unfinished else self.manifest()
        return "" if manifest is None else manifest.version

    def made(self) -> Mapping[str, Any]:
        """Return what this process made the files of, nothing if another built last."""
        manifest = None if self.is_unfinished else self.manifest()
        return {} if manifest is None else manifest.made

    def has_file(self, path: str, entry: ManifestEntry) -> bool:
        """
        Return whether the file exists with the size that the manifest says.

        The disk is read only once a minute. In between, this process has written the
        manifest itself, so no other process has built here.
        """
        if path in self.damaged:
            return False
        if not self._is_checked:
            return True
        try:
            return os.stat(f"{self._root}/{path}").st_size == entry.size
        except OSError:
            return False

    def mark_unfinished(self) -> None:
        """Record in the folder that its files change, until `complete`."""
        self._unfinished.touch()
        self._has_changed = True

    def _before_changes(self) -> None:
        self.mark_unfinished()

    def remove(self, path: str) -> None:
        self.mark_unfinished()
        super().remove(path)

    def finish(
        self,
        version: str,
        entries: dict[str, ManifestEntry],
        made: Mapping[str, Any],
    ) -> None:
        """Write the manifest of the area."""
        manifest = self._manifest
        is_same = (
            manifest and manifest.version == version and manifest.entries == entries
        )
        if not (manifest and is_same and self.manifest_stamp() == manifest.stamp):
            content = serialize_manifest(version, entries)
            if not self.has_content(self.manifest_name, content):
                self.write(self.manifest_name, content)
        self.put_in_place()
        self._manifest = Manifest(self.manifest_stamp(), version, entries, made)
        self.damaged.clear()
        if self._is_checked:
            self._checked_at = time.monotonic()

    def complete(self) -> None:
        """Record that all manifests describe the files again."""
        if self._has_changed:
            self._unfinished.unlink(missing_ok=True)
            self._has_changed = False

    def has_content(self, path: str, content: bytes | bytearray) -> bool:
        try:
            file = f"{self._root}/{path}"
            if os.stat(file).st_size != len(content):
                return False
            with open(file, "rb") as existing:
                return existing.read() == content
        except OSError:
            return False

    def manifest(self) -> Manifest | None:
        """Return the area's manifest, None if it cannot be read; it is parsed once."""
        try:
            stamp = self.manifest_stamp()
            if self._manifest is None or self._manifest.stamp != stamp:
                self._checked_at = -math.inf
                content = (self.path / self.manifest_name).read_bytes()
                self._manifest = parse_manifest(stamp, content)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            self._manifest = None
            if (
                not isinstance(error, FileNotFoundError)
                and self.manifest_name not in self.damaged
            ):
                self.damaged.add(self.manifest_name)
                log.warning(LogLine(state="manifest-damaged", error=error))
        return self._manifest

    def exists(self, path: str) -> bool:
        """Return whether any area has a file at this path, written as it is listed."""
        # The file system ignores empty and dot segments; a web server does not.
        is_plain = {"", ".", ".."}.isdisjoint(path.split("/"))
        return is_plain and os.path.isfile(f"{self._root}/{path}")

    def manifest_stamp(self) -> tuple[int, ...]:
        """Identify the manifest's file: each build that writes one makes a new file."""
        return file_stamp(self.path / self.manifest_name)

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

    def listed_elsewhere(self, areas: Iterable[str] = ALL_AREAS) -> set[str]:
        """Return the paths of those other areas, as their manifests list them."""
        paths: set[str] = set()
        for area in areas:
            if area != self.area:
                # The builder of that area reports a manifest that is damaged.
                with suppress(OSError, ValueError, KeyError, TypeError):
                    content = (self.path / manifest_name(area)).read_bytes()
                    paths |= listed_paths(content)
        return paths

    def _paths(self) -> list[str]:
        """Return the paths of the area's files, as they are in the folder."""
        manifest = self.manifest()
        own = manifest.entries.keys() if manifest else set()
        found = [
            path
            for _, paths in self._folders()
            for path in paths
            if path not in (MANIFEST, LIVE)
            and not path.startswith(f"{BUILDS}/")
            and (path in own or area_of(path) == self.area)
        ]
        unlisted = {path for path in found if path not in own}
        # The manifests of other areas may be large.
        foreign = unlisted & self.listed_elsewhere() if unlisted else unlisted
        return [path for path in found if path not in foreign]

    def _remove_empty_folders(self) -> None:
        """Remove the folders that a build that died has left empty."""
        for folder, _ in reversed(list(self._folders())):
            # Another process may be about to use a folder of its own area.
            if folder and area_of(f"{folder}/") == self.area:
                with suppress(OSError):
                    (self.path / folder).rmdir()

    def _folders(self) -> Iterator[tuple[str, list[str]]]:
        """Yield each folder that readers see, above those in it, and its files."""
        for name, folders, files in os.walk(self.path):
            folders[:] = [folder for folder in folders if folder[0] != "."]
            path = Path(name).relative_to(self.path)
            yield (
                "" if name == self._root else path.as_posix(),
                [(path / file).as_posix() for file in files if file[0] != "."],
            )


class OutputFolders:
    """The areas of an output folder, of which a process builds one at a time."""

    def __init__(
        self,
        path: str,
        open_area: Callable[[str, str], OutputFolder] = OutputFolder,
    ) -> None:
        self.path = Path(path)
        self._areas = {area: open_area(path, area) for area in ALL_AREAS}

    def __getitem__(self, area: str) -> OutputFolder:
        return self._areas[area]


def manifest_name(area: str) -> str:
    """Return the name of an area's manifest, which is not served."""
    return f".masthead.{area}.json"


def is_site_complete(path: Path) -> bool:
    """Return whether the folder has a whole site, of whatever time."""
    names = (MANIFEST, *map(manifest_name, ALL_AREAS))
    return not is_site_unfinished(path) and all((path / e).is_file() for e in names)


def is_site_unfinished(path: Path) -> bool:
    """Return whether a build changes files of any area right now, or has died."""
    return any(OutputFolder(str(path), area).is_unfinished for area in ALL_AREAS)


def site_manifest(shared: OutputFolder) -> bytes:
    """Return what readers get: the manifests of all areas as one."""
    contents = []
    for area in ALL_AREAS:
        path = shared.path / manifest_name(area)
        if path.is_file():
            contents.append(path.read_bytes())
    manifest = shared.manifest()
    return merge_manifests(manifest.version if manifest else "", contents)


def read_site_manifest(path: Path) -> Manifest:
    """Raise OSError, ValueError, KeyError or TypeError if it cannot be read."""
    stamp = file_stamp(path / MANIFEST)
    return parse_manifest(stamp, (path / MANIFEST).read_bytes())


def file_stamp(path: Path) -> tuple[int, ...]:
    """Identify the file at a path, which is replaced whenever it changes."""
    status = os.stat(path)
    return (status.st_ino, status.st_mtime_ns, status.st_size)


def retire_assets(
    folder: OutputFolder, paths: Iterable[str], in_use: Collection[str], now: datetime
) -> list[str]:
    """
    Record when the assets went out of use; remove and return the expired ones.

    A build calls this only when the theme has changed, so expired assets are removed
    at the next change after their retention.
    """
    for path in paths:
        with suppress(FileNotFoundError):
            os.utime(folder.path / path, (now.timestamp(), now.timestamp()))
    expiry = (now - RETENTION).timestamp()
    expired = [
        f"assets/{file.name}"
        for file in sorted((folder.path / "assets").glob("[!.]*"))
        if f"assets/{file.name}" not in in_use and file.stat().st_mtime < expiry
    ]
    for path in expired:
        folder.remove(path)
    return expired
