"""Read nested lists of pages: MkDocs, Microsoft Learn, Jekyll, mdBook and GitBook."""

import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Any

from sitegen.markdown.headings import inline_text
from sitegen.markdown.rendering import parse_tokens
from sitegen.sources.navigation.entries import (
    MAX_DEPTH,
    Entry,
    FileIndex,
    Groups,
    plain_label,
)
from sitegen.sources.source_file import INDEXES

_LABELS = ("title", "name", "label", "text", "page")
_TARGETS = ("url", "href", "link", "path", "doc", "topicHref", "slug")
_CHILDREN = (
    "children",
    "items",
    "pages",
    "subfolderitems",
    "sublinks",
    "docs",
    "links",
)

SUMMARY = "SUMMARY.md"
_CHAPTER = re.compile(r"([ \t]*)(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?(\[.{1,2000}\)\s*)")
_LOOSE_LINK = re.compile(r"\[([^\[\]]*)\]\(([^()<>]*)\)\s*")
_PART = re.compile(r"(#{1,6}) (.*)")
_TAG = re.compile(r"<[^<>]*>")


def read_mkdocs(nav: Any, index: FileIndex, folder: str = "") -> Iterator[Entry]:
    """
    Yield the pages of MkDocs's nav: paths, and labels with paths or lists.

    A list without a label is called after its index page.
    """
    for item in nav if isinstance(nav, list) else [nav]:
        yield from _mkdocs(item, "", (), index, folder)


def _mkdocs(
    nav: Any, label: str, groups: Groups, index: FileIndex, folder: str
) -> Iterator[Entry]:
    if isinstance(nav, str):
        if path := index.find_page(nav, folder):
            yield Entry(path, label, groups)
    elif isinstance(nav, list):
        label = label or _label_of_index(nav, index, folder)
        inner = (*groups, label) if label else groups
        for item in nav:
            yield from _mkdocs(item, "", inner[:MAX_DEPTH], index, folder)
    elif isinstance(nav, dict):
        for name, item in nav.items():
            yield from _mkdocs(item, plain_label(name), groups, index, folder)


def _label_of_index(items: list[Any], index: FileIndex, folder: str) -> str:
    """Return what a list of pages calls the index among them, or its title, or ""."""
    for item in items:
        pairs = item.items() if isinstance(item, dict) else [("", item)]
        for label, target in pairs:
            path = index.find(target, folder) if isinstance(target, str) else None
            if path and PurePosixPath(path).stem.lower() in INDEXES:
                return plain_label(label) or index.title_of(path)
    return ""


def read_menu(
    menu: Any,
    index: FileIndex,
    folder: str = "",
    load: Callable[[str, str], tuple[Any, str] | None] = lambda _, __: None,
    groups: Groups = (),
) -> Iterator[Entry]:
    """
    Yield the pages of a menu: items with a label, a target, and items below them.

    An item with others below it is the first page of its group. `load` returns the
    menu, and its folder, that a target of an item in a folder leads to.
    """
    if isinstance(menu, dict) and isinstance(menu.get("items"), list):
        menu = menu["items"]
    if isinstance(menu, dict):
        # Several menus, by name.
        menu = [
            item for part in menu.values() if isinstance(part, list) for item in part
        ]
    for item in menu if isinstance(menu, list) else ():
        if isinstance(item, dict) and len(groups) < MAX_DEPTH:
            yield from _item(item, index, folder, load, groups)


def _item(
    item: dict[str, Any],
    index: FileIndex,
    folder: str,
    load: Callable[[str, str], tuple[Any, str] | None],
    groups: Groups,
) -> Iterator[Entry]:
    label = next((plain_label(item[key]) for key in _LABELS if item.get(key)), "")
    children: Any = next((item[key] for key in _CHILDREN if item.get(key)), [])
    targets = [item[key] for key in _TARGETS if isinstance(item.get(key), str)]
    inner = (*groups, label) if label and children else groups
    for target in targets:
        if path := index.find_page(target, folder):
            yield Entry(path, label, inner)
            break
        if loaded := load(target, folder):
            menu, menu_folder = loaded
            below = (*groups, label) if label else groups
            yield from read_menu(menu, index, menu_folder, load, below)
    yield from read_menu(children, index, folder, load, inner)


def read_summary(text: str, index: FileIndex, folder: str = "") -> Iterator[Entry]:
    """
    Yield the chapters of mdBook or GitBook, whose file is in the folder.

    One with others below it is the first of its group.
    """
    chapters: list[tuple[int, str, str, str]] = []
    part, has_heading = "", False
    for line in text.split("\n"):
        if heading := _PART.fullmatch(line):
            # A heading of level 1 before all others is the title of the book.
            is_title = heading[1] == "#" and not has_heading and not chapters
            part = "" if is_title else plain_label(_TAG.sub("", heading[2]))
            has_heading = True
        elif (item := _CHAPTER.fullmatch(line)) and (link := _link(item[2])):
            indent = len(item[1].expandtabs(4))
            chapters.append((indent, *link, part))
    yield from _chapter_entries(chapters, index, folder)


def _link(text: str) -> tuple[str, str] | None:
    """Return the label and the target of a text that is one link, else None."""
    inline = next((each for each in parse_tokens(text) if each.type == "inline"), None)
    children = (inline.children if inline else None) or []
    types = [child.type for child in children]
    is_link = types[:1] == ["link_open"] and types[-1:] == ["link_close"]
    if is_link and types.count("link_open") == 1:
        attributes = children[0].attrs
        # GitBook's menu has the title of the link instead of its text.
        label = attributes.get("title") or inline_text(children)
        return plain_label(label), str(attributes["href"])
    # Elsewhere than in CommonMark, a target may have spaces.
    loose = _LOOSE_LINK.fullmatch(text)
    return (plain_label(loose[1]), loose[2]) if loose else None


def _chapter_entries(
    chapters: list[tuple[int, str, str, str]], index: FileIndex, folder: str
) -> Iterator[Entry]:
    open_chapters: list[tuple[int, str]] = []
    ends = [*(indent for indent, *_ in chapters[1:]), 0]
    for (indent, label, target, part), next_indent in zip(chapters, ends, strict=False):
        while open_chapters and open_chapters[-1][0] >= indent:
            open_chapters.pop()
        groups = [part] if part else []
        groups += [name for _, name in open_chapters]
        if next_indent > indent:
            open_chapters.append((indent, label))
            groups.append(label)
        # A chapter without a target is a draft.
        if target and (path := index.find_page(target, folder)):
            yield Entry(path, label, tuple(groups))
