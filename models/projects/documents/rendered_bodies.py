"""Rendered texts, kept by the digest of what they were made from."""

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from peewee import BlobField, TextField, chunked

from models.base import Row
from models.projects.documents.renamed_headings import Heading
from models.projects.versioning.versioned import AT_ONCE
from models.storage.database import writing

# One transaction holds the writer's lock for a few milliseconds only.
KEPT_AT_ONCE = 100
# Fast: a tenth of a millisecond for a page, which then is a third as long.
LEVEL = 1
NOTHING = zlib.compress(b"", LEVEL)


@dataclass(frozen=True)
class Body:
    """
    What a text was rendered to; whoever keeps it names it and knows what it means.

    Headings and HTML stay packed until they are asked for: most bodies are looked at
    for their links alone.
    """

    key: str
    links: tuple[str, ...]
    told_headings: str
    packed: bytes
    # As long as it is fresh: whoever rendered it asks for it next.
    unpacked: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(
        cls, key: str, links: Iterable[str], headings: Iterable[Heading], html: str
    ) -> "Body":
        packed = zlib.compress(html.encode(), LEVEL)
        return cls(key, tuple(links), json.dumps(list(headings)), packed, html)

    @property
    def is_blank(self) -> bool:
        return self.packed == NOTHING

    @property
    def headings(self) -> list[Heading]:
        return [(level, id, text) for level, id, text in json.loads(self.told_headings)]

    @property
    def html(self) -> str:
        if self.unpacked is not None:
            return self.unpacked
        return zlib.decompress(self.packed).decode()

    def begins(self, text: str) -> bool:
        """Tell how the HTML begins, without unpacking the rest."""
        told = text.encode()
        return zlib.decompressobj().decompress(self.packed, len(told)) == told

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(id for _, id, _ in self.headings)


class BodyRow(Row):
    key = TextField(primary_key=True)
    links = TextField()
    headings = TextField()
    html = BlobField()


def bodies_with(keys: Sequence[str]) -> dict[str, Body]:
    """Return those that are kept, by their keys."""
    found = {}
    for some in chunked(keys, AT_ONCE):
        for row in BodyRow.select().where(BodyRow.key.in_(some)):
            links = tuple(json.loads(row.links))
            found[row.key] = Body(row.key, links, row.headings, bytes(row.html))
    return found


def links_with(keys: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the links alone of those that are kept, by their keys."""
    found: dict[str, tuple[str, ...]] = {}
    for some in chunked(keys, AT_ONCE):
        query = BodyRow.select(BodyRow.key, BodyRow.links).where(BodyRow.key.in_(some))
        rows: Any = query.tuples()
        found |= {key: tuple(json.loads(links)) for key, links in rows}
    return found


def keep_bodies(bodies: Iterable[Body]) -> None:
    for some in chunked(bodies, KEPT_AT_ONCE):
        rows = [
            (each.key, json.dumps(each.links), each.told_headings, each.packed)
            for each in some
        ]
        with writing():
            BodyRow.insert_many(rows).on_conflict_ignore().execute()


def forget_bodies(wanted: Iterable[str]) -> int:
    """Forget all but those that are wanted; what is wanted again is rendered again."""
    wanted = set(wanted)
    kept = {row.key for row in BodyRow.select(BodyRow.key)}
    for some in chunked(sorted(kept - wanted), KEPT_AT_ONCE):
        with writing():
            BodyRow.delete().where(BodyRow.key.in_(some)).execute()
    return len(kept - wanted)
