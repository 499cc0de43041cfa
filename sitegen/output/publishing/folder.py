"""A folder as a target: written beside and moved over, as the output is."""

import fcntl
import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sitegen.output.atomic_writes import DRAFT
from sitegen.output.folder import OutputFolder
from sitegen.output.publishing.targets import (
    Busy,
    File,
    PublishError,
    Read,
    Ready,
    Said,
    content_mark,
)

LOCK = ".masthead.publishing.lock"


class Tree:
    """A folder that a web server shows, maybe with files of others."""

    is_locked = True

    def __init__(self, path: str) -> None:
        self.name = path
        self._path = Path(path)
        self._folder = OutputFolder(path)

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._telling():
            self._path.mkdir(parents=True, exist_ok=True)
            lock = (self._path / LOCK).open("w")
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Busy(f"Another publishes to {self.name}.") from None
            self._folder.reset()
            yield

    def said(self, name: str) -> Said | None:
        with self._telling():
            try:
                return Said((self._path / name).read_bytes(), "")
            except FileNotFoundError:
                return None

    def say(self, name: str, content: bytes, before: Said | None) -> Said:  # noqa: ARG002
        with self._telling():
            self._folder.write(name, content)
            self._folder.flush()
        return Said(content, "")

    def put(self, files: Iterable[File], read: Read) -> Iterator[File]:
        with self._telling():
            for each in files:
                self._folder.write(each.path, read(each))
                yield each
            self._folder.flush()

    def remove(self, paths: Iterable[str], ready: Ready) -> Iterator[str]:
        with self._telling():
            for each in paths:
                ready()
                self._folder.remove(each)
                yield each

    def standing(
        self, marks: Mapping[str, Collection[str]]
    ) -> Iterator[tuple[str, bool]]:
        """Go by the content: which headers a file has is its server's concern."""
        with self._telling():
            for path, known in marks.items():
                contents = {each.partition("-")[0] for each in known}
                yield path, self._mark(path) in contents

    def _mark(self, path: str) -> str:
        """Return the mark of what stands there, and clear what a death left beside."""
        place = self._path / path
        try:
            place.with_name(f".{place.name}{DRAFT}").unlink(missing_ok=True)
            return content_mark(hashlib.sha256(place.read_bytes()).hexdigest())
        except (FileNotFoundError, NotADirectoryError):
            return ""

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise PublishError(
                f"The folder {self.name} cannot be published to: {error.strerror}."
            ) from error
