"""
Divide the searched documents into levels, so that a publication adds one small file.

There are up to three levels: everything up to some publication, the changes up to a
later one, and the changes since then. The numbers of the publications decide where
levels are divided, not the time of a build; an import ends a level. A document in a
newer level hides the same document in an older one.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log2

from models.projects.documents.publication_history import (
    Publication,
    batches,
    last_publication_number,
    publications_after,
    revisions_at,
    sizes_at,
)
from models.projects.documents.published import PublishedPage
from sitegen.docs.collections import docs_collections
from sitegen.page import BuildContext
from sitegen.search.inverted_index import Shards, Text, create_shards
from sitegen.search.operations import Operation, search_operations
from sitegen.search.passages import part_count, split_into_parts

# How many publications a level spans before it is merged into the next older one.
OLD_SPAN, RECENT_SPAN = 512, 16
# How many publications of one import end the oldest level, and the one after it.
OLD_BATCH, RECENT_BATCH = 64, 16
# An import that restores, changes and publishes a document adds three numbers.
NUMBERS_OF_PUBLICATION = 3
# How much text, reduced as below, makes a file of about 6 KB compressed.
FILE_TERMS = 1200
# Increased when the same texts would result in other files.
FORMAT = 7

# What is found, a document or an operation of the API.
Listed = PublishedPage | Operation
# The version of each document, by its id.
Versions = dict[str, int]


@dataclass(frozen=True)
class Level:
    """
    An index of some documents, each at one version; a level never changes.

    The oldest level also has the operations of the API reference.
    """

    versions: Versions
    # The documents as they are published now, by id.
    documents: Mapping[str, PublishedPage]
    # The sizes of those that are superseded.
    superseded_sizes: Mapping[str, int]
    operations: Sequence[Operation] = ()
    is_newest: bool = False

    @cached_property
    def file_count(self) -> int:
        """
        Return the number of files of terms, for about 6 KB compressed in each.

        New text has fewer and fewer new words, so an index grows slower than its text.
        The count is a power of two, since every other count changes all files. The
        newest level is in the root.
        """
        if self.is_newest:
            return 1
        size = sum(map(self._size, self.versions))
        return 1 << max(0, round(log2((1 + size) ** 0.75 / FILE_TERMS)))

    @cached_property
    def part_counts(self) -> list[int]:
        """Return the number of parts of each document, which are texts of their own."""
        return [part_count(self._size(id)) for id in self.versions]

    @property
    def continuations(self) -> Iterator[int]:
        """Yield the positions of texts that continue the one before."""
        position = 0
        for count in self.part_counts:
            yield from range(position + 1, position + count)
            position += count

    @property
    def page_count(self) -> int:
        return len(self.versions) + len(self.operations)

    @cached_property
    def key(self) -> str:
        """Return a digest of everything that the level was made from."""
        digest = hashlib.sha256(f"{FORMAT} {self.file_count}\n".encode())
        lines = [f"{id} {version}" for id, version in self.versions.items()]
        digest.update("\n".join(lines).encode())
        if self.operations:
            digest.update(repr(self.operations).encode())
        return digest.hexdigest()[:12]

    @cached_property
    def shards(self) -> Shards:
        """Index all texts, which is costly; only a missing file needs this."""
        return create_shards(self._texts(), self.file_count)

    def listed(self) -> list[Listed]:
        """Return the pages in the order of their texts."""
        return [*(self.documents[id] for id in self.versions), *self.operations]

    def superseded(self, ids: set[str]) -> list[int]:
        """Return the positions of these documents among the level's pages."""
        return [position for position, id in enumerate(self.versions) if id in ids]

    def _size(self, id: str) -> int:
        return self.superseded_sizes.get(id) or self.documents[id].size

    def _texts(self) -> Iterator[Text]:
        for revision, parts in zip(
            revisions_at(self.versions), self.part_counts, strict=True
        ):
            first, *rest = split_into_parts(revision.content, parts)
            yield Text(revision.title, revision.summary or "", first)
            for part in rest:
                yield Text("", "", part)
        for operation in self.operations:
            yield operation.text()


def read_levels(context: BuildContext) -> list[Level]:
    """Return the levels that have pages, the newest first."""
    documents = {
        document.id: document
        for collection in docs_collections(context)
        for document in collection.documents
    }
    current = {id: documents[id].published_version for id in sorted(documents)}
    newest = last_publication_number()
    # Far enough back to see an import that began before the oldest level's span.
    start = newest // OLD_SPAN * OLD_SPAN - NUMBERS_OF_PUBLICATION * OLD_BATCH
    publications = publications_after(start)
    old, recent = divide(publications, newest)
    since_old = [p for p in publications if p.number > old]
    since_recent = [p for p in since_old if p.number > recent]
    changed_lately = {p.document_id for p in since_recent}
    changed_between = {p.document_id for p in since_old if p.number <= recent}
    at_recent = _versions_before(since_recent, current)
    levels = [
        {id: version for id, version in current.items() if id in changed_lately},
        {id: version for id, version in at_recent.items() if id in changed_between},
        _versions_before(since_old, current),
    ]
    operations = search_operations(context)
    return _with_pages(levels, documents, operations)


def divide(publications: Sequence[Publication], newest: int) -> tuple[int, int]:
    """Return the last publication of the oldest level, and of the one after it."""
    old, recent = newest // OLD_SPAN * OLD_SPAN, newest // RECENT_SPAN * RECENT_SPAN
    for batch in batches(publications):
        last = batch[-1].number
        if len(batch) >= OLD_BATCH:
            old = max(old, last)
        if len(batch) >= RECENT_BATCH:
            recent = max(recent, last)
    return old, max(old, recent)


def _with_pages(
    levels: list[Versions],
    documents: Mapping[str, PublishedPage],
    operations: Sequence[Operation],
) -> list[Level]:
    superseded = [
        {id: v for id, v in level.items() if v != documents[id].published_version}
        for level in levels
    ]
    oldest = max((n for n, level in enumerate(levels) if level), default=2)
    return [
        Level(
            level,
            documents,
            sizes_at(superseded[number]),
            operations if number == oldest else (),
            is_newest=number == 0,
        )
        for number, level in enumerate(levels)
        if level or (number == oldest and operations)
    ]


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
