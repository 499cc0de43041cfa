"""
Import real documentation trees, and compare the built sites with the originals.

The trees are in `../shared/data`, or in the folder that TREES names; without them there
is nothing to measure.
"""

import itertools
import json
import os
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

from bench.original_tree import OriginalTree
from bench.tree_queries import queries_answered
from models.projects.documents.paths import page_href

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("TREES", ROOT.parent / "shared" / "data"))
# The folder with the pages, and the address at which its authors publish it.
TREES = {
    "redux": ("docs", "https://redux.js.org/"),
    "rust-book": ("src", "https://doc.rust-lang.org/book/"),
    "just-the-docs": (".", "https://just-the-docs.com/"),
    "prometheus-docs": (".", "https://prometheus.io/docs/"),
}
# The folder with the code that pages include.
INCLUDED = {"rust-book": "listings"}
COLUMNS = ("What", *TREES, "Target")
# What a page shows as text if nobody has read it as markup.
RAW = {
    "HTML tags": re.compile(
        r"</?(?:br|hr|kbd|su[bp]|mark|abbr|small|[busip]|details|summary|fig\w+|img|table"
        r"|t[rdh]|thead|tbody|d[ltd]|[uo]l|li|h[1-6]|a|code|pre|video|div|span|center|font)"
        r"(?:\s[^<>]*)?/?>"
    ),
    "components": re.compile(r"</?[A-Z][A-Za-z]+(?:\s[^<>]*)?/?>"),
    "includes": re.compile(r"\{\{#(?:rustdoc_)?include"),
    "shortcodes": re.compile(r"\{\{[<%]|\{%"),
    "attributes": re.compile(r"^\{:?\s*[.#:]", re.M),
}
VOID = {"img", "br", "hr", "input", "link", "meta", "source", "wbr"}


def run() -> Iterator[tuple[str, ...]]:
    if not DATA.is_dir():
        yield "no trees", *("" for _ in COLUMNS[1:])
        return
    trees = [dict(Comparison(name).rows()) for name in TREES]
    for label, target in trees[0]:
        yield label, *(tree[label, target] for tree in trees), target


class BuiltPage(HTMLParser):
    """What a built page of the docs site shows."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.images: list[str] = []
        self.title, self.text = "", ""
        self.next: str | None = None
        self._open: list[tuple[str, list[str]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(
        self, tag: str, attributes: list[tuple[str, str | None]]
    ) -> None:
        fields = {name: value or "" for name, value in attributes}
        classes = fields.get("class", "").split()
        self.ids.add(fields.get("id", ""))
        if tag not in VOID:
            self._open.append((tag, classes))
        if tag == "a" and fields.get("rel") == "next":
            self.next = fields["href"]
        if not self._is_in("prose"):
            return
        if tag == "img":
            self.images.append(fields["src"])
        elif tag == "a" and "href" in fields and "anchor" not in classes:
            self.links.append(fields["href"])

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        tags = {tag for tag, _ in self._open}
        if {"h1", "main"} <= tags:
            self.title += data
        if self._is_in("prose") and not tags & {"code", "pre", "math"}:
            self.text += data

    def _is_in(self, name: str) -> bool:
        return any(name in classes for _, classes in self._open)


class Comparison:
    """A tree and the site that its import makes."""

    def __init__(self, name: str) -> None:
        folder, self._base = TREES[name]
        root = DATA / name
        self.original = OriginalTree(root, root / folder, self._base)
        self._included = root / INCLUDED[name] if name in INCLUDED else None
        with TemporaryDirectory() as place:
            self._site = Path(place) / "site"
            self._database = Path(place) / "data.db"
            self._report = self._import()
            self._addresses = self._read_addresses()
            self._pages = {
                address: BuiltPage(self._file(address).read_text(encoding="utf-8"))
                for address in self._addresses.values()
            }
            sources = {each for page in self._pages.values() for each in page.images}
            self._shown_images = {
                each for each in sources if self._file(each).is_file()
            }
            self._answered, self._asked = queries_answered(self._site)

    def rows(self) -> Iterator[tuple[tuple[str, str], str]]:
        """Yield each row's label and target, with the figure of this tree."""
        links, anchors = self._links(), self._links(is_anchor=True)
        yield ("pages", ""), str(len(self._pages))
        yield ("images shown, of those that exist", "100%"), self._images
        yield ("links that work, of those within the tree", ">= 99%"), links
        yield ("anchors that work, of those", ">= 98%"), anchors
        yield ("titles as in the original", ">= 98%"), self._titles
        yield ("next page as in the original", ">= 98%"), self._next_pages
        for kind, pattern in RAW.items():
            target = "0" if kind == "HTML tags" else ""
            yield (f"pages with raw {kind}", target), self._raw(pattern)
        queries = share(self._answered, self._asked)
        yield ("queries answered in the first three", ">= 95%"), queries
        remarks = sum(len(self._report[key]) for key in ("leftOut", "drafts", "notes"))
        yield ("remarks of the import", ""), str(remarks)

    def _raw(self, pattern: re.Pattern[str]) -> str:
        pages = {
            address: pattern.findall(page.text) for address, page in self._pages.items()
        }
        show(
            pattern.pattern[:20], {key: found for key, found in pages.items() if found}
        )
        return str(len(list(filter(None, pages.values()))))

    @property
    def _images(self) -> str:
        shown = total = 0
        for path in self._addresses:
            image_count = len(list(self.original.images(path)))
            images = self._page(path).images if self._page(path) else []
            shown += min(
                image_count, sum(source in self._shown_images for source in images)
            )
            total += image_count
        return share(shown, total)

    def _links(self, *, is_anchor: bool = False) -> str:
        working = total = 0
        for path in self._addresses:
            image_count = Counter(
                self._addresses.get(target)
                for target, fragment in self.original.links(path)
                if fragment or not is_anchor
            )
            found = Counter(self._working_links(path, is_anchor))
            working += (image_count & found).total()
            total += image_count.total()
            show(path, image_count - found)
        return share(working, total)

    def _working_links(self, path: str, is_anchor: bool) -> Iterator[str]:
        """Yield the address of each link that leads to a page and a place in it."""
        page = self._page(path)
        for href in page.links if page else ():
            address, fragment = urldefrag(urljoin(self._addresses[path], href))
            target = self._pages.get(unquote(address))
            is_there = target and unquote(fragment) in target.ids
            if is_there if fragment else target and not is_anchor:
                yield unquote(address)

    @property
    def _titles(self) -> str:
        order = self.original.order
        pages = [(self._page(path), names) for path, names in order]
        right = [page for page, names in pages if page and page.title.strip() in names]
        return share(len(right), len(order))

    @property
    def _next_pages(self) -> str:
        order = [path for path, _ in self.original.order]
        pairs = [(self._page(path), after) for path, after in itertools.pairwise(order)]
        right = [
            page
            for page, after in pairs
            if page and page.next == self._addresses.get(after)
        ]
        return share(len(right), len(pairs))

    def _page(self, path: str) -> BuiltPage | None:
        return self._pages.get(self._addresses.get(path, ""))

    def _file(self, address: str) -> Path:
        file = self._site / address.strip("/")
        return file / "index.html" if address.endswith("/") else file

    def _import(self) -> Any:
        folder = str(self.original.folder)
        options = [
            "--collection",
            "guides",
            "--publish",
            "--json",
            "--base",
            self._base,
        ]
        if self._included:
            options += ["--include-from", str(self._included)]
        report = self._run("docs", "import", folder, *options)
        self._run("build")
        return json.loads(report)

    def _run(self, *command: str) -> str:
        environment = os.environ | {
            "MASTHEAD_DATABASE": str(self._database),
            "MASTHEAD_OUTPUT": str(self._site),
        }
        result = subprocess.run(
            [sys.executable, "app.py", *command],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            check=False,
            text=True,
        )
        return result.stdout

    def _read_addresses(self) -> dict[str, str]:
        """Return the address of each imported file."""
        with sqlite3.connect(self._database) as database:
            rows = database.execute("SELECT source_path, path FROM document")
            return {file: page_href("guides", path) for file, path in rows if file}


def share(count: int, total: int) -> str:
    return f"{count} of {total}" if total else "none"


def show(label: str, what: Any) -> None:
    """Print what is missing if SHOW is set, for who wants to mend it."""
    if os.environ.get("SHOW") and what:
        print(label, what, file=sys.stderr)
