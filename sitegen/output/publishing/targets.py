"""Where a site is published to: what every target can do, and how it fails."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Protocol

from models.response_headers import CACHE_CONTROL
from models.settings import Settings
from sitegen.output.manifest import Entry


class PublishError(Exception):
    """The site cannot be published; the text says why, and where it can, what to do."""


class Busy(PublishError):
    """Another publishes to the same target."""


@dataclass(frozen=True)
class File:
    """A file as it is to stand at the target."""

    path: str
    entry: Entry

    @property
    def type(self) -> str:
        return self.entry.type

    @property
    def cache_rule(self) -> str:
        return CACHE_CONTROL.get(self.entry.cache, CACHE_CONTROL["page"])

    @cached_property
    def mark(self) -> str:
        """Tell the file apart by its content, and after a dash by its headers."""
        headers = sha256(f"{self.type}\n{self.cache_rule}".encode()).hexdigest()[:8]
        return f"{content_mark(self.entry.sha256)}-{headers}"


@dataclass(frozen=True)
class Said:
    """A note that stands at a target, and by what its state is told apart."""

    content: bytes
    version: str


def content_mark(digest: str) -> str:
    return digest[:40]


# Called before a file is touched: what it raises ends the publication.
Ready = Callable[[], None]
Read = Callable[[File], bytes]


class Target(Protocol):
    """What files are put into; what it holds of strangers is left alone."""

    name: str
    # Whether a lock keeps all others away, which dies with its holder.
    is_locked: bool

    def alone(self) -> AbstractContextManager[None]:
        """Keep others away, as far as can be without asking them; or raise Busy."""

    def said(self, name: str) -> Said | None:
        """Return a note of ours."""

    def say(self, name: str, content: bytes, before: Said | None) -> Said:
        """Put a note where `before` stands; raise Busy where something else does."""

    def put(self, files: Iterable[File], read: Read) -> Iterator[File]:
        """Put the files there in any order, and yield each."""

    def remove(self, paths: Iterable[str], ready: Ready) -> Iterator[str]:
        """Take files away, and yield each."""

    def standing(
        self, marks: Mapping[str, Collection[str]]
    ) -> Iterator[tuple[str, bool]]:
        """Tell of each path whether a file stands there that has one of its marks."""


def target_of(settings: Settings) -> Target:
    """Return the target; what the other kind needs is not even loaded."""
    if settings.publishes_to_bucket:
        from sitegen.output.publishing.bucket import Bucket

        return Bucket.of(settings)
    from sitegen.output.publishing.folder import Tree

    return Tree(settings.publish)
