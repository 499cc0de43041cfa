"""The manifest of the output folder: what stands there, and what it was made from."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring as quoted

from models.response_headers import cache_class, content_type

MANIFEST = "manifest.json"
# Which generation is live, and what each one changed: these may change while the
# pages do not, so the manifest does not tell of them.
LIVE = "build.json"
BUILDS = "builds"


@dataclass(frozen=True, slots=True)
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
            type=content_type(path),
            cache=cache_class(path),
            area=area,
            made=made,
        )

    @property
    def told(self) -> str:
        """Return the entry as JSON; of these values none needs to be escaped."""
        return (
            f'{{"sha256": "{self.sha256}", "size": {self.size}, "type": "{self.type}",'
            f' "cache": "{self.cache}", "area": "{self.area}", "made": "{self.made}"}}'
        )


@dataclass(frozen=True)
class Known:
    """A manifest as it was read or written, and by what its file is told apart."""

    stamp: tuple[int, ...]
    version: str
    entries: Mapping[str, Entry]


def read(stamp: tuple[int, ...], content: bytes) -> Known:
    """Read a manifest; raise ValueError, KeyError or TypeError for what is none."""
    found = json.loads(content)
    entries = {path: Entry(**entry) for path, entry in found["files"].items()}
    return Known(stamp, str(found["version"]), entries)


def told(version: str, entries: Mapping[str, Entry]) -> bytes:
    """Return the manifest: JSON with a line for each file."""
    lines = ",\n".join(
        f"{quoted(path)}: {entries[path].told}"
        for path in sorted(entries)
        if path != LIVE
    )
    return f'{{"version": {quoted(version)}, "files": {{\n{lines}\n}}}}\n'.encode()
