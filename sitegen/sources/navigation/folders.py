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
        # Hugo orders pages and folders of equal weight by title. Others order them by
        # name, with the folders after the pages.
        indexes = [file.path.parent for file in files if file.path.stem == "_index"]
        self._is_by_title, self._hugo_sections = bool(indexes), set(indexes)
        for file in files:
            parent = self._home(file.path.parent)
            self._files.setdefault(parent, []).append(file)
            if self._is_index(file):
                self._indexes.setdefault(parent, file)
            while parent.name:
                above = self._home(parent.parent)
                self._folders.setdefault(above, set()).add(parent)
                parent = above
        self._position_of_folder = cache(self._find_position_of_folder)

    def _home(self, folder: Path) -> Path:
        """
        Return the folder whose pages those in a folder are.

        With Hugo, only a folder with an index or at the top is a section.
        """
        while (
            self._is_by_title
            and len(folder.parts) > 1
            and folder not in self._hugo_sections
        ):
            folder = folder.parent
        return folder

    def _is_index(self, file: SourceFile) -> bool:
        """Return whether the page is the first of its folder; a bundle's is not."""
        folder = file.path.parent
        return file.is_index and self._home(folder) == folder

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
            is_last = not self._is_by_title
            return self._position_of_folder(item), is_last, tie.lower(), item.name
        if self._is_index(item):
            return -inf, False, "", item.name
        names = ("linkTitle", "title") if self._is_by_title else ()
        title = text_of(item.front_matter, *names)
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
