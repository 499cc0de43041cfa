"""The collections of the docs site, and their documents in reading order."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import is_
from typing import Any

from models.projects.documents.link_resolver import document_href
from models.projects.documents.published import (
    PublishedDocument,
    PublishedPage,
    PublishedPageReader,
)
from sitegen.page import BuildContext
from sitegen.theme.filters import section_id

COLLECTIONS = {"guides": "Guides", "products": "Products", "support": "Support"}


_MEMBERS = tuple(PublishedDocument.model_fields)


@dataclass(frozen=True)
class DocsCollection:
    """One collection that has pages."""

    collection: str
    documents: list[PublishedPage]

    @property
    def title(self) -> str:
        return COLLECTIONS[self.collection]

    @property
    def href(self) -> str:
        return f"/{self.collection}/"

    @cached_property
    def sections(self) -> dict[str | None, list[PublishedPage]]:
        found: dict[str | None, list[PublishedPage]] = {}
        for each in self.documents:
            found.setdefault(each.section, []).append(each)
        return found

    @cached_property
    def listing(self) -> str:
        """Name what a list of its documents shows: sections, titles, summaries."""
        told = [(e.section, e.slug, e.title, e.summary) for e in self.documents]
        return hashlib.sha256(repr(told).encode()).hexdigest()

    @cached_property
    def anchors(self) -> dict[str, str]:
        """The id of each section on the collection's page; no two are equal."""
        found: dict[str, str] = {}
        for name in filter(None, self.sections):
            wanted, taken = section_id(name), set(found.values())
            more = (f"{wanted}-{n}" for n in range(2, len(taken) + 3))
            found[name] = next(i for i in (wanted, *more) if i not in taken)
        return found

    def section_href(self, section: str | None) -> str:
        return f"{self.href}#{self.anchors[section]}" if section else self.href


def docs_collections(context: BuildContext) -> list[DocsCollection]:
    """Return the collections that have pages."""
    return context.once(_read)


class _Library:
    """The shelves as they were last: one on which nothing changed is the same."""

    def __init__(self) -> None:
        self.register = PublishedPageReader()
        self.docs_collections: dict[str, DocsCollection] = {}

    def read(self) -> list[DocsCollection]:
        rows: dict[str, list[PublishedPage]] = {name: [] for name in COLLECTIONS}
        for each in self.register.read():
            rows[each.collection].append(each)
        before, self.docs_collections = self.docs_collections, {}
        for name, row in rows.items():
            known = before.get(name)
            if row:
                same = known is not None and same_objects(known.documents, row)
                self.docs_collections[name] = (
                    known if known and same else DocsCollection(name, row)
                )
        return list(self.docs_collections.values())


def _read(context: BuildContext) -> list[DocsCollection]:
    return context.always(_Library).read()


def same_objects(one: Sequence[object], other: Sequence[object]) -> bool:
    """Tell whether two rows hold the very same; what differs need not be compared."""
    return len(one) == len(other) and all(map(is_, one, other))


def told(document: PublishedPage, content: str = "") -> dict[str, Any]:
    """Return a document in the words in which the API tells it."""
    members = {name: getattr(document, name, content) for name in _MEMBERS}
    return PublishedDocument.model_validate(members).to_json()


def line_of(document: PublishedPage) -> dict[str, str | None]:
    """Return a document as a line of a register."""
    return {
        "title": document.title,
        "href": document_href(document),
        "summary": document.summary,
    }
