"""
Read a documentation tree as its own generator understands it.

An import is measured by this, so it shares no code with it.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from posixpath import basename, dirname, join, normpath, splitext
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bench.original_navigation import CODE, Order, Pages, read_pages, reading_order

PARSER = MarkdownIt("commonmark").enable("table")
TAG_TARGET = re.compile(r"<(a|img)\b[^>]*\s(?:href|src)=[\"']([^\"'{}]+)[\"']")
# Jekyll's way to name a page by its file, and its prefix of addresses.
LINK_TAG = re.compile(r"\{%-?\s*link\s+(\S+?)\s*-?%\}")
BASE_URL = re.compile(r"\{\{\s*site\.baseurl\s*\}\}")
HIGHLIGHT = re.compile(r"\{% *highlight\b.*?\{% *endhighlight *%\}", re.S)
BOX = re.compile(r"^</?div\b[^<>]*>$", re.M)
# Obsidian's way to show a picture by its name.
EMBED = re.compile(r"!\[\[([^\[\]|#\n]+\.(?:png|jpe?g|gif|webp|svg|avif))[|#\]]")
WRITTEN_ID = re.compile(r"<\w+\b[^>]*\s(?:id|name)=[\"']([^\"']+)[\"']|\{#([\w.:-]+)")
EXTERNAL = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.I)
INDEXES = ("index", "readme", "_index")
STATIC_FOLDERS = ("", "static", "public", "website/static", "src")

Link = tuple[str, str]


class OriginalTree:
    """
    A tree: its pages, their order, and what they link to and show.

    `root` is what its authors keep, `folder` is that of the pages, and `base` the
    address at which the pages are published.
    """

    def __init__(self, root: Path, folder: Path, base: str) -> None:
        self.root, self.folder = root, folder
        self._base = urlsplit(base).path

    @cached_property
    def pages(self) -> Pages:
        """Return the front matter and the text of each page, by its path."""
        return {
            path: (fields, _as_markdown(text))
            for path, (fields, text) in read_pages(self.folder).items()
        }

    @cached_property
    def order(self) -> Order:
        """Return the pages of the navigation in order, each with its right titles."""
        return reading_order(self.root, self.folder, self.pages)

    def address(self, path: str) -> str:
        """Return the address that the generator makes of a file, without its ending."""
        fields = self.pages[path][0]
        for name in ("permalink", "url", "slug"):
            if name in fields:
                declared = str(fields[name])
                is_whole = declared.startswith("/") or name != "slug"
                place = declared if is_whole else join(dirname(path), declared)
                return place.strip("/")
        if "id" in fields:
            return join(dirname(path), str(fields["id"]))
        # As Obsidian Publish writes spaces.
        stem = splitext(path)[0].replace(" ", "+")
        is_index = basename(stem).lower() in INDEXES
        return f"{dirname(stem)}/".lstrip("/") if is_index else stem

    def links(self, path: str) -> Iterator[Link]:
        """Yield the page and the anchor of each link that leads to one of the tree."""
        for href in self._targets(path, "a"):
            target, _, fragment = href.partition("#")
            page = self._page(target, path) if target else path
            if page is not None and (
                not fragment or unquote(fragment) in self.ids(page)
            ):
                yield page, fragment

    def images(self, path: str) -> Iterator[str]:
        """Yield the target of each image that exists in the tree."""
        embedded = EMBED.findall(CODE.sub("", self.pages[path][1]))
        yield from (name for name in embedded if name in self._file_names)
        for source in self._targets(path, "img"):
            plain = unquote(urlsplit(source).path)
            beside = self.folder / dirname(path) / plain
            places = [self.root / name / plain.lstrip("/") for name in STATIC_FOLDERS]
            if any(place.is_file() for place in (beside, *places)):
                yield source

    def ids(self, path: str) -> set[str]:
        """Return the ids of a page: of its headings by GitHub's rule, and its own."""
        if path not in self._ids:
            text = CODE.sub("", self.pages[path][1])
            written = {id for pair in WRITTEN_ID.findall(text) for id in pair if id}
            self._ids[path] = written | set(_heading_ids(PARSER.parse(text)))
        return self._ids[path]

    @cached_property
    def _file_names(self) -> set[str]:
        return {file.name for file in self.folder.rglob("*.*")}

    @cached_property
    def _ids(self) -> dict[str, set[str]]:
        return {}

    def _targets(self, path: str, tag: str) -> Iterator[str]:
        """Yield the targets of links or images as the author wrote them."""
        text = self.pages[path][1]
        type, attribute = ("link_open", "href") if tag == "a" else ("image", "src")
        targets = [
            str(token.attrs[attribute])
            for block in PARSER.parse(text)
            for token in block.children or []
            if token.type == type
        ]
        tags = TAG_TARGET.findall(CODE.sub("", text))
        targets += [target for name, target in tags if name == tag]
        internal = (target for target in targets if not EXTERNAL.match(target))
        return (target for target in internal if target and "{" not in target)

    def _page(self, target: str, path: str) -> str | None:
        """Return the page that an address leads to, None if the tree has none there."""
        target = unquote(target.partition("?")[0])
        if target.startswith("/"):
            below = target.removeprefix(self._base.rstrip("/"))
            candidates = [below, target]
        else:
            # Relative to the file, or to the address of a page shown as a folder.
            candidates = [join(dirname(path), target), join(splitext(path)[0], target)]
        for candidate in candidates:
            key = _key(candidate)
            if key in self._by_address:
                return self._by_address[key]
        return None

    @cached_property
    def _by_address(self) -> dict[str, str]:
        addresses: dict[str, str] = {}
        for path, (fields, _) in self.pages.items():
            declared = [fields.get("permalink"), fields.get("slug"), fields.get("url")]
            declared.append(fields.get("id"))
            for address in (path, *filter(None, declared)):
                place = (
                    address
                    if "/" in str(address)
                    else join(dirname(path), str(address))
                )
                addresses.setdefault(_key(place), path)
        return addresses


def _as_markdown(text: str) -> str:
    """Return the text without Jekyll's tags, and the boxes whose text is Markdown."""
    text = BASE_URL.sub("", BOX.sub("", HIGHLIGHT.sub("", text)))
    return LINK_TAG.sub(r"/\1", text)


def _key(address: str) -> str:
    """Return a key that is equal for all spellings of the address of a page."""
    stem = re.sub(r"\.(?:mdx?|html?)$", "", normpath(address).strip("/"), flags=re.I)
    is_index = basename(stem).lower() in INDEXES
    return (dirname(stem) if is_index else stem).lower()


def _heading_ids(tokens: list[Token]) -> Iterator[str]:
    """Yield the id that GitHub gives each heading."""
    seen: dict[str, int] = {}
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            text = "".join(
                part.content
                for part in inline.children or []
                if part.type in ("text", "code_inline")
            )
            text = re.sub(r"\s*\{#[^{}]*\}\s*$", "", text).strip().lower()
            id = "".join(filter(_is_kept_in_id, text)).replace(" ", "-")
            count = seen[id] = seen.get(id, -1) + 1
            yield f"{id}-{count}" if count else id


def _is_kept_in_id(character: str) -> bool:
    is_letter = unicodedata.category(character)[0] in "LMN"
    return is_letter or character in " -_"
