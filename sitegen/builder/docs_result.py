"""Describe what a build of the documents in a process of their own resulted in."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from models.response_headers import cache_class, content_type
from sitegen.docs.outline import DocsOutline
from sitegen.output.manifest import ManifestEntry

AREA = "docs"
# What a process sends from time to time while it builds.
PROGRESS = {"isWorking": True}


@dataclass(frozen=True)
class DocsResult:
    """
    What has changed since the build before; the new files wait in a folder.

    `version` is what every page shows, and `theme` the part of it that files define.
    """

    version: str
    theme: str
    outline: DocsOutline
    # Entries that are new or differ, and paths that no generator yields any more.
    entries: Mapping[str, ManifestEntry]
    # The folder, and the paths in the order in which readers may see them.
    staging: str
    staged: list[str]
    written: list[str]
    removed: list[str] = field(default_factory=list)
    unchanged: int = 0
    failed: list[tuple[str, str, str]] = field(default_factory=list)
    is_synced: bool = False
    # Damaged files of which the build was told, and which it has made again.
    repaired: frozenset[str] = frozenset()
    # Whether the documents are as `mark` says once this is in place.
    is_last: bool = True
    mark: int = 0

    def split(self, count: int) -> "tuple[DocsResult, DocsResult | None]":
        """Return a part with so many files, and what is left, if anything."""
        if len(self.staged) <= count:
            return self, None
        return self._part(self.staged[:count]), self._rest(count)

    def parts(self, count: int) -> "Iterator[DocsResult]":
        """Yield parts with at most so many files, of which the last is complete."""
        end = 0
        while len(self.staged) - end > count:
            yield self._part(self.staged[end : end + count])
            end += count
        yield self._rest(end)

    def _part(self, paths: list[str]) -> "DocsResult":
        return replace(
            self,
            entries={path: self.entries[path] for path in paths},
            removed=[],
            staged=paths,
            written=paths,
            unchanged=0,
            failed=[],
            repaired=frozenset(),
            is_last=False,
        )

    def _rest(self, count: int) -> "DocsResult":
        """Return what is left after parts with so many files."""
        left_out = set(self.staged[:count])
        entries = self.entries.items()
        return replace(
            self,
            entries={path: entry for path, entry in entries if path not in left_out},
            staged=self.staged[count:],
            written=[path for path in self.written if path not in left_out],
        )

    def to_json(self) -> dict[str, Any]:
        entries = {
            path: [entry.sha256, entry.size, entry.made]
            for path, entry in self.entries.items()
        }
        return vars(self) | {
            "outline": self.outline.model_dump(),
            "entries": entries,
            "repaired": sorted(self.repaired),
        }

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "DocsResult":
        entries = {
            path: ManifestEntry(
                sha256, size, content_type(path), cache_class(path), AREA, made
            )
            for path, (sha256, size, made) in fields["entries"].items()
        }
        return cls(
            **fields
            | {
                "outline": DocsOutline.model_validate(fields["outline"]),
                "entries": entries,
                "failed": [tuple(failure) for failure in fields["failed"]],
                "repaired": frozenset(fields["repaired"]),
            }
        )
