"""Define what a publish target can do: it is a folder or a bucket."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Protocol

from models.response_headers import CACHE_CONTROL
from models.settings import Settings
from sitegen.output.manifest import ManifestEntry


class PublishError(Exception):
    """The site cannot be published; the message says why and, if possible, the fix."""


class TargetBusy(PublishError):
    """Another publisher uses the target or the output folder."""


@dataclass(frozen=True)
class PublishedFile:
    """A file of the site as it has to be at the target."""

    path: str
    entry: ManifestEntry

    @property
    def type(self) -> str:
        return self.entry.type

    @property
    def cache_control(self) -> str:
        return CACHE_CONTROL.get(self.entry.cache, CACHE_CONTROL["page"])

    @cached_property
    def fingerprint(self) -> str:
        """Return a digest of the content and, after a dash, one of the headers."""
        headers = f"{self.type}\n{self.cache_control}".encode()
        headers_digest = sha256(headers).hexdigest()[:8]
        return f"{content_fingerprint(self.entry.sha256.hex())}-{headers_digest}"


def content_fingerprint(digest: str) -> str:
    return digest[:40]


@dataclass(frozen=True)
class StateFile:
    """A file at the target in which publishers keep their state, and its ETag."""

    content: bytes
    etag: str


# Called before each change of the target; an exception ends the publication.
BeforeChange = Callable[[], None]
ReadFile = Callable[[PublishedFile], bytes]


class PublishTarget(Protocol):
    """A place for the files of a site; files of others in it are left alone."""

    name: str
    # Whether `exclusive` takes a lock, which the system releases if the process dies.
    is_locked: bool

    def exclusive(self) -> AbstractContextManager[None]:
        """Lock the target, if it supports locks; raise TargetBusy if it is locked."""

    def read_state(self, name: str) -> StateFile | None: ...

    def write_state(
        self, name: str, content: bytes, previous: StateFile | None
    ) -> StateFile:
        """Replace the `previous` state; raise TargetBusy if it has changed since."""

    def upload(
        self, files: Iterable[PublishedFile], read: ReadFile
    ) -> Iterator[PublishedFile]:
        """Upload the files in any order, and yield each when it is there."""

    def remove(
        self, paths: Iterable[str], before_change: BeforeChange
    ) -> Iterator[str]:
        """Remove the files, and yield the path of each."""

    def check(
        self, fingerprints: Mapping[str, Collection[str]]
    ) -> Iterator[tuple[str, bool]]:
        """Yield each path, and whether its file has one of the fingerprints."""


def publish_target(settings: Settings) -> PublishTarget:
    """Return the target of the settings, importing only what this kind needs."""
    if settings.publishes_to_bucket:
        from sitegen.output.publishing.bucket import BucketTarget

        return BucketTarget.from_settings(settings)
    from sitegen.output.publishing.folder import FolderTarget

    return FolderTarget(settings.publish)
