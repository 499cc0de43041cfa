"""
Generate the search index as static files: the terms, and the pages that contain them.

The index has levels, so that a publication adds one small file: everything up to some
publication, the changes up to a later one, and each change since then. The numbers of
the publications decide where levels are divided, not the time of a build. A document
in a newer level hides the same document in an older one.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from math import log2
from typing import Any

from models.display_text import balance_directions
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
from sitegen.docs.collections import COLLECTIONS, are_same_objects, docs_collections
from sitegen.page import SHARED, BuildContext, Page, Stage, pages
from sitegen.reference.pages import reference_areas
from sitegen.search.inverted_index import Shards, Text, create_shards, encode_steps
from sitegen.urls import REFERENCE, incident_path

# The index is our own code because it found more than Pagefind in a trial; the figures
# of its size and speed are in bench/README.md.

# How many publications a level spans before it is merged into the next older one.
OLD_SPAN, RECENT_SPAN = 512, 16
PAGES_OF_BLOCK = 32
INCIDENTS_OF_FILE = 100
# Increased when the same texts would result in other files.
FORMAT = 3

# The published version of each document, by its id.
Versions = dict[str, int]


@dataclass(frozen=True)
class Level:
    """An index of some documents, each at one version; a level never changes."""

    versions: Versions
    documents: Mapping[str, PublishedPage]

    @cached_property
    def shard_count(self) -> int:
        """
        Return the number of files of terms, for about 3 KB compressed in each.

        New text has fewer and fewer new words, so an index grows slower than its text.
        The count is a power of two, since every other count changes all files.
        """
        size = sum(self.documents[id].size for id in self.versions)
        return 1 << max(0, round(log2((1 + size) ** 0.75 / 600)))

    @cached_property
    def key(self) -> str:
        lines = [f"{FORMAT} {self.shard_count}"]
        lines += [f"{id} {version}" for id, version in self.versions.items()]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]

    @cached_property
    def shards(self) -> Shards:
        """Index all texts, which is costly; only a missing file needs this."""
        revisions = revisions_at(self.versions)
        texts = (Text(r.title, r.summary or "", r.content) for r in revisions)
        return create_shards(texts, self.shard_count)

    def positions(self, ids: set[str]) -> list[int]:
        """Return the positions that these documents have in the level."""
        return [position for position, id in enumerate(self.versions) if id in ids]

    def pages(self) -> Iterator[Page]:
        folder = f"search/{self.key}"
        for number in range(self.shard_count):
            data = partial(self._shard, number)
            key = f"{self.key} {number}".encode()
            yield Page(f"{folder}/{number}.json", data, key=key)
        if self.shard_count > 1:
            key = f"{self.key} bounds".encode()
            yield Page(f"{folder}/bounds.json", lambda: self.shards.bounds, key=key)

    def blocks(self) -> Iterator[tuple[str, list[PublishedPage]]]:
        """Yield the documents in blocks, each with the path of its file."""
        documents = [self.documents[id] for id in self.versions]
        for start in range(0, len(documents), PAGES_OF_BLOCK):
            path = f"search/{self.key}/pages/{start // PAGES_OF_BLOCK}.json"
            yield path, documents[start : start + PAGES_OF_BLOCK]

    def _shard(self, number: int) -> dict[str, str]:
        return self.shards.files[number]


@pages("docs", Stage.COSTLY_LISTS)
def index(context: BuildContext) -> Iterator[Page]:
    """The files of every level, then the small root that names them."""
    levels = context.once_per_build(read_levels)
    newer: set[str] = set()
    root_levels = []
    for level in levels:
        superseded = encode_steps(level.positions(newer))
        facts = [level.key, level.shard_count, superseded, len(level.versions)]
        root_levels.append(facts)
        newer |= set(level.versions)
        yield from level.pages()
    blocks = (block for level in levels for block in level.blocks())
    yield from context.once_per_process(_BlockCache).pages(blocks)
    root = {"levels": root_levels, "pages": len(newer), "pagesOfBlock": PAGES_OF_BLOCK}
    yield Page("search/root.json", root)


class _BlockCache:
    """The blocks of the last build; an unchanged one is the same page object."""

    def __init__(self) -> None:
        self._blocks: dict[str, tuple[list[PublishedPage], Page]] = {}

    def pages(
        self, blocks: Iterable[tuple[str, list[PublishedPage]]]
    ) -> Iterator[Page]:
        before, self._blocks = self._blocks, {}
        for path, documents in blocks:
            cached = before.get(path)
            if cached is None or not are_same_objects(cached[0], documents):
                cached = (documents, _block_page(path, documents))
            self._blocks[path] = cached
            yield cached[1]


def read_levels(context: BuildContext) -> list[Level]:
    """Return the levels that have documents, the newest first."""
    documents = (
        document
        for collection in docs_collections(context)
        for document in collection.documents
    )
    public = {d.id: d for d in sorted(documents, key=lambda d: d.id)}
    newest = last_publication_number()
    old, recent = newest // OLD_SPAN * OLD_SPAN, newest // RECENT_SPAN * RECENT_SPAN
    since_old = publications_after(old)
    current = {d.id: d.published_version for d in public.values()}
    since_recent = [p for p in since_old if p.number > recent]
    at_recent = _versions_before(since_recent, current)
    changed_lately = {p.document_id for p in since_recent}
    changed_between = {p.document_id for p in since_old if p.number <= recent}
    levels = [
        {id: current[id]}
        for id in sorted(changed_lately & current.keys(), reverse=True)
    ]
    levels += [{id: v for id, v in at_recent.items() if id in changed_between}]
    levels += [_versions_before(since_old, current)]
    return [Level(versions, public) for versions in levels if versions]


def _versions_before(publications: list[Publication], versions: Versions) -> Versions:
    """
    Return the versions as they were before the publications.

    Only documents that are public now are included, so that no word of an unpublished
    page remains.
    """
    previous: dict[str, int | None] = dict(versions)
    for publication in reversed(publications):
        if publication.document_id in versions:
            previous[publication.document_id] = publication.previous
    return {id: version for id, version in previous.items() if version is not None}


@pages("status", Stage.LISTS)
def incidents(context: BuildContext) -> Iterator[Page]:  # noqa: ARG001
    """The titles of incidents: older ones in full files, then the newest in one."""
    incidents = sorted(all_incidents(), key=lambda i: (i.started_at, i.id))
    rows = [
        [
            url_path(incident_path(i.id)),
            balance_directions(i.title),
            format_moment(i.started_at),
        ]
        for i in incidents
    ]
    older_files = max(0, len(rows) // INCIDENTS_OF_FILE - 1)
    for number in range(older_files):
        start = number * INCIDENTS_OF_FILE
        older = rows[start : start + INCIDENTS_OF_FILE]
        yield Page(f"search/incidents/{number}.json", older)
    newest = rows[older_files * INCIDENTS_OF_FILE :]
    yield Page("search/incidents.json", {"older": older_files, "incidents": newest})


@pages("docs", Stage.LISTS)
def api_reference(context: BuildContext) -> Iterator[Page]:
    """The pages and the operations of the reference, with their summaries."""
    yield context.memoize(_reference_page, context.load_openapi())


def _reference_page(openapi: Mapping[str, Any]) -> Page:
    rows = []
    if openapi:
        summary = "Every operation of the API."
        rows.append([REFERENCE, "API reference", summary, "API"])
    for area in reference_areas(openapi):
        for noun in area["nouns"]:
            summary = f"{area['title']} operations"
            rows.append([noun["href"], noun["title"], summary, "API reference"])
            rows += [_operation_row(operation) for operation in noun["operations"]]
    return Page("search/reference.json", rows)


def _operation_row(operation: Mapping[str, str]) -> list[str]:
    """Return an operation under its short name, such as keys/add."""
    name = "/".join(operation["path"].split("/")[-2:])
    route = f"{operation['method']} {operation['path']}"
    return [operation["href"], name, operation["summary"], route]


@pages(SHARED, Stage.ENTRY_POINTS)
def search_page(context: BuildContext) -> Iterator[Page]:
    """The page that shows the results of a search."""
    name = context.settings.site_name
    yield Page(
        "search/index.html",
        {},
        template="search.html",
        title="Search",
        description=f"Search the documentation and the incidents of {name}.",
    )


def _block_page(path: str, documents: list[PublishedPage]) -> Page:
    key = "\n".join([str(FORMAT), *map(_block_key, documents)]).encode()
    return Page(path, partial(_block_data, documents), key=key)


def _block_key(document: PublishedPage) -> str:
    section = document.section or ""
    return f"{document.collection}/{document.slug} {section}\t{document.title}"


def _block_data(documents: list[PublishedPage]) -> list[Any]:
    return [
        [
            document_href(document),
            balance_directions(document.title),
            " · ".join(
                filter(None, [COLLECTIONS[document.collection], document.section])
            ),
        ]
        for document in documents
    ]
