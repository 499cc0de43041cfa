"""Publish to a folder, in which each file is replaced atomically."""

import fcntl
import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sitegen.output.atomic_writes import AtomicWriter
from sitegen.output.publishing.targets import (
    BeforeChange,
    PublishedFile,
    PublishError,
    ReadFile,
    StateFile,
    TargetBusy,
    content_fingerprint,
)

LOCK, DRAFTS = ".masthead.publishing.lock", ".masthead.drafts"


class FolderTarget:
    """A folder that a web server serves, possibly with files of others."""

    is_locked = True

    def __init__(self, path: str) -> None:
        self.name = path
        self._path = Path(path)
        self._folder = AtomicWriter(path, DRAFTS)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        with self._publish_errors():
            self._path.mkdir(parents=True, exist_ok=True)
            lock = (self._path / LOCK).open("w")
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise TargetBusy(
                    f"Another process is publishing to {self.name}."
                ) from None
            self._folder.reset()
            yield

    def read_state(self, name: str) -> StateFile | None:
        with self._publish_errors():
            try:
                return StateFile((self._path / name).read_bytes(), etag="")
            except FileNotFoundError:
                return None

    def write_state(
        self,
        name: str,
        content: bytes,
        previous: StateFile | None,  # noqa: ARG002
    ) -> StateFile:
        with self._publish_errors():
            self._folder.write(name, content)
            self._folder.put_in_place()
        return StateFile(content, etag="")

    def upload(
        self, files: Iterable[PublishedFile], read: ReadFile
    ) -> Iterator[PublishedFile]:
        with self._publish_errors():
            for file in files:
                self._folder.write(file.path, read(file))
                yield file
            self._folder.put_in_place()

    def remove(
        self, paths: Iterable[str], before_change: BeforeChange
    ) -> Iterator[str]:
        with self._publish_errors():
            for path in paths:
                before_change()
                self._folder.remove(path)
                yield path

    def check(
        self, fingerprints: Mapping[str, Collection[str]]
    ) -> Iterator[tuple[str, bool]]:
        """Compare only the content: the headers are up to the web server."""
        with self._publish_errors():
            for path, accepted in fingerprints.items():
                contents = {fingerprint.partition("-")[0] for fingerprint in accepted}
                yield path, self._content_fingerprint(path) in contents

    def _content_fingerprint(self, path: str) -> str:
        try:
            digest = hashlib.sha256((self._path / path).read_bytes()).hexdigest()
        except (FileNotFoundError, NotADirectoryError):
            return ""
        return content_fingerprint(digest)

    @contextmanager
    def _publish_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise PublishError(
                f"The folder {self.name} cannot be published to: {error.strerror}."
            ) from error
