"""
Search as static files: which words stand where, and what the pages are called.

The index has levels, so that one publication costs one small file: all that was
public up to some publication, what has changed up to a later one, and each change
since. Where the levels part follows from the numbers that publications have, not
from when anybody built; what a newer level holds counts for nothing in an older.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from math import log2
from typing import Any

from models.fields import format_moment
from models.projects.documents.link_resolver import document_href
from models.projects.documents.publication_history import (
    Publication,
    last_publication_number,
    publications_after,
    revisions_at,
)
from models.projects.documents.published import PublishedPage
from models.response_headers import url_path
from models.status.incidents.incidents import all_incidents
from sitegen.docs.collections import COLLECTIONS, docs_collections, same_objects
from sitegen.page import SHARED, BuildContext, Page, Rank, pages
from sitegen.search.inverted_index import Shards, Text, shards, steps
from sitegen.urls import incident_path

# How many numbers of the feed one level spans before the next is merged into it.
OLD, LATE = 512, 16
PAGES_OF_BLOCK = 32
INCIDENTS_OF_FILE = 100
# Raised when the same texts would give other files.
FORMAT = 3

Versions = dict[str, int]


@dataclass(frozen=True)
class Level:
    """An index over some documents, each at one version; it never changes."""

    versions: Versions
    public: Mapping[str, PublishedPage]

    @cached_property
    def count(self) -> int:
        """
        Return so many files of terms that each has about 3 KB compressed.

        New text has ever fewer new words, so an index grows slower than its text. A
        power of two, since another count is another index.
        """
        size = sum(self.public[id].size for id in self.versions)
        return 1 << max(0, round(log2((1 + size) ** 0.75 / 600)))

    @cached_property
    def key(self) -> str:
        told = [f"{FORMAT} {self.count}"]
        told += [f"{id} {version}" for id, version in self.versions.items()]
        return hashlib.sha256("\n".join(told).encode()).hexdigest()[:12]

    @cached_property
    def shards(self) -> Shards:
        """The terms of all texts: costly, and asked for only where a file lacks."""
        found = revisions_at(self.versions)
        texts = (Text(each.title, each.summary or "", each.content) for each in found)
        return shards(texts, self.count)

    def numbers(self, ids: set[str]) -> list[int]:
        """Return by which numbers the level knows those of the documents it holds."""
        return [number for number, id in enumerate(self.versions) if id in ids]

    def pages(self) -> Iterator[Page]:
        folder = f"search/{self.key}"
        for number in range(self.count):
            data = partial(self._terms, number)
            key = f"{self.key} {number}".encode()
            yield Page(f"{folder}/{number}.json", data, key=key, rank=Rank.LIST)
        if self.count > 1:
            key = f"{self.key} bounds".encode()
            path = f"{folder}/bounds.json"
            yield Page(path, lambda: self.shards.bounds, key=key, rank=Rank.LIST)

    def blocks(self) -> Iterator[tuple[str, list[PublishedPage]]]:
        """Yield its documents in blocks, each with the file that tells of them."""
        held = [self.public[id] for id in self.versions]
        for start in range(0, len(held), PAGES_OF_BLOCK):
            path = f"search/{self.key}/pages/{start // PAGES_OF_BLOCK}.json"
            yield path, held[start : start + PAGES_OF_BLOCK]

    def _terms(self, number: int) -> dict[str, str]:
        return self.shards.files[number]


@pages("docs", costly=True)
def index(context: BuildContext) -> Iterator[Page]:
    """The files of every level, and the small root that names them."""
    found = context.once(levels)
    newer: set[str] = set()
    told = []
    for level in found:
        superseded = steps(level.numbers(newer))
        told.append([level.key, level.count, superseded, len(level.versions)])
        newer |= set(level.versions)
        yield from level.pages()
    blocks = (block for level in found for block in level.blocks())
    yield from context.always(_Blocks).of(blocks)
    root = {"levels": told, "pages": len(newer), "pagesOfBlock": PAGES_OF_BLOCK}
    yield Page("search/root.json", root, rank=Rank.LAST)


class _Blocks:
    """The files of blocks as they were last; one that stands is the same object."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[list[PublishedPage], Page]] = {}

    def of(self, blocks: Iterable[tuple[str, list[PublishedPage]]]) -> Iterator[Page]:
        known, self._known = self._known, {}
        for path, block in blocks:
            before = known.get(path)
            same = before is not None and same_objects(before[0], block)
            self._known[path] = (
                before if before and same else (block, _named(path, block))
            )
            yield self._known[path][1]


def levels(context: BuildContext) -> list[Level]:
    """Return the levels that hold anything, the newest first."""
    every = (
        each
        for collection in docs_collections(context)
        for each in collection.documents
    )
    public = {each.id: each for each in sorted(every, key=lambda each: each.id)}
    newest = last_publication_number()
    old, late = newest // OLD * OLD, newest // LATE * LATE
    since = publications_after(old)
    now = {each.id: each.published_version for each in public.values()}
    after_late = [each for each in since if each.number > late]
    then = _before(after_late, now)
    recent = {each.document_id for each in after_late}
    between = {each.document_id for each in since if each.number <= late}
    held = [{id: now[id]} for id in sorted(recent & now.keys(), reverse=True)]
    held += [{id: version for id, version in then.items() if id in between}]
    held += [_before(since, now)]
    return [Level(versions, public) for versions in held if versions]


def _before(since: list[Publication], versions: Versions) -> Versions:
    """
    Return the versions as they were before the publications.

    Only of what is public now: a page that is taken back leaves no word behind.
    """
    was: dict[str, int | None] = dict(versions)
    for each in reversed(since):
        if each.document_id in versions:
            was[each.document_id] = each.previous
    return {id: version for id, version in was.items() if version is not None}


@pages("status")
def incidents(context: BuildContext) -> Iterator[Page]:  # noqa: ARG001
    """The titles of incidents: the newest in one file, the older in full hundreds."""
    found = sorted(all_incidents(), key=lambda each: (each.started_at, each.id))
    told = [
        [url_path(incident_path(each.id)), each.title, format_moment(each.started_at)]
        for each in found
    ]
    full = max(0, len(told) // INCIDENTS_OF_FILE - 1)
    for number in range(full):
        start = number * INCIDENTS_OF_FILE
        part = told[start : start + INCIDENTS_OF_FILE]
        yield Page(f"search/incidents/{number}.json", part, rank=Rank.LIST)
    newest = told[full * INCIDENTS_OF_FILE :]
    root = {"older": full, "incidents": newest}
    yield Page("search/incidents.json", root, rank=Rank.LAST)


@pages(SHARED)
def page(context: BuildContext) -> Iterator[Page]:
    """Where a search has an address of its own."""
    name = context.settings.site_name
    yield Page(
        "search/index.html",
        {},
        template="search.html",
        title="Search",
        description=f"Search the documentation and the incidents of {name}.",
        rank=Rank.LAST,
    )


def _named(path: str, block: list[PublishedPage]) -> Page:
    told = "\n".join([str(FORMAT), *map(_identity, block)]).encode()
    return Page(path, partial(_told_pages, block), key=told, rank=Rank.LIST)


def _identity(document: PublishedPage) -> str:
    section = document.section or ""
    return f"{document.collection}/{document.slug} {section}\t{document.title}"


def _told_pages(block: list[PublishedPage]) -> list[Any]:
    return [
        [
            document_href(each),
            each.title,
            " · ".join(filter(None, [COLLECTIONS[each.collection], each.section])),
        ]
        for each in block
    ]
