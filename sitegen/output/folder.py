"""The output folder: written beside and moved over, locked, described by a manifest."""

import fcntl
import logging
import math
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from models.logs import LogLine
from models.runtime.faults import output_state
from sitegen.output.drafts import DRAFT, FEW, Drafts
from sitegen.output.manifest import BUILDS, LIVE, MANIFEST, Entry, Known, read, told

LOCK = ".masthead.lock"
UNFINISHED = ".masthead.unfinished"
# How long whoever writes here alone relies on what stood here; then it looks again.
TRUST_SECONDS = 60

log = logging.getLogger("masthead.builds")


class OutputError(Exception):
    """The folder cannot be used; the text says why and what to do."""

    def __init__(self, detail: str, state: str) -> None:
        super().__init__(detail)
        self.state = state


class Folder(Drafts):
    """A folder that only Masthead writes to, and only one process at a time."""

    def __init__(self, path: str, few: int = FEW) -> None:
        super().__init__(str(path), few)
        self.path = Path(path)
        self._known: Known | None = None
        # When the files of an area were last looked at, and which are being now.
        self._looked_at: dict[str, float] = {}
        self._looking: dict[str, bool] = {}
        # What an inspection has found not to be as it was written.
        self.doubted: set[str] = set()
        # The file by which a build holds the folder, while one does.
        self.lock = -1

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder for one build; the lock dies with its process."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._require_ours()
            with (self.path / LOCK).open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                self.lock = lock.fileno()
                yield
        except OSError as error:
            raise OutputError(
                f"The output folder {self.path} cannot be written: {error.strerror}.",
                output_state(error),
            ) from error

    @property
    def is_unfinished(self) -> bool:
        """Tell whether a build is under way or, while this is locked, has died."""
        return (self.path / UNFINISHED).exists()

    def manifest(self) -> Mapping[str, Entry]:
        """Return what stands here; nothing is trusted after a broken build."""
        self.forget()
        self._looking.clear()
        if self.is_unfinished:
            self._known = None
            self._sweep()
            return self._found()
        known = self.known()
        return self._found() if known is None else known.entries

    def interrupted(self) -> Mapping[str, Entry] | None:
        """Return what stood before a build that died, None where none did."""
        if not self.is_unfinished:
            return None
        known = self.known()
        return known.entries if known else {}

    def version(self) -> str:
        """Return what the last build was of, "" where that is not known."""
        if self.is_unfinished:
            return ""
        known = self.known()
        return "" if known is None else known.version

    def holds(self, path: str, entry: Entry) -> bool:
        """
        Tell whether the file is there, as long as the manifest says.

        That is looked at once a minute: in between the manifest is the one that this
        process wrote itself, so nobody else has built here.
        """
        if path in self.doubted:
            return False
        if not self._is_looking_at(entry.area):
            return True
        try:
            return os.stat(f"{self._root}/{path}").st_size == entry.size
        except OSError:
            return False

    def begin(self) -> None:
        """Note that a build is under way, until finish."""
        (self.path / UNFINISHED).touch()

    def remove(self, path: str) -> None:
        """Take a file away, and the folders that it leaves empty."""
        target = self.path / path
        target.unlink(missing_ok=True)
        for folder in target.parents:
            if folder == self.path or not self._is_empty(folder):
                break
            folder.rmdir()

    def finish(self, version: str, entries: dict[str, Entry]) -> None:
        """Write the manifest; the build is over."""
        self.show()
        known = self._known
        same = known and known.version == version and known.entries == entries
        if not (known and same and self.stamp() == known.stamp):
            content = told(version, entries)
            if not self.has(MANIFEST, content):
                self.begin()
                self.forget()
                self.write(MANIFEST, content)
        (self.path / UNFINISHED).unlink(missing_ok=True)
        self._known = Known(self.stamp(), version, entries)
        self.doubted.clear()
        looked_at = [area for area, looking in self._looking.items() if looking]
        self._looked_at |= dict.fromkeys(looked_at, time.monotonic())

    def has(self, path: str, content: bytes) -> bool:
        try:
            file = f"{self._root}/{path}"
            if os.stat(file).st_size != len(content):
                return False
            with open(file, "rb") as stands:
                return stands.read() == content
        except OSError:
            return False

    def _require_ours(self) -> None:
        """Never adopt a folder of somebody else's files: builds remove files."""
        if (self.path / LOCK).exists():
            return
        foreign = [each for each in self.path.iterdir() if each.name[0] != "."]
        if foreign:
            raise OutputError(
                f"The output folder {self.path} holds files that Masthead did not"
                " write. Name an empty folder in MASTHEAD_OUTPUT.",
                "output-foreign",
            )

    def _found(self) -> dict[str, Entry]:
        """Describe the files by themselves, made from nothing that is known."""
        return {
            path: Entry.of(path, (self.path / path).read_bytes(), "", "")
            for path in self._paths()
            if path not in (MANIFEST, LIVE) and not path.startswith(f"{BUILDS}/")
        }

    def known(self) -> Known | None:
        """Read the manifest, None where it cannot be; once while it is the same."""
        try:
            stamp = self.stamp()
            if self._known is None or self._known.stamp != stamp:
                self._looked_at.clear()
                self._known = read(stamp, (self.path / MANIFEST).read_bytes())
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            self._known = None
            if (
                not isinstance(error, FileNotFoundError)
                and MANIFEST not in self.doubted
            ):
                self.doubted.add(MANIFEST)
                log.warning(LogLine(state="manifest-damaged", error=error))
        return self._known

    def _is_looking_at(self, area: str) -> bool:
        if area not in self._looking:
            age = time.monotonic() - self._looked_at.get(area, -math.inf)
            self._looking[area] = age >= TRUST_SECONDS
        return self._looking[area]

    def stamp(self) -> tuple[int, ...]:
        """Whoever writes a manifest moves a new file there: nothing here stays."""
        found = os.stat(f"{self._root}/{MANIFEST}")
        return (found.st_ino, found.st_mtime_ns, found.st_size)

    def _sweep(self) -> None:
        """Clear what a build that died has left: drafts and empty folders."""
        for each in sorted(self.path.rglob("*"), reverse=True):
            if each.name.endswith(DRAFT):
                each.unlink()
            elif each.is_dir() and self._is_empty(each):
                each.rmdir()

    def _is_empty(self, folder: Path) -> bool:
        return folder.is_dir() and not any(folder.iterdir())

    def _paths(self) -> list[str]:
        found = (each for each in self.path.rglob("[!.]*") if each.is_file())
        return [each.relative_to(self.path).as_posix() for each in found]
