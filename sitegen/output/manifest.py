"""
Describe every file of the output folder, and what it was made from.

Each area has a manifest of its own, which its builder reads; readers get one file that
lists the files of all areas.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from json.encoder import encode_basestring as quote
from sys import intern
from typing import Any

from models.response_headers import cache_class, content_type

# The area of pages that depend on every other area.
SHARED = "shared"
MANIFEST = "manifest.json"
# The live generation, and the changes of each generation. They may change while the
# pages do not, so the manifest does not list them.
LIVE = "build.json"
BUILDS = "builds"
# The end of a manifest, after the lines of its files.
_END = "\n}}\n"

# Where most files of an area are; all others are of the area of documents.
_PREFIXES = {
    "status": (
        *("status/", "status.txt", "history.atom", "history.rss", "api/v2/"),
        *("search/status", "search/incidents/", "sitemaps/status"),
    ),
    SHARED: (
        *("assets/", "404.html", "_headers", "index.html", "robots.txt"),
        *("search/index.html", "sitemap.xml", "sitemaps/site"),
    ),
}


def area_of(path: str) -> str:
    """Return the area that probably wrote a file that no manifest lists."""
    for area, prefixes in _PREFIXES.items():
        if path.startswith(prefixes):
            return area
    return "docs"


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """
    One file; `made` is the fingerprint of the page it was made from.

    The digests are bytes, since a site has tens of thousands of entries.
    """

    sha256: bytes
    size: int
    type: str
    cache: str
    area: str
    made: bytes

    @classmethod
    def from_content(
        cls, path: str, content: bytes, area: str, made: bytes = b""
    ) -> "ManifestEntry":
        return cls(
            sha256=hashlib.sha256(content).digest(),
            size=len(content),
            type=content_type(path),
            cache=cache_class(path),
            area=area,
            made=made,
        )

    def to_json(self) -> str:
        # None of these values needs to be escaped.
        return (
            f'{{"sha256": "{self.sha256.hex()}", "size": {self.size},'
            f' "type": "{self.type}", "cache": "{self.cache}", "area": "{self.area}",'
            f' "made": "{self.made.hex()}"}}'
        )


@dataclass(frozen=True)
class Manifest:
    """A manifest as it was read or written, with the stamp that identifies its file."""

    stamp: tuple[int, ...]
    # What every page depends on: theme, navigation.
    version: str
    entries: Mapping[str, ManifestEntry]
    # What this process made the files of, by the name of their KeyedPages. A manifest
    # that was read from its file says nothing of it.
    made: Mapping[str, Any] = field(default_factory=dict)


def parse_manifest(stamp: tuple[int, ...], content: bytes) -> Manifest:
    """Raise ValueError, KeyError or TypeError if the content is not a manifest."""
    # Each entry is made as soon as it is parsed: all of them as dicts would take three
    # times the memory.
    fields = json.loads(content, object_hook=_entry_or_dict)
    entries = dict(fields["files"])
    if not all(isinstance(entry, ManifestEntry) for entry in entries.values()):
        raise TypeError("The manifest has a file without an entry.")
    return Manifest(stamp, str(fields["version"]), entries)


def listed_paths(content: bytes) -> set[str]:
    """Return the paths of a manifest; raise what `parse_manifest` does."""
    fields = json.loads(content, object_hook=_none_or_dict)
    return set(fields["files"])


def _none_or_dict(fields: dict[str, Any]) -> Any:
    return None if "sha256" in fields else fields


def _entry_or_dict(fields: dict[str, Any]) -> Any:
    if "sha256" not in fields:
        return fields
    # Few different texts, of which the parser makes one for each file.
    few = {name: intern(fields[name]) for name in ("type", "cache", "area")}
    digests = {name: bytes.fromhex(fields[name]) for name in ("sha256", "made")}
    return ManifestEntry(**fields | few | digests)


def serialize_manifest(version: str, entries: Mapping[str, ManifestEntry]) -> bytearray:
    """Return the manifest as JSON with one line for each file."""
    # Line by line: the lines of a large site would take much memory beside each other.
    content, separator = bytearray(_start(version)), ""
    for path in sorted(entries):
        content += f"{separator}{quote(path)}: {entries[path].to_json()}".encode()
        separator = ",\n"
    content += _END.encode()
    return content


def merge_manifests(version: str, manifests: Iterable[bytes]) -> bytes:
    """Return one manifest with the lines of all, which are not parsed for it."""
    # Views, because each copy of the lines of a large site takes megabytes. A damaged
    # manifest has no second line; its area is made again.
    views = [
        memoryview(text)[text.find(b"\n") + 1 or len(text) : -len(_END)]
        for text in manifests
    ]
    parts = [part for view in views if view for part in (b",\n", view)]
    return b"".join([_start(version), *parts[1:], _END.encode()])


def _start(version: str) -> bytes:
    return f'{{"version": {quote(version)}, "files": {{\n'.encode()
