"""Describe every file of the output folder, and what it was made from."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring as quote

from models.response_headers import cache_class, content_type

MANIFEST = "manifest.json"
# The live generation, and the changes of each generation. They may change while the
# pages do not, so the manifest does not list them.
LIVE = "build.json"
BUILDS = "builds"


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One file; `made` is the fingerprint of the page it was made from."""

    sha256: str
    size: int
    type: str
    cache: str
    area: str
    made: str

    @classmethod
    def of(cls, path: str, content: bytes, area: str, made: str) -> "ManifestEntry":
        return cls(
            sha256=hashlib.sha256(content).hexdigest(),
            size=len(content),
            type=content_type(path),
            cache=cache_class(path),
            area=area,
            made=made,
        )

    def to_json(self) -> str:
        # None of these values needs to be escaped.
        return (
            f'{{"sha256": "{self.sha256}", "size": {self.size}, "type": "{self.type}",'
            f' "cache": "{self.cache}", "area": "{self.area}", "made": "{self.made}"}}'
        )


@dataclass(frozen=True)
class Manifest:
    """A manifest as it was read or written, with the stamp that identifies its file."""

    stamp: tuple[int, ...]
    # What every page depends on: theme, navigation.
    version: str
    entries: Mapping[str, ManifestEntry]


def parse_manifest(stamp: tuple[int, ...], content: bytes) -> Manifest:
    """Raise ValueError, KeyError or TypeError if the content is not a manifest."""
    fields = json.loads(content)
    entries = {path: ManifestEntry(**entry) for path, entry in fields["files"].items()}
    return Manifest(stamp, str(fields["version"]), entries)


def serialize_manifest(version: str, entries: Mapping[str, ManifestEntry]) -> bytes:
    """Return the manifest as JSON with one line for each file."""
    lines = ",\n".join(
        f"{quote(path)}: {entries[path].to_json()}"
        for path in sorted(entries)
        if path != LIVE
    )
    return f'{{"version": {quote(version)}, "files": {{\n{lines}\n}}}}\n'.encode()
