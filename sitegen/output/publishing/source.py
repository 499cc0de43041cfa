"""The output folder as what is published: held still while builds go on."""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from sitegen.output.folder import OutputFolder
from sitegen.output.manifest import BUILDS, LIVE, MANIFEST, Manifest, ManifestEntry
from sitegen.output.publishing.targets import Busy, File, PublishError

# Hidden by their dots, in the output: the one who publishes it, and what it publishes.
PUBLISHER = ".masthead.publisher"
HELD = ".masthead.held"

Files = Mapping[str, File]


class Source:
    """The folder that builds write into; one process at a time publishes it."""

    def __init__(self, output: str) -> None:
        self._folder = OutputFolder(output)
        self._path = Path(output)
        self._held = self._path / HELD
        self._links: dict[str, Path] = {}
        self._known: tuple[Manifest, Files] | None = None

    @contextmanager
    def alone(self) -> Iterator[str]:
        """Be the one who publishes this folder, and give the name for that."""
        self._require(self._path.is_dir(), "there is none")
        try:
            lock = (self._path / PUBLISHER).open("a+")
        except OSError as error:
            raise PublishError(
                f"The output folder {self._path} cannot be written: {error.strerror}."
            ) from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Busy(f"Another publishes {self._path}.") from None
            lock.seek(0)
            owner = lock.read(32)
            if len(owner) < 32:
                owner = uuid4().hex
                lock.truncate(0)
                lock.write(owner)
                lock.flush()
            yield owner

    def files(self) -> Files:
        """Return what stands now, for whoever only looks."""
        self._require(self._path.is_dir(), "there is none")
        with self._folder.locked():
            self._require_whole()
            return self._parsed(self._known_now())

    @contextmanager
    def held(self, chosen: Callable[[Files], Iterable[str]]) -> Iterator[None]:
        """
        Hold the chosen files as they are now.

        Builds move new files over the old ones, so a second name keeps what was. They
        wait for that alone: to read the manifest takes longer, and is done before.
        """
        files: Files | None = None
        known: Manifest | None = None
        self._let_go()
        while True:
            with self._folder.locked():
                self._require_whole()
                if known and files and known.stamp == self._folder.manifest_stamp():
                    now = {**files, **self._tellers()}
                    self._link(chosen(now))
                    break
            known = self._known_now()
            files = self._listed(known)
        try:
            yield
        finally:
            self._let_go()

    def read(self, file: File) -> bytes:
        """Return what was held, if it is what the manifest says."""
        content = self._links[file.path].read_bytes()
        if hashlib.sha256(content).hexdigest() != file.entry.sha256:
            raise PublishError(
                f"{file.path} in the output was changed. Run a build again."
            )
        return content

    def _require(self, holds: bool, reason: str) -> None:
        if not holds:
            raise PublishError(
                f"The output folder {self._path} holds no site: {reason}. Build it."
            )

    def _require_whole(self) -> None:
        self._require((self._path / MANIFEST).is_file(), "there is no manifest")
        self._require(not self._folder.is_unfinished, "a build was broken off")

    def _known_now(self) -> Manifest:
        known = self._folder.manifest()
        if known is None:
            raise PublishError("The output's manifest cannot be read. Build anew.")
        return known

    def _parsed(self, known: Manifest) -> Files:
        return {**self._listed(known), **self._tellers()}

    def _listed(self, known: Manifest) -> Files:
        if self._known is None or self._known[0] is not known:
            listed = {path: File(path, each) for path, each in known.entries.items()}
            for each in listed.values():
                # Worked out now, since builds wait while it is compared.
                _ = each.mark
            self._known = known, listed
        return self._known[1]

    def _tellers(self) -> Files:
        """Return the files that tell of all others, which no manifest lists."""
        builds = sorted(
            f"{BUILDS}/{e.name}" for e in (self._path / BUILDS).glob("[!.]*")
        )
        there = [p for p in (*builds, MANIFEST, LIVE) if (self._path / p).is_file()]
        return {
            path: File(
                path, ManifestEntry.of(path, (self._path / path).read_bytes(), "", "")
            )
            for path in there
        }

    def _link(self, paths: Iterable[str]) -> None:
        self._held.mkdir(exist_ok=True)
        for number, path in enumerate(paths):
            self._links[path] = link = self._held / f".{number}"
            try:
                _keep(self._path / path, link)
            except FileNotFoundError:
                raise PublishError(
                    f"{path} is missing from the output. Build anew."
                ) from None

    def _let_go(self) -> None:
        self._links.clear()
        # The folder stays: builds may be looking into it.
        for link in self._held.glob(".*"):
            link.unlink(missing_ok=True)


def _keep(file: Path, link: Path) -> None:
    try:
        os.link(file, link)
    except FileNotFoundError:
        raise
    except OSError:
        # Not every file system has second names.
        shutil.copyfile(file, link)
