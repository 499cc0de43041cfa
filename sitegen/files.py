"""The output folder: written beside and moved over, locked, described by a manifest."""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from models.hosting import cache_class, type_of

MANIFEST = "manifest.json"
# Which generation is live, and what each one changed: these may change while the
# pages do not, so the manifest does not tell of them.
LIVE = "build.json"
BUILDS = "builds"
LOCK = ".masthead.lock"
UNFINISHED = ".masthead.unfinished"
DRAFT = ".draft"


class OutputError(Exception):
    """The folder cannot be used; the text says why and what to do."""


@dataclass(frozen=True)
class Entry:
    """One file as the manifest tells it; `made` is the digest it was made from."""

    sha256: str
    size: int
    type: str
    cache: str
    area: str
    made: str

    @classmethod
    def of(cls, path: str, content: bytes, area: str, made: str) -> "Entry":
        return cls(
            sha256=hashlib.sha256(content).hexdigest(),
            size=len(content),
            type=type_of(path),
            cache=cache_class(path),
            area=area,
            made=made,
        )


class Folder:
    """A folder that only Masthead writes to, and only one process at a time."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder for one build; the lock dies with its process."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._require_ours()
            with (self.path / LOCK).open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
        except OSError as error:
            raise OutputError(
                f"The output folder {self.path} cannot be written: {error.strerror}."
            ) from error

    def manifest(self) -> dict[str, Entry]:
        """Return what stands here; nothing is trusted after a broken build."""
        if (self.path / UNFINISHED).exists():
            self._sweep()
            return self._found()
        entries = self._told()
        return self._found() if entries is None else entries

    def interrupted(self) -> dict[str, Entry] | None:
        """Return what stood before a build that died, None where none did."""
        return (self._told() or {}) if (self.path / UNFINISHED).exists() else None

    def version(self) -> str:
        """Return what the last build was of, "" where that is not known."""
        try:
            told = json.loads((self.path / MANIFEST).read_text(encoding="utf-8"))
            return "" if (self.path / UNFINISHED).exists() else str(told["version"])
        except (OSError, ValueError, KeyError, TypeError):
            return ""

    def holds(self, path: str, entry: Entry) -> bool:
        """Tell whether the file is there, as long as the manifest says."""
        try:
            return (self.path / path).stat().st_size == entry.size
        except OSError:
            return False

    def differences(self) -> list[str]:
        """Return, in sentences, where the files are not as the manifest says."""
        entries = self.manifest()
        found = []
        for path, entry in entries.items():
            file = self.path / path
            if not file.is_file():
                found.append(f"{path} is missing from the output.")
            elif hashlib.sha256(file.read_bytes()).hexdigest() != entry.sha256:
                found.append(f"{path} in the output is not as it was written.")
        return found

    def begin(self) -> None:
        """Note that a build is under way, until finish."""
        (self.path / UNFINISHED).touch()

    def write(self, path: str, content: bytes) -> None:
        """Write beside, sync, move over: whoever reads gets the old or the new."""
        target = self.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        # Hidden by its dot: no server shows it, whatever becomes of this process.
        draft = target.with_name(f".{target.name}{DRAFT}")
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            self._sync(file.fileno())
        self._move(draft, target)

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
        files = {p: asdict(entries[p]) for p in sorted(entries) if p != LIVE}
        told = {"version": version, "files": files}
        content = (json.dumps(told, indent=1, sort_keys=True) + "\n").encode()
        if not self.has(MANIFEST, content):
            self.begin()
            self.write(MANIFEST, content)
        (self.path / UNFINISHED).unlink(missing_ok=True)

    def has(self, path: str, content: bytes) -> bool:
        try:
            return (self.path / path).read_bytes() == content
        except OSError:
            return False

    def _told(self) -> dict[str, Entry] | None:
        """Read the manifest, None where it cannot be read."""
        try:
            told = json.loads((self.path / MANIFEST).read_text(encoding="utf-8"))
            return {path: Entry(**entry) for path, entry in told["files"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def _require_ours(self) -> None:
        """Never adopt a folder of somebody else's files: builds remove files."""
        if (self.path / LOCK).exists():
            return
        foreign = [each for each in self.path.iterdir() if each.name[0] != "."]
        if foreign:
            raise OutputError(
                f"The output folder {self.path} holds files that Masthead did not"
                " write. Name an empty folder in MASTHEAD_OUTPUT."
            )

    def _found(self) -> dict[str, Entry]:
        """Describe the files by themselves, made from nothing that is known."""
        return {
            path: Entry.of(path, (self.path / path).read_bytes(), "", "")
            for path in self._paths()
            if path not in (MANIFEST, LIVE) and not path.startswith(f"{BUILDS}/")
        }

    def _sync(self, descriptor: int) -> None:
        os.fsync(descriptor)

    def _move(self, draft: Path, target: Path) -> None:
        draft.replace(target)

    def _sweep(self) -> None:
        """Clear what a build that died has left: drafts and empty folders."""
        found = sorted(self.path.rglob("*"), reverse=True)
        for each in found:
            if each.name.endswith(DRAFT):
                each.unlink()
            elif each.is_dir() and self._is_empty(each):
                each.rmdir()

    def _is_empty(self, folder: Path) -> bool:
        return folder.is_dir() and not any(folder.iterdir())

    def _paths(self) -> list[str]:
        found = (each for each in self.path.rglob("[!.]*") if each.is_file())
        return [each.relative_to(self.path).as_posix() for each in found]
