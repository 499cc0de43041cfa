"""Read the `toctree` directives of MyST and Sphinx, by which pages list others."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import dirname, join

from sitegen.sources.navigation.entries import (
    MAX_DEPTH,
    Entry,
    FileIndex,
    Groups,
    plain_label,
)
from sitegen.sources.notations.directives import find_directives, split_options

RST = ".rst"
# Of a tree, since each is compared with all pages.
MAX_PATTERNS = 100
_RST_TOCTREE = re.compile(r"( *)\.\. toctree:: *")
_RST_TITLE = re.compile(r"^(\w.*)\n([=~*#^\"'+-])\2{2,}+ *$", re.M)
# What Sphinx makes itself, and the page that has the list.
_NO_PAGES = {"self", "genindex", "modindex", "py-modindex", "search"}


@dataclass(frozen=True)
class Toctree:
    options: Mapping[str, str]
    # Names of pages and patterns of them, each with its label or "".
    targets: Sequence[tuple[str, str]]

    @property
    def is_reversed(self) -> bool:
        return "reversed" in self.options


class ToctreeReader:
    """Reads the pages below the first page of a tree, in groups by their titles."""

    def __init__(
        self, index: FileIndex, root: str, read: Callable[[str], str | None]
    ) -> None:
        """
        Names that begin with a slash lead from the folder `root`.

        `read` returns the text of a file of the tree, None if there is none.
        """
        self._index, self._root, self._read = index, root, read
        self._seen: set[str] = set()
        self._patterns = 0

    def entries(self, path: str) -> Iterator[Entry]:
        """Yield the pages that the first page lists, after this; none without lists."""
        text = self._read(path) or ""
        if toctrees := list(_toctrees(path, text)):
            self._seen.add(path)
            if not path.endswith(RST):
                yield Entry(path, "", ())
            yield from self._below(path, toctrees, ())

    def _below(
        self, path: str, toctrees: list[Toctree], groups: Groups
    ) -> Iterator[Entry]:
        for toctree in toctrees:
            caption = plain_label(toctree.options.get("caption"))
            inner = (*groups, caption) if caption else groups
            targets = toctree.targets[:: -1 if toctree.is_reversed else 1]
            for target, label in targets:
                for found in self._find(target, dirname(path), toctree):
                    yield from self._page(found, label, inner)

    def _page(self, path: str, label: str, groups: Groups) -> Iterator[Entry]:
        if path in self._seen:
            return
        self._seen.add(path)
        text = self._read(path) or ""
        toctrees = list(_toctrees(path, text)) if len(groups) < MAX_DEPTH else []
        is_page = not path.endswith(RST)
        if toctrees:
            # It is the first page of its group.
            title = self._index.title_of(path) if is_page else _rst_title(text)
            groups = (*groups, label or title)
        if is_page:
            yield Entry(path, label, groups)
        yield from self._below(path, toctrees, groups)

    def _find(self, target: str, folder: str, toctree: Toctree) -> list[str]:
        if target.startswith("/"):
            target, folder = target.lstrip("/"), self._root
        if "glob" in toctree.options and set("*?[") & set(target):
            self._patterns += 1
            if self._patterns > MAX_PATTERNS:
                return []
            found = self._index.matching(target, folder)
        elif path := self._index.find_page(target, folder, is_id=True):
            found = [path]
        else:
            path = join(folder, target.removesuffix(RST) + RST)
            found = [path] if self._read(path) is not None else []
        return found[::-1] if toctree.is_reversed else found


def _toctrees(path: str, text: str) -> Iterator[Toctree]:
    if "toctree" not in text:
        return
    lines = text.split("\n")
    if path.endswith(RST):
        yield from _rst_toctrees(lines)
        return
    for directive in find_directives(lines, {"toctree", "eval-rst"}):
        if directive.name == "toctree":
            yield Toctree(directive.options, _targets(directive.body))
        else:
            yield from _rst_toctrees(directive.body)


def _rst_toctrees(lines: Sequence[str]) -> Iterator[Toctree]:
    """Yield the lists of a text in reStructuredText, which end with the indentation."""
    for index, line in enumerate(lines):
        if not (opening := _RST_TOCTREE.fullmatch(line)):
            continue
        margin = opening[1] + " "
        body: list[str] = []
        for inner in lines[index + 1 :]:
            if inner.strip() and not inner.startswith(margin):
                break
            body.append(inner.strip())
        options, targets = split_options(body, 0)
        yield Toctree(options, _targets(targets))


def _targets(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pages that lines name: `name`, or `Label <name>`."""
    targets = []
    for line in map(str.strip, lines):
        label, bracket, name = line.removesuffix(">").rpartition("<")
        if not (bracket and line.endswith(">")):
            label, name = "", line
        if name and name not in _NO_PAGES and "://" not in name:
            targets.append((name.strip(), plain_label(label)))
    return targets


def _rst_title(text: str) -> str:
    title = _RST_TITLE.search(text)
    return plain_label(title[1]) if title else ""
