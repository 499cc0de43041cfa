"""Record which files each generation of the site changed, for purging caches."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from models.response_headers import HOST_FILES, cache_class
from models.site_addresses import MOVED, url_path
from sitegen.output.folder import OutputFolder
from sitegen.output.manifest import BUILDS, LIVE, MANIFEST, ManifestEntry

MAX_GENERATIONS = 50

Paths = frozenset[str]


@dataclass(frozen=True)
class FileChanges:
    """The paths that were added, changed and removed, and the addresses to purge."""

    added: Paths = frozenset()
    changed: Paths = frozenset()
    removed: Paths = frozenset()
    purge: Paths = frozenset()

    def then(self, later: "FileChanges") -> "FileChanges":
        """Combine two changes; a file that was added and removed is only purged."""
        added = (self.added - later.removed) | (later.added - self.removed)
        removed = (self.removed - later.added) | (later.removed - self.added)
        touched = self.changed | later.changed | (self.removed & later.added)
        purge = self.purge | later.purge
        return FileChanges(added, touched - added - removed, removed, purge)


def file_changes(
    touched: Iterable[str],
    before: Collection[str],
    after: Collection[str],
    site_url: str,
) -> FileChanges:
    """Sort the touched paths by whether they existed before and exist now."""
    # Files that are immutable or never cached need no purge.
    paths = {path for path in touched if cache_class(path) in ("page", "volatile")}
    return FileChanges(
        added=frozenset(path for path in paths if path not in before),
        changed=frozenset(path for path in paths if path in before and path in after),
        removed=frozenset(path for path in paths if path not in after),
        purge=frozenset(
            site_url + url_path(path)
            for path in (paths | {MANIFEST} if paths else paths)
            if path not in HOST_FILES and not path.startswith(MOVED)
        ),
    )


def differing_paths(
    before: Mapping[str, ManifestEntry], after: Mapping[str, ManifestEntry]
) -> set[str]:
    """Return the paths whose content differs, or that only one of the two has."""
    common = before.keys() & after.keys()
    changed = {path for path in common if before[path].sha256 != after[path].sha256}
    return changed | (before.keys() ^ after.keys())


def record_generation(
    folder: OutputFolder, generation: int, changes: FileChanges
) -> None:
    """
    Record what the generation changed, and remove the oldest records.

    The record of the newest generation grows when time alone changes pages, or when a
    build completes one that died. Clients that read it again miss nothing.
    """
    # Higher numbers come from a database that is no longer in use.
    numbers = [number for number in _recorded(folder) if number <= generation]
    is_recorded = generation in numbers
    if is_recorded and not changes.purge:
        return
    folder.mark_unfinished()
    earlier_changes = _read(folder, generation) if is_recorded else FileChanges()
    earlier = [number for number in numbers if number < generation]
    previous = max(earlier, default=None)
    record = _serialize(generation, previous, earlier_changes.then(changes))
    folder.write(record_path(generation), record)
    retained = [*earlier, generation][-MAX_GENERATIONS:]
    for number in _recorded(folder):
        if number not in retained:
            folder.remove(record_path(number))


def live_generation(folder: OutputFolder) -> int:
    """Return the generation that the site says is live, 0 if it says nothing."""
    try:
        return int(json.loads((folder.path / LIVE).read_bytes())["generation"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def record_path(generation: int) -> str:
    return f"{BUILDS}/{generation}.json"


def _serialize(generation: int, previous: int | None, changes: FileChanges) -> bytes:
    record = {
        "generation": generation,
        "previous": previous,
        "added": sorted(changes.added),
        "changed": sorted(changes.changed),
        "removed": sorted(changes.removed),
        "purge": sorted(changes.purge),
    }
    # Piece by piece: the first record of a large site is long.
    content = bytearray()
    for piece in json.JSONEncoder(ensure_ascii=False, indent=1).iterencode(record):
        content += piece.encode()
    return bytes(content + b"\n")


def _read(folder: OutputFolder, generation: int) -> FileChanges:
    """Return the recorded changes, none if the record is damaged."""
    try:
        record = json.loads((folder.path / record_path(generation)).read_bytes())
        names = ("added", "changed", "removed", "purge")
        return FileChanges(*(frozenset(record[name]) for name in names))
    except (OSError, ValueError, KeyError, TypeError):
        return FileChanges()


def _recorded(folder: OutputFolder) -> list[int]:
    records = (folder.path / BUILDS).glob("[0-9]*.json")
    return sorted(int(path.stem) for path in records if path.stem.isdecimal())
