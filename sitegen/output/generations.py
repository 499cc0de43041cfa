"""What each generation of the site changed: for hosts that must forget what was."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from models.response_headers import cache_class, path_rule, url_path
from sitegen.output.folder import Folder
from sitegen.output.manifest import BUILDS, LIVE, MANIFEST, Entry

KEPT = 50

Paths = frozenset[str]


@dataclass(frozen=True)
class Change:
    """The files that came, changed and went, and all addresses that they touch."""

    added: Paths = frozenset()
    changed: Paths = frozenset()
    removed: Paths = frozenset()
    purge: Paths = frozenset()

    def then(self, later: "Change") -> "Change":
        """Return both as one: what came and went again is only to be purged."""
        added = (self.added - later.removed) | (later.added - self.removed)
        removed = (self.removed - later.added) | (later.removed - self.added)
        touched = self.changed | later.changed | (self.removed & later.added)
        purge = self.purge | later.purge
        return Change(added, touched - added - removed, removed, purge)


def change_of(
    touched: Iterable[str],
    before: Collection[str],
    after: Collection[str],
    site_url: str,
) -> Change:
    """Tell each touched file by whether it stood before, and whether it stands now."""
    # What is immutable by its name, or never kept, has nothing to be forgotten.
    paths = {each for each in touched if cache_class(each) in ("page", "volatile")}
    return Change(
        added=frozenset(each for each in paths if each not in before),
        changed=frozenset(each for each in paths if each in before and each in after),
        removed=frozenset(each for each in paths if each not in after),
        purge=frozenset(
            site_url + url_path(each)
            for each in (paths | {MANIFEST} if paths else paths)
            if path_rule(each)
        ),
    )


def differing(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> set[str]:
    """Return the paths under which not the same stands, or only in one of them."""
    common = before.keys() & after.keys()
    changed = {each for each in common if before[each].sha256 != after[each].sha256}
    return changed | (before.keys() ^ after.keys())


def note(folder: Folder, generation: int, change: Change) -> None:
    """
    Write down what the generation changed, and forget the oldest.

    It goes on to change when time alone changes pages, or a build makes up for one
    that died: then the file tells of all. So whoever reads it again misses nothing.
    """
    # What is above has happened in a database that is no longer ours.
    numbers = [each for each in _numbers(folder) if each <= generation]
    known = generation in numbers
    if known and not change.purge:
        return
    folder.begin()
    before = _read(folder, generation) if known else Change()
    earlier = [each for each in numbers if each < generation]
    told = _told(generation, max(earlier, default=None), before.then(change))
    folder.write(path_of(generation), told)
    kept = [*earlier, generation][-KEPT:]
    for each in _numbers(folder):
        if each not in kept:
            folder.remove(path_of(each))


def live_generation(folder: Folder) -> int:
    """Return the generation that the site says is live, 0 where it says nothing."""
    try:
        return int(json.loads((folder.path / LIVE).read_bytes())["generation"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def _told(generation: int, previous: int | None, change: Change) -> bytes:
    told = {
        "generation": generation,
        "previous": previous,
        "added": sorted(change.added),
        "changed": sorted(change.changed),
        "removed": sorted(change.removed),
        "purge": sorted(change.purge),
    }
    return (json.dumps(told, ensure_ascii=False, indent=1) + "\n").encode()


def _read(folder: Folder, generation: int) -> Change:
    """Return what was noted; a damaged note is one that nobody could read."""
    try:
        told = json.loads((folder.path / path_of(generation)).read_bytes())
        names = ("added", "changed", "removed", "purge")
        return Change(*(frozenset(told[name]) for name in names))
    except (OSError, ValueError, KeyError, TypeError):
        return Change()


def _numbers(folder: Folder) -> list[int]:
    found = (folder.path / BUILDS).glob("[0-9]*.json")
    return sorted(int(each.stem) for each in found if each.stem.isdecimal())


def path_of(generation: int) -> str:
    return f"{BUILDS}/{generation}.json"
