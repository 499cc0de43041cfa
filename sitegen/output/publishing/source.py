"""Read the output folder for publishing, unaffected by builds that go on meanwhile."""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from sitegen.output.folder import (
    file_stamp,
    is_site_unfinished,
    read_site_manifest,
)
from sitegen.output.manifest import BUILDS, LIVE, MANIFEST, Manifest, ManifestEntry
from sitegen.output.publishing.targets import PublishedFile, PublishError, TargetBusy

# Hidden files in the output folder: the lock, which contains the name of the
# publisher, and the folder with hard links to what is being published.
LOCK = ".masthead.publisher"
SNAPSHOT = ".masthead.held"
_NAME_LENGTH = 32
# Links are made in less time than a build takes.
MAX_ATTEMPTS = 20

SiteFiles = Mapping[str, PublishedFile]


class PublishSource:
    """The output folder; one process at a time publishes it."""

    def __init__(self, output: str) -> None:
        self._path = Path(output)
        self._snapshot_folder = self._path / SNAPSHOT
        self._links: dict[str, Path] = {}
        self._listed: tuple[Manifest, SiteFiles] | None = None

    @contextmanager
    def exclusive(self) -> Iterator[str]:
        """
        Lock the folder against other publishers; raise TargetBusy if one has it.

        Yield the name under which publishers of this folder hold the target's lease.
        """
        self._require(self._path.is_dir(), "the folder does not exist")
        try:
            lock = (self._path / LOCK).open("a+")
        except OSError as error:
            raise PublishError(
                f"The output folder {self._path} cannot be written: {error.strerror}."
            ) from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise TargetBusy(
                    f"Another process is publishing {self._path}."
                ) from None
            lock.seek(0)
            name = lock.read(_NAME_LENGTH)
            if len(name) < _NAME_LENGTH:
                name = uuid4().hex
                lock.truncate(0)
                lock.write(name)
                lock.flush()
            yield name

    def files(self) -> SiteFiles:
        """Return the current files; raise TargetBusy while a build changes them."""
        self._require(self._path.is_dir(), "the folder does not exist")
        self._require_complete()
        return {**self._listed_files(self._manifest()), **self._index_files()}

    @contextmanager
    def snapshot(self, select: Callable[[SiteFiles], Iterable[str]]) -> Iterator[None]:
        """
        Keep the files that `select` returns as they are now, for `read`.

        Builds replace files, so a hard link keeps the previous content. Builds do not
        wait; if one changed the site meanwhile, the links are made again.
        """
        for _ in range(MAX_ATTEMPTS):
            self._remove_links()
            self._require_complete()
            stamp = self._stamp()
            files = self.files()
            self._link(select(files))
            if stamp == self._stamp() and not is_site_unfinished(self._path):
                break
        else:
            raise TargetBusy(f"The output folder {self._path} changes all the time.")
        try:
            yield
        finally:
            self._remove_links()

    def read(self, file: PublishedFile) -> bytes:
        """Return the content of a file of the snapshot; raise if it is damaged."""
        content = self._links[file.path].read_bytes()
        if hashlib.sha256(content).digest() != file.entry.sha256:
            raise PublishError(
                f"{file.path} in the output is not as it was written. Run a build."
            )
        return content

    def _require(self, condition: bool, reason: str) -> None:
        if not condition:
            raise PublishError(
                f"The output folder {self._path} contains no site: {reason}."
                " Run a build."
            )

    def _require_complete(self) -> None:
        self._require((self._path / MANIFEST).is_file(), "there is no manifest")
        if is_site_unfinished(self._path):
            raise TargetBusy(
                f"The output folder {self._path} is being built, or a build was"
                " interrupted. If no server is running, run a build."
            )

    def _manifest(self) -> Manifest:
        if self._listed is not None and self._listed[0].stamp == self._stamp():
            return self._listed[0]
        try:
            return read_site_manifest(self._path)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise PublishError(
                "The output's manifest cannot be read. Run a build."
            ) from error

    def _stamp(self) -> tuple[int, ...]:
        return file_stamp(self._path / MANIFEST)

    def _listed_files(self, manifest: Manifest) -> SiteFiles:
        if self._listed is None or self._listed[0] is not manifest:
            files = {
                path: PublishedFile(path, entry)
                for path, entry in manifest.entries.items()
            }
            self._listed = manifest, files
        return self._listed[1]

    def _index_files(self) -> SiteFiles:
        """Return the files that describe the build, which no manifest lists."""
        builds = sorted(
            f"{BUILDS}/{file.name}" for file in (self._path / BUILDS).glob("[!.]*")
        )
        paths = [p for p in (*builds, MANIFEST, LIVE) if (self._path / p).is_file()]
        return {
            path: PublishedFile(
                path,
                ManifestEntry.from_content(path, (self._path / path).read_bytes(), ""),
            )
            for path in paths
        }

    def _link(self, paths: Iterable[str]) -> None:
        self._snapshot_folder.mkdir(exist_ok=True)
        for number, path in enumerate(paths):
            self._links[path] = link = self._snapshot_folder / f".{number}"
            try:
                _link_or_copy(self._path / path, link)
            except FileNotFoundError:
                raise PublishError(
                    f"{path} is missing from the output. Run a build."
                ) from None

    def _remove_links(self) -> None:
        self._links.clear()
        # The folder stays, since a build may be listing it.
        for link in self._snapshot_folder.glob(".*"):
            link.unlink(missing_ok=True)


def _link_or_copy(file: Path, link: Path) -> None:
    try:
        os.link(file, link)
    except FileNotFoundError:
        raise
    except OSError:
        # Not every file system supports hard links.
        shutil.copyfile(file, link)
