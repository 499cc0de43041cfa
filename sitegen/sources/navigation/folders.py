"""Order the pages of a tree by their folders, positions and names."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from math import inf
from pathlib import Path

from models.front_matter import text_of
from sitegen.sources.names import NumberPrefixes, to_title
from sitegen.sources.navigation.entries import Entry, Navigation
from sitegen.sources.source_file import SourceFile

# Fields of front matter that order the pages of a folder, by precedence. The first
# also place a folder without an own position among its siblings: the lowest counts.
FOLDER_POSITIONS = ("position", "order", "sidebar.order")
POSITIONS = (
    *("position", "sort_rank", "weight", "order", "nav_order"),
    *("sidebar_position", "sidebar.order"),
)
# Fields of front matter with the label of a page in navigation.
LABELS = (
    *("linkTitle", "linktitle", "menuTitle", "menutitle"),
    *("sidebar_label", "sidebar.label", "sidebarTitle"),
    *("nav_title", "short_title", "shortTitle"),
)
FOLDER_LABELS = (*LABELS, "title")


class FolderOrder:
    """The pages of a tree in the order of their folders."""

    def __init__(
        self,
        files: Sequence[SourceFile],
        prefixes: NumberPrefixes,
        navigation: Navigation,
    ) -> None:
        self._prefixes, self._navigation = prefixes, navigation
        self._files: dict[Path, list[SourceFile]] = {}
        self._folders: dict[Path, set[Path]] = {}
        self._indexes: dict[Path, SourceFile] = {}
        # Hugo orders pages of equal weight by title, others by name.
        self._is_by_title = any(file.path.stem == "_index" for file in files)
        for file in files:
            parent = file.path.parent
            self._files.setdefault(parent, []).append(file)
            if file.is_index:
                self._indexes.setdefault(parent, file)
            while parent.name:
                self._folders.setdefault(parent.parent, set()).add(parent)
                parent = parent.parent
        self._position_of_folder = cache(self._find_position_of_folder)

    def entries(self, folder: str = "") -> list[Entry]:
        """Return the pages below a folder, in groups by the folders inside it."""
        return list(self._below(Path(folder), ()))

    def label(self, folder: Path) -> str:
        """Return the label that the generator gives to a folder, or its name."""
        return (
            self._navigation.labels.get(folder.as_posix())
            or self._label_of_index(folder)
            or to_title(self._prefixes.without(folder))
        )

    def groups(self, folder: Path) -> tuple[str, ...]:
        folders = [path for path in (folder, *folder.parents) if path.name]
        return tuple(filter(None, map(self.label, reversed(folders))))

    def _below(self, folder: Path, groups: tuple[str, ...]) -> Iterator[Entry]:
        items: Iterable[SourceFile | Path] = sorted(
            [*self._files.get(folder, ()), *self._folders.get(folder, ())],
            key=self._sort_key,
        )
        for item in items:
            if isinstance(item, SourceFile):
                yield Entry(item.name, "", groups)
            else:
                label = self.label(item)
                yield from self._below(item, (*groups, label) if label else groups)

    def _sort_key(self, item: SourceFile | Path) -> tuple[float, bool, str, str]:
        if isinstance(item, Path):
            tie = self.label(item) if self._is_by_title else item.name
            return self._position_of_folder(item), True, tie.lower(), item.name
        if item.is_index:
            return -inf, False, "", item.name
        title = text_of(item.front_matter, "title") if self._is_by_title else ""
        position = explicit_position(item, POSITIONS)
        if position is None:
            position = self._prefixes.position(item.path)
        tie = title or item.path.stem
        return inf if position is None else position, False, tie.lower(), item.name

    def _find_position_of_folder(self, folder: Path) -> float:
        position = self._navigation.positions.get(folder.as_posix())
        if position is None and (index := self._indexes.get(folder)):
            position = explicit_position(index, POSITIONS)
        if position is None:
            position = self._prefixes.position(folder)
        if position is not None:
            return position
        positions = (
            explicit_position(file, FOLDER_POSITIONS)
            for file in self._files.get(folder, ())
        )
        below = map(self._position_of_folder, self._folders.get(folder, ()))
        known = [position for position in positions if position is not None]
        return min([*known, *below], default=inf)

    def _label_of_index(self, folder: Path) -> str:
        """Return the title of an index that is no page but describes its folder."""
        index = self._indexes.get(folder)
        if index is None or not (index.path.stem == "_index" or not index.body.strip()):
            return ""
        return text_of(index.front_matter, *FOLDER_LABELS)


def explicit_position(file: SourceFile, names: Sequence[str]) -> int | None:
    """Return the position in the front matter, None if there is no number."""
    text = text_of(file.front_matter, *names)
    number = re.match(r"-?\d{1,9}", text, re.ASCII)
    return int(number[0]) if number else None
