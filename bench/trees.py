"""
Import real documentation trees, and compare the built sites with the originals.

The trees are in `../shared/data`, or in the folder that TREES names, in which public
ones are looked for, too; without any there is nothing to measure.
"""

import itertools
import json
import os
import re
import resource
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from bench.original_navigation import plain
from bench.original_tree import OriginalTree
from bench.tree_queries import queries_answered
from models.projects.documents.paths import page_href

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("TREES", ROOT.parent / "shared" / "data"))


class Source(NamedTuple):
    """A tree: the folder with its pages, and how its authors publish these."""

    folder: str
    base: str
    # The folder with the files that pages include.
    included: str = ""
    # How the addresses of the published pages end, and whether they are in lower case.
    ending: str = "/"
    is_lower_case: bool = False


TREES = {
    "redux": Source("docs", "https://redux.js.org/"),
    "rust-book": Source(
        "src", "https://doc.rust-lang.org/book/", "listings", ending=".html"
    ),
    "just-the-docs": Source(".", "https://just-the-docs.com/"),
    "prometheus-docs": Source(".", "https://prometheus.io/docs/"),
    # Public ones, by the names of their repositories.
    "vitepress": Source("docs/en", "https://vitepress.dev/", "docs", ending=""),
    "mintlify": Source(".", "https://www.mintlify.com/docs/", ending=""),
    "obsidian-help": Source("en", "https://help.obsidian.md/", ending=""),
    "MyST-Parser": Source(
        "docs", "https://myst-parser.readthedocs.io/en/latest/", ".", ending=".html"
    ),
    "fastapi": Source("docs/en/docs", "https://fastapi.tiangolo.com/", "docs_src"),
    "etcd": Source("content/en/docs", "https://etcd.io/docs/", is_lower_case=True),
    "jest": Source("docs", "https://jestjs.io/docs/", ending=""),
    "starlight/docs": Source(
        "src/content/docs", "https://starlight.astro.build/", is_lower_case=True
    ),
    "mdBook/guide": Source(
        "src", "https://rust-lang.github.io/mdBook/", "..", ending=".html"
    ),
    "gitbook/documentation": Source(".", "https://gitbook.com/docs/", ending=""),
}
# What a page shows as text if nobody has read it as markup.
RAW = {
    "HTML tags": re.compile(
        r"</?(?:br|hr|kbd|su[bp]|mark|abbr|small|[busip]|details|summary|fig\w+|img|table"
        r"|t[rdh]|thead|tbody|d[ltd]|[uo]l|li|h[1-6]|a|code|pre|video|div|span|center|font)"
        r"(?:\s[^<>]*)?/?>"
    ),
    "components": re.compile(r"</?[A-Z][\w.]+(?:\s[^<>]*)?/?>|=> *\{|^(?:ex|im)port "),
    "includes": re.compile(
        r"\{\{ *#(?:rustdoc_)?include|--8<--|<<< ?[@./]|\{\*|@include"
    ),
    "shortcodes": re.compile(r"\{\{|\{%"),
    "attributes": re.compile(r"^\{:?\s*[.#:]|\{[.#:][\w-]+\}", re.M),
    "blocks": re.compile(r"^\s*(?::::|!!! |\?\?\?|/// |=== \"|\[![A-Za-z])", re.M),
    "roles and labels": re.compile(
        r"\{[a-z][a-z:+-]+\}(?!\})|^\([a-z][\w-]*\)=$", re.M
    ),
    "wikilinks": re.compile(r"\[\[[^\[\]]+\]\]|%%|(?<=\s)\^[a-z][\w-]+$", re.M),
    "inline marks": re.compile(
        r"==\w[^=\n]*==|\+\+[a-z+]+\+\+|(?<![\w:]):[a-z][a-z_-]+:(?![\w:])|\*\*\w"
    ),
}
COLUMNS = ("What", *(name for name in TREES if (DATA / name).is_dir()), "Target")
VOID = {"img", "br", "hr", "input", "link", "meta", "source", "wbr"}


def run() -> Iterator[tuple[str, ...]]:
    if not COLUMNS[1:-1]:
        yield "no trees", ""
        return
    trees = [dict(Comparison(name).rows()) for name in COLUMNS[1:-1]]
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
        self._source = TREES[name]
        root = DATA / name
        self.original = OriginalTree(
            root, root / self._source.folder, self._source.base
        )
        self._included = root / self._source.included if self._source.included else None
        with TemporaryDirectory() as place:
            self._site = Path(place) / "site"
            self._database = Path(place) / "data.db"
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            self._report = self._import()
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self._seconds = after.ru_utime - before.ru_utime
            self._run("build")
            self._redirects = self._read_redirects()
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
        hidden = len(self._report["leftOut"]) + len(self._report["drafts"])
        yield ("pages of the tree; pages shown", ""), self._page_counts
        yield ("pages hidden or left out, by the report", ""), str(hidden)
        yield ("images shown, of those that exist", "100%"), self._images
        yield ("links that work, of those within the tree", ">= 99%"), links
        yield ("anchors that work, of those", ">= 98%"), anchors
        yield ("titles as in the original", ">= 98%"), self._titles
        yield ("next page as in the original", ">= 98%"), self._next_pages
        yield ("section as in the original", ">= 98%"), self._sections
        yield ("addresses of the original that answer", "100%"), self._old_addresses
        for kind, pattern in RAW.items():
            target = "0" if kind == "HTML tags" else ""
            yield (f"pages with raw {kind}", target), self._raw(pattern)
        yield ("pages with any of these; not in the report", "; 0"), self._unreported
        queries = share(self._answered, self._asked)
        yield ("queries answered in the first three", ">= 95%"), queries
        remarks = sum(len(self._report[key]) for key in ("leftOut", "drafts", "notes"))
        yield ("remarks of the import", ""), str(remarks)
        yield ("CPU seconds of the import", ""), f"{self._seconds:.1f}"

    @property
    def _page_counts(self) -> str:
        return f"{len(self.original.pages)}; {len(self._pages)}"

    def _raw(self, pattern: re.Pattern[str]) -> str:
        pages = {path: pattern.findall(page.text) for path, page in self._by_path}
        show(
            pattern.pattern[:20], {key: found for key, found in pages.items() if found}
        )
        return str(len(list(filter(None, pages.values()))))

    @property
    def _by_path(self) -> Iterator[tuple[str, BuiltPage]]:
        for path, address in self._addresses.items():
            yield path, self._pages[address]

    @property
    def _unreported(self) -> str:
        """Return how many pages have raw marks, and of how many nothing says so."""
        marked = {
            path
            for path, page in self._by_path
            if any(pattern.search(page.text) for pattern in RAW.values())
        }
        silent = marked - {note["path"] for note in self._report["notes"]}
        show("not in the report", sorted(silent))
        return f"{len(marked)}; {len(silent)}"

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
        pages = [(self._page(place.path), place) for place in order]
        wrong = [
            (place.path, page and page.title.strip(), place.titles)
            for page, place in pages
            if not page or plain(page.title.strip()) not in place.titles
        ]
        show("titles", wrong)
        return share(len(order) - len(wrong), len(order))

    @property
    def _next_pages(self) -> str:
        pairs = [*itertools.pairwise(place.path for place in self.original.order)]
        wrong = [
            (path, after)
            for path, after in pairs
            if not (page := self._page(path)) or page.next != self._addresses.get(after)
        ]
        show("next pages", wrong)
        return share(len(pairs) - len(wrong), len(pairs))

    @property
    def _sections(self) -> str:
        places = [place for place in self.original.order if place.groups is not None]
        wrong = [
            (place.path, section, place.groups)
            for place in places
            if (section := self._section_by_path.get(place.path, "no page"))
            != " / ".join(place.groups or ())
        ]
        show("sections", wrong)
        return share(len(places) - len(wrong), len(places))

    @property
    def _old_addresses(self) -> str:
        """Return how many of the addresses that the generator makes answer."""
        path, ending = urlsplit(self._source.base).path, self._source.ending
        answered = self._redirects | self._pages.keys() | {"/"}
        lost = []
        for file in self._addresses:
            address = self.original.address(file)
            address = address.lower() if self._source.is_lower_case else address
            old = path + address
            if not old.endswith("/"):
                old += ending
            if not {old, f"{old}/", old.rstrip("/")} & answered:
                lost.append(old)
        show("addresses", lost)
        return share(len(self._addresses) - len(lost), len(self._addresses))

    def _read_redirects(self) -> set[str]:
        text = (self._site / "_redirects").read_text(encoding="utf-8")
        return {unquote(line.split(" ")[0]) for line in text.splitlines()}

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
            self._source.base,
        ]
        if self._included:
            options += ["--include-from", str(self._included)]
        report = self._run("docs", "import", folder, *options)
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
            rows = database.execute("SELECT source_path, path, section FROM document")
            found = [row for row in rows if row[0]]
        self._section_by_path = {file: section or "" for file, _, section in found}
        return {file: page_href("guides", path) for file, path, _ in found}


def share(count: int, total: int) -> str:
    return f"{count} of {total}" if total else "none"


def show(label: str, what: Any) -> None:
    """Print what is missing if SHOW is set, for who wants to mend it."""
    if os.environ.get("SHOW") and what:
        print(label, what, file=sys.stderr)
