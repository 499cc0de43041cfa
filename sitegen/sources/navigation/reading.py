"""Find and read the files in which generators keep the navigation of a tree."""

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from posixpath import dirname, join, normpath
from typing import Any

from models.front_matter import YAML_ERRORS, UnreadableFile, text_of
from sitegen.sources.navigation.entries import Entry, FileIndex, Navigation
from sitegen.sources.navigation.javascript_data import literal_after, text_in
from sitegen.sources.navigation.menus import (
    SUMMARY,
    read_menu,
    read_mkdocs,
    read_summary,
)
from sitegen.sources.navigation.sidebars import (
    ListFolder,
    read_mintlify,
    read_sidebars,
    read_starlight,
    read_vitepress,
)
from sitegen.sources.navigation.toctrees import RST, ToctreeReader
from sitegen.sources.source_file import (
    MKDOCS_FILES,
    OTHER_FORMATS,
    SUFFIXES,
    existing_file,
    load_config,
    read_text,
)

CATEGORY_FILES = ("_category_.json", "_category_.yml", "_category_.yaml")
SIDEBAR_FILES = ("sidebars.js", "sidebars.cjs", "sidebars.ts", "sidebars.json")
ASTRO_FILES = ("astro.config.mjs", "astro.config.js", "astro.config.ts")
GITBOOK_FILES = (".gitbook.yaml", ".gitbook.yml")
MINTLIFY_FILES = ("docs.json", "mint.json")
VITEPRESS_FILES = tuple(
    f".{name}/config{file}.{end}"
    for name in ("vitepress", "vuepress")
    for file in ("", "/index")
    for end in ("js", "ts", "mts", "mjs")
)
# The part of the configuration for a folder, which may have the sidebar.
VITEPRESS_LOCALE_FILES = tuple(f"config.{end}" for end in ("js", "ts", "mts", "mjs"))
OBSIDIAN_FILES = ("site-options.json",)
TOC_FILES = ("toc.yml", "TOC.yml", "toc.yaml")
MENU_FILES = ("_data/navigation.yml", "_data/navigation.yaml", "_data/nav.yml")
# Where Sphinx has its configuration. Without one, the tree may still be its pages.
SPHINX_FOLDERS = ("", "docs", "doc", "source", "docs/source", "doc/source")
UNREADABLE = "The file cannot be read, so its order and labels are ignored."

_SIDEBARS_START = r"module\.exports\s*=|export\s+default|\bsidebars\b[^=\n]*="
# Neither "auto" nor false is a sidebar.
_VITEPRESS_SIDEBAR = (
    r"\bsidebar(?:\s*:\s*[\w.\[\]<>]+)?\s*=(?!>)"
    r"""|\bsidebar\s*:(?!\s*(?:['"`]|true\b|false\b))"""
)
_ROOT_DOCUMENT = re.compile(
    r"^(?:root_doc|master_doc)[ \t]*=[ \t]*[\"']([^\"'\n]{1,200})[\"']", re.M
)
_VITEPRESS_NAV = r"\bnav(?:bar)?\s*:"
_STARLIGHT_START = r"\bsidebar\s*:"


def read_categories(folder: Path, folders: set[Path]) -> Navigation:
    """Read the labels and positions of Docusaurus's category files."""
    navigation = Navigation()
    for subfolder in sorted(folders):
        for name in CATEGORY_FILES:
            if (folder / subfolder / name).is_file():
                _read_category(folder, subfolder / name, navigation)
    return navigation


def read_entries(
    folder: Path, index: FileIndex, list_folder: ListFolder, navigation: Navigation
) -> list[Entry]:
    """Return the pages that the first navigation file names; it may name none."""
    folder = folder.resolve()
    reader = _Reader(folder, index, list_folder, navigation)
    for read in (
        reader.summary,
        reader.mkdocs,
        reader.sidebars,
        reader.starlight,
        reader.mintlify,
        reader.vitepress,
        reader.obsidian,
        reader.toc,
        reader.menu,
        reader.toctrees,
    ):
        paths: dict[str, Entry] = {}
        navigation.file = ""
        index.missing.clear()
        for entry in read():
            paths.setdefault(entry.path, entry)
        if paths:
            navigation.missing = [
                name
                for name in dict.fromkeys(index.missing)
                if not _is_page(folder, name)
            ]
            return list(paths.values())
    return []


def _is_page(folder: Path, name: str) -> bool:
    """Return whether there is a file that a navigation names, though not imported."""
    names = (name, *(name + suffix for suffix in (*SUFFIXES, *OTHER_FORMATS)))
    return any(existing_file(folder / name) for name in names)


class _Reader:
    """Reads the file of one generator after the other, where there is one."""

    def __init__(
        self,
        folder: Path,
        index: FileIndex,
        list_folder: ListFolder,
        navigation: Navigation,
    ) -> None:
        self._folder, self._index = folder, index
        self._list_folder, self._navigation = list_folder, navigation

    def summary(self) -> Iterator[Entry]:
        content, name = self._folder, SUMMARY
        for root in (self._folder, self._folder.parent):
            config = self._load([root], GITBOOK_FILES, load_config)
            if not isinstance(config, dict):
                continue
            pages = folder_at(root, text_of(config, "root"))
            if pages and pages.is_relative_to(self._folder):
                content, name = pages, text_of(config, "structure.summary") or SUMMARY
                break
        path = normpath(join(_relative(content, self._folder), name.lstrip("/")))
        self._navigation.file = ""
        if not existing_file(self._folder / path):
            return
        if text := self._load([self._folder], [path], str):
            self._navigation.own_files.add(path)
            yield from read_summary(text, self._index, dirname(path))

    def mkdocs(self) -> Iterator[Entry]:
        for root in (self._folder, self._folder.parent):
            config = self._load([root], MKDOCS_FILES, load_config)
            if not isinstance(config, dict):
                continue
            docs = folder_at(root, text_of(config, "docs_dir") or "docs")
            # The folder may be docs_dir, or contain it.
            if docs and (
                self._folder.is_relative_to(docs) or docs.is_relative_to(self._folder)
            ):
                prefix = _relative(docs, self._folder)
                yield from read_mkdocs(config.get("nav"), self._index, prefix)

    def sidebars(self) -> Iterator[Entry]:
        roots = [self._folder, self._folder.parent, self._folder.parent / "website"]
        sidebars = self._load(roots, SIDEBAR_FILES, _parse_sidebars)
        yield from read_sidebars(sidebars, self._index, self._list_folder)

    def starlight(self) -> Iterator[Entry]:
        if self._folder.parts[-3:] != ("src", "content", "docs"):
            return
        # Without a sidebar, its pages are in the order of their folders.
        parse = partial(literal_after, opening=_STARLIGHT_START, is_required=False)
        sidebar = self._load([self._folder.parents[2]], ASTRO_FILES, parse)
        yield from read_starlight(sidebar, self._index, self._list_folder)

    def mintlify(self) -> Iterator[Entry]:
        config = self._load([self._folder], MINTLIFY_FILES, json.loads)
        if isinstance(config, dict):
            yield from read_mintlify(config.get("navigation"), self._index)

    def vitepress(self) -> Iterator[Entry]:
        for root in (self._folder, self._folder.parent):
            config = self._load([root], VITEPRESS_FILES, _parse_vitepress)
            if config is None:
                continue
            menu, source = config
            for place in (self._folder, root) if menu is None else ():
                locale = self._load([place], VITEPRESS_LOCALE_FILES, _parse_vitepress)
                menu = menu or (locale and locale[0])
            content = folder_at(root, source)
            if content and self._folder.is_relative_to(content):
                content = self._folder
            if content and content.is_relative_to(self._folder):
                prefix = _relative(content, self._folder)
                yield from read_vitepress(menu, self._index, prefix)

    def obsidian(self) -> Iterator[Entry]:
        """Yield the pages as Obsidian Publish orders files and folders."""
        options = self._load([self._folder], OBSIDIAN_FILES, json.loads)
        names = options.get("navigationOrdering") if isinstance(options, dict) else ()
        ranks = {
            name: rank
            for rank, name in enumerate(names if isinstance(names, list) else ())
            if isinstance(name, str)
        }
        if not ranks:
            return
        entries, first = self._list_folder(""), dict[str, int]()

        def key(entry: Entry) -> list[tuple[int, int]]:
            path = PurePosixPath(entry.path)
            above = [parent.as_posix() for parent in [*path.parents][-2::-1]]
            # What is not listed follows, and stays together.
            return [
                (ranks.get(name, len(ranks)), first.setdefault(name, len(first)))
                for name in (*above, entry.path)
            ]

        yield from sorted(entries, key=key)

    def toc(self) -> Iterator[Entry]:
        menu = self._load([self._folder], TOC_FILES, load_config)
        opened = {self._folder}

        def load(target: str, folder: str) -> tuple[Any, str] | None:
            path = existing_file(self._folder / folder / target)
            if path is None or path.name not in TOC_FILES or path.parent in opened:
                return None
            if not path.is_relative_to(self._folder):
                return None
            opened.add(path.parent)
            menu = self._load([path.parent], [path.name], load_config)
            return menu, _relative(path.parent, self._folder)

        yield from read_menu(menu, self._index, "", load)

    def menu(self) -> Iterator[Entry]:
        roots = [self._folder, self._folder.parent]
        yield from read_menu(self._load(roots, MENU_FILES, load_config), self._index)

    def toctrees(self) -> Iterator[Entry]:
        for root in SPHINX_FOLDERS:
            config = self._text(join(root, "conf.py"))
            if config is None and root:
                continue
            name = _ROOT_DOCUMENT.search(config or "")
            document = join(root, name[1] if name else "index")
            # The configuration does not name pages.
            self._navigation.file = ""
            reader = ToctreeReader(self._index, root, self._text)
            yield from reader.entries(self._index.find(document) or document + RST)

    def _text(self, path: str) -> str | None:
        path = normpath(path)
        return (
            None if path.startswith("..") else self._load([self._folder], [path], str)
        )

    def _load(
        self, roots: list[Path], names: Any, parse: Callable[[str], Any]
    ) -> Any | None:
        """Return the content of the first file that exists, or None."""
        for root in roots:
            for name in names:
                if (root / name).is_file():
                    # A menu may load others.
                    self._navigation.file = self._navigation.file or name
                    return _load(root, name, parse, self._navigation)
        return None


def folder_at(root: Path, text: str) -> Path | None:
    """Return the folder that a path of an author leads to, None if it cannot exist."""
    try:
        return (root / text.lstrip("/")).resolve()
    except (OSError, RuntimeError, ValueError):
        return None


def _relative(path: Path, folder: Path) -> str:
    relative = path.relative_to(folder) if path.is_relative_to(folder) else Path()
    return "" if relative == Path() else relative.as_posix()


def _parse_sidebars(text: str) -> Any:
    stripped = text.lstrip()
    if stripped.startswith("{"):
        return json.loads(stripped)
    return literal_after(text, _SIDEBARS_START)


def _parse_vitepress(text: str) -> tuple[Any, str]:
    """Return the menu of a configuration, and its folder of pages."""
    menu = literal_after(text, _VITEPRESS_SIDEBAR, is_required=False)
    if menu is None:
        menu = literal_after(text, _VITEPRESS_NAV, is_required=False)
    return menu, text_in(text, "srcDir")


def _read_category(folder: Path, path: Path, navigation: Navigation) -> None:
    parse = json.loads if path.suffix == ".json" else load_config
    category = _load(folder, path.as_posix(), parse, navigation)
    if not isinstance(category, dict):
        return
    name = path.parent.as_posix()
    if label := text_of(category, "label"):
        navigation.labels[name] = label
    position = category.get("position")
    if isinstance(position, int | float):
        navigation.positions[name] = float(position)


def _load(
    root: Path, name: str, parse: Callable[[str], Any], navigation: Navigation
) -> Any | None:
    try:
        return parse(read_text(root, Path(name)))
    except UnreadableFile as error:
        navigation.unreadable.append((name, str(error)))
    except YAML_ERRORS:
        navigation.unreadable.append((name, UNREADABLE))
    return None
