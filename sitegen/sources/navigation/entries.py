"""What a navigation consists of, and how its references find the files of a tree."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import PurePosixPath
from posixpath import join, normpath
from typing import Any
from urllib.parse import unquote

from models.normalization import normalize
from sitegen.sources.source_file import INDEXES

# Deeper groups are those of the last level.
MAX_DEPTH = 20
_MARKUP = re.compile(r"[`*]|(?<!\w)_|_(?!\w)")
_SUFFIX = re.compile(r"(?i)(?:\.mdx?|\.markdown|\.html?)$")
_MARKDOWN = re.compile(r"(?i)\.(?:mdx?|markdown)$")


# The labels of the groups around a page, the outermost first.
Groups = tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """A page in the navigation: its file, its label, and the groups it is in."""

    path: str
    label: str
    groups: Groups


@dataclass
class Navigation:
    """The pages that files of the generator name, in reading order."""

    entries: list[Entry] = field(default_factory=list)
    # By folder: labels and positions that files of the generator give.
    labels: dict[str, str] = field(default_factory=dict)
    positions: dict[str, float] = field(default_factory=dict)
    # Files that are the navigation themselves, and not pages.
    own_files: set[str] = field(default_factory=set)
    # The files that could not be read, each with the reason.
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    # The file that was used, and the pages that it names and that do not exist.
    file: str = ""
    missing: list[str] = field(default_factory=list)


class FileIndex:
    """Finds the file of a tree that a navigation names, with or without suffix."""

    def __init__(self, paths: Iterable[str], title_of: Callable[[str], str]) -> None:
        self.title_of = title_of
        # The pages that a navigation named and that were not found.
        self.missing: list[str] = []
        self._exact = {normalize("NFC", path): path for path in paths}
        self._by_stem: dict[str, str] = {}
        for name, path in sorted(self._exact.items()):
            for stem in (_stem(name), _stem(name).lower()):
                self._by_stem.setdefault(stem, path)

    def add_id(self, id: str, path: str) -> None:
        self._by_stem[normalize("NFC", id)] = path

    def find(self, reference: str, folder: str = "") -> str | None:
        """Return the path of the file that a reference from the folder leads to."""
        path = _path(reference, folder)
        if path in self._exact:
            return self._exact[path]
        stem = _stem(path)
        if stem == ".":
            stem = next((name for name in INDEXES if name in self._by_stem), "")
        return self._by_stem.get(stem) or self._by_stem.get(stem.lower())

    def matching(self, pattern: str, folder: str = "") -> list[str]:
        """Return the pages in alphabetical order whose names match a pattern."""
        pattern = normpath(join(folder, _SUFFIX.sub("", pattern)))
        return [path for name, path in self._names if _matches(name, pattern)]

    @cached_property
    def _names(self) -> list[tuple[str, str]]:
        """The paths without their endings, in order, each with the path."""
        return sorted(
            (_SUFFIX.sub("", name), path) for name, path in self._exact.items()
        )

    def find_page(
        self, reference: str, folder: str = "", *, is_id: bool = False
    ) -> str | None:
        """
        Return the file that a navigation names; note the name if there is none.

        A reference can also be an address of anything, unless it is an `id`, or ends
        as the names of pages do.
        """
        found = self.find(reference, folder)
        path = _path(reference, folder)
        if not found and "://" not in reference and (is_id or _MARKDOWN.search(path)):
            self.missing.append(path)
        return found


def _path(reference: str, folder: str) -> str:
    reference = normalize("NFC", unquote(re.split(r"[?#]", reference)[0]))
    if reference.startswith("/"):
        folder = ""
    return normpath(f"{folder}/{reference.lstrip('/')}".lstrip("/"))


def _stem(path: str) -> str:
    path = _SUFFIX.sub("", path)
    name = PurePosixPath(path).name
    is_index = name.lower() in INDEXES and "/" in path
    return path.rpartition("/")[0] if is_index else path


def _matches(name: str, pattern: str) -> bool:
    """Return whether a path matches; of the wildcards, only ** stands for slashes."""
    if "**" in pattern:
        return fnmatchcase(name, pattern)
    names, patterns = name.split("/"), pattern.split("/")
    return len(names) == len(patterns) and all(map(fnmatchcase, names, patterns))


def plain_label(label: Any) -> str:
    """Return a label without markup, on one line."""
    return " ".join(_MARKUP.sub("", str(label)).split()) if label else ""
