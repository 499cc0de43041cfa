"""Store rendered texts under the digest of their input."""

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from peewee import BlobField, TextField, chunked

from models.base import Row
from models.projects.documents.linking.alternative_ids import Heading
from models.projects.versioning.versioned import BATCH_SIZE
from models.storage.database import writing
from models.storage.write_locks import WriteLock

# Rows per transaction: it holds its locks for a few milliseconds only.
WRITE_BATCH_SIZE = 100
# The fastest level: a tenth of a millisecond for a page, to a third of its size.
COMPRESSION_LEVEL = 1
EMPTY = zlib.compress(b"", COMPRESSION_LEVEL)


@dataclass(frozen=True)
class RenderedBody:
    """
    The result of rendering a text; the renderer chooses the key and the link form.

    Headings and HTML stay serialized until they are used, since most bodies are
    loaded for their links alone.
    """

    key: str
    links: tuple[str, ...]
    headings_json: str
    compressed_html: bytes
    # Set on a fresh body only: its renderer reads the HTML next.
    fresh_html: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def from_html(
        cls, key: str, links: Iterable[str], headings: Iterable[Heading], html: str
    ) -> "RenderedBody":
        compressed = zlib.compress(html.encode(), COMPRESSION_LEVEL)
        return cls(key, tuple(links), json.dumps(list(headings)), compressed, html)

    @property
    def is_blank(self) -> bool:
        return self.compressed_html == EMPTY

    @property
    def headings(self) -> list[Heading]:
        return [(level, id, text) for level, id, text in json.loads(self.headings_json)]

    @property
    def html(self) -> str:
        if self.fresh_html is not None:
            return self.fresh_html
        return zlib.decompress(self.compressed_html).decode()

    def html_starts_with(self, prefix: str) -> bool:
        """Compare the start of the HTML without decompressing the rest."""
        expected = prefix.encode()
        decompressor = zlib.decompressobj()
        return decompressor.decompress(self.compressed_html, len(expected)) == expected

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(id for _, id, _ in self.headings)


class BodyRow(Row):
    key = TextField(primary_key=True)
    links = TextField()
    headings = TextField()
    html = BlobField()


def stored_bodies(keys: Sequence[str]) -> dict[str, RenderedBody]:
    """Return the bodies that are stored, by key."""
    bodies = {}
    for batch in chunked(keys, BATCH_SIZE):
        for row in BodyRow.select().where(BodyRow.key.in_(batch)):
            links = tuple(json.loads(row.links))
            bodies[row.key] = RenderedBody(
                row.key, links, row.headings, bytes(row.html)
            )
    return bodies


def stored_keys(keys: Iterable[str]) -> set[str]:
    """Return those of the keys under which a body is stored."""
    stored: set[str] = set()
    for batch in chunked(keys, BATCH_SIZE):
        rows: Any = BodyRow.select(BodyRow.key).where(BodyRow.key.in_(batch)).tuples()
        stored |= {key for (key,) in rows}
    return stored


def stored_links(keys: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the links of the bodies that are stored, by key."""
    links_by_key: dict[str, tuple[str, ...]] = {}
    for batch in chunked(keys, BATCH_SIZE):
        query = BodyRow.select(BodyRow.key, BodyRow.links)
        rows: Any = query.where(BodyRow.key.in_(batch)).tuples()
        links_by_key |= {key: tuple(json.loads(links)) for key, links in rows}
    return links_by_key


def store_bodies(bodies: Iterable[RenderedBody]) -> None:
    for batch in chunked(bodies, WRITE_BATCH_SIZE):
        rows = [
            (body.key, json.dumps(body.links), body.headings_json, body.compressed_html)
            for body in batch
        ]
        with writing(WriteLock.BUILDS):
            BodyRow.insert_many(rows).on_conflict_ignore().execute()


def delete_unused_bodies(used_keys: Iterable[str]) -> int:
    """Delete all bodies but those in use; return how many were deleted."""
    unused = {row.key for row in BodyRow.select(BodyRow.key)} - set(used_keys)
    for batch in chunked(sorted(unused), WRITE_BATCH_SIZE):
        with writing(WriteLock.BUILDS):
            BodyRow.delete().where(BodyRow.key.in_(batch)).execute()
    return len(unused)
