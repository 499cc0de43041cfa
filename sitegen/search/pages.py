"""
Generate the search index as static files: the terms, and the pages that contain them.

A reader's first search loads the root, which names the levels and contains the newest
one, then the heads of the others, then the files that have the words of the query. Only
the documents that are shown are read for an excerpt: a short one as its Markdown, a
long one in parts.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import or_
from typing import Any

from models.base import canonical_json
from models.display_text import balance_directions
from models.projects.documents.linking.link_resolver import document_href, document_path
from models.projects.documents.published import PublishedPage, published_contents
from sitegen.docs.collections import are_same_objects, docs_collections
from sitegen.output.manifest import SHARED
from sitegen.page import BuildContext, Page, Stage, pages
from sitegen.search.inverted_index import encode_steps
from sitegen.search.levels import FORMAT, Level, Listed, read_levels
from sitegen.search.operations import Operation
from sitegen.search.passages import number_headings, part_count, split_into_parts
from sitegen.urls import markdown_path

# The index is our own code because it found more than Pagefind in a trial; the figures
# of its size and speed are in bench/README.md.

# The head of a level lists its pages, unless they are more than these; then they are
# listed in blocks.
MAX_PAGES_OF_HEAD, PAGES_OF_BLOCK = 1200, 32

CreateList = Callable[[str, list[Listed]], Page]


@pages("docs", Stage.LISTS)
def index(context: BuildContext) -> Iterator[Page]:
    """The files of every level, then the small root that names them."""
    levels = context.once_per_build(read_levels)
    yield from context.once_per_process(_IndexCache).pages(levels)
    yield _root_page(levels)


def _root_page(levels: Sequence[Level]) -> Page:
    """Return the root, which contains the newest level: a publication changes it."""
    newer: set[str] = set()
    facts = []
    for level in levels:
        facts.append(_level_facts(level, newer))
        newer |= set(level.versions)
    newest = [level for level in levels if level.is_newest]
    keys = [_rows_key(level.listed()) for level in newest]

    def data() -> dict[str, Any]:
        heads = [{"head": _single_file(level)} for level in newest]
        # The newest level is the first one.
        return {"levels": [*map(or_, facts, heads), *facts[len(heads) :]]}

    return Page(f"search/root-{FORMAT}.json", data, key=canonical_json([facts, keys]))


def _level_facts(level: Level, newer: set[str]) -> dict[str, Any]:
    return {
        "key": level.key,
        "files": level.file_count,
        "pages": level.page_count,
        "pagesOfBlock": _pages_of_block(level),
        "continuations": encode_steps(level.continuations),
        "superseded": encode_steps(level.superseded(newer)),
    }


@pages("docs", Stage.LISTS)
def parts(context: BuildContext) -> Iterator[Page]:
    """The parts of long documents, in which the search looks for an excerpt."""
    for collection in docs_collections(context):
        for document in collection.documents:
            count = part_count(document.size)
            for number in range(count) if count > 1 else ():
                yield Page(
                    part_path(document, number),
                    partial(_part, document, number, count),
                    key=f"{FORMAT} {document.digest} {number} {count}".encode(),
                )


def part_path(document: PublishedPage, number: int) -> str:
    path = markdown_path(document_path(document))
    return f"search/parts/{path.removesuffix('.md')}/{number}.md"


def _part(document: PublishedPage, number: int, count: int) -> str:
    content = published_contents([document.id])[document.id]
    return number_headings(split_into_parts(content, count))[number]


@pages(SHARED, Stage.ENTRY_POINTS)
def search_page(context: BuildContext) -> Iterator[Page]:
    """The page that shows the results of a search."""
    text = context.theme.locale.text
    yield Page(
        "search/index.html",
        {},
        template="search.html",
        title=text("search.title"),
        description=text("search.description", site=context.settings.site_name),
    )


class _IndexCache:
    """
    What the last build made of each level, which most builds find unchanged.

    A level whose list of pages changed, but no text, need not be indexed again.
    """

    def __init__(self) -> None:
        self._directories: dict[str, dict[str, Any]] = {}
        self._lists: dict[str, tuple[list[Listed], Page]] = {}

    def pages(self, levels: Sequence[Level]) -> Iterator[Page]:
        keys = {level.key for level in levels}
        kept = keys & self._directories.keys()
        self._directories = {key: self._directories[key] for key in kept}
        lists_before, self._lists = self._lists, {}
        for level in levels:
            if level.file_count > 1:
                yield from _term_files(level)
            for path, listed, create in self._lists_of(level):
                cached = lists_before.get(path)
                if cached is None or not are_same_objects(cached[0], listed):
                    cached = (listed, create(path, listed))
                self._lists[path] = cached
                yield cached[1]

    def _lists_of(self, level: Level) -> Iterator[tuple[str, list[Listed], CreateList]]:
        """Yield the path of each file that lists pages, with the pages."""
        if level.is_newest:
            return
        folder, listed = f"search/{level.key}", level.listed()
        size = _pages_of_block(level)
        create_head = partial(self._head_page, level)
        yield f"{folder}/head.json", [] if size else listed, create_head
        for start in range(0, len(listed) if size else 0, size or 1):
            path = f"{folder}/pages/{start // size}.json"
            yield path, listed[start : start + size], _block_page

    def _head_page(self, level: Level, path: str, listed: list[Listed]) -> Page:
        key = f"{level.key} {_rows_key(listed)}".encode()
        return Page(path, partial(self._head, level, listed), key=key)

    def _head(self, level: Level, listed: list[Listed]) -> dict[str, Any]:
        if level.file_count == 1:
            return _single_file(level)
        if level.key not in self._directories:
            shards = level.shards
            directory = {"bounds": shards.bounds, "common": shards.common}
            self._directories[level.key] = directory
        return self._directories[level.key] | {"pages": list(map(_row, listed))}


def _single_file(level: Level) -> dict[str, Any]:
    rows = list(map(_row, level.listed()))
    return {"terms": level.shards.files[0], "pages": rows}


def _pages_of_block(level: Level) -> int:
    """Return how many pages each block lists, 0 if the head lists all of them."""
    is_listed_in_head = level.file_count == 1 or level.page_count <= MAX_PAGES_OF_HEAD
    return 0 if is_listed_in_head else PAGES_OF_BLOCK


def _term_files(level: Level) -> Iterator[Page]:
    for number in range(level.file_count):
        data = partial(_terms, level, number)
        key = f"{level.key} {number}".encode()
        yield Page(f"search/{level.key}/{number}.json", data, key=key)


def _terms(level: Level, number: int) -> dict[str, str]:
    return level.shards.files[number]


def _block_page(path: str, listed: list[Listed]) -> Page:
    return Page(path, lambda: list(map(_row, listed)), key=_rows_key(listed).encode())


def _rows_key(listed: list[Listed]) -> str:
    """Return a digest of the rows, without making them."""
    digest = hashlib.sha256(f"{FORMAT}\n".encode())
    for each in listed:
        digest.update(_row_key(each).encode())
    return digest.hexdigest()


def _row_key(listed: Listed) -> str:
    if isinstance(listed, Operation):
        return repr(listed)
    address = f"{listed.collection}/{listed.path}"
    return f"{address} {listed.section}\t{listed.title}\n"


def _row(listed: Listed) -> list[str]:
    """
    Return a page as a result of a search: its address, title and place.

    The place of a document is its section; the script adds the collection.
    """
    if isinstance(listed, Operation):
        return [listed.href, listed.title, listed.where]
    title = balance_directions(listed.title)
    return [document_href(listed), title, listed.section or ""]
