"""The collections of the docs site, and their documents in reading order."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from models.hosting import address
from models.projects.published import (
    PublishedDocument,
    PublishedPage,
    published_documents,
)
from sitegen.filters import anchor
from sitegen.links import document_path
from sitegen.page import Edition

COLLECTIONS = {"guides": "Guides", "products": "Products", "support": "Support"}


_MEMBERS = tuple(PublishedDocument.model_fields)


@dataclass(frozen=True)
class Shelf:
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
    def anchors(self) -> dict[str, str]:
        """The id of each section on the collection's page; no two are equal."""
        found: dict[str, str] = {}
        for name in filter(None, self.sections):
            wanted, taken = anchor(name), set(found.values())
            more = (f"{wanted}-{n}" for n in range(2, len(taken) + 3))
            found[name] = next(i for i in (wanted, *more) if i not in taken)
        return found

    def section_href(self, section: str | None) -> str:
        return f"{self.href}#{self.anchors[section]}" if section else self.href


def shelves(edition: Edition) -> list[Shelf]:
    """Return the collections that have pages."""
    return edition.once(_read)


def _read(_: Edition) -> list[Shelf]:
    found = published_documents()
    shelved = [
        Shelf(name, [each for each in found if each.collection == name])
        for name in COLLECTIONS
    ]
    return [shelf for shelf in shelved if shelf.documents]


def href_of(document: PublishedPage) -> str:
    return address(document_path(document.collection, document.slug))


def told(document: PublishedPage, content: str = "") -> dict[str, Any]:
    """Return a document in the words in which the API tells it."""
    members = {name: getattr(document, name, content) for name in _MEMBERS}
    return PublishedDocument.model_validate(members).told()


def line_of(document: PublishedPage) -> dict[str, str | None]:
    """Return a document as a line of a register."""
    return {
        "title": document.title,
        "href": href_of(document),
        "summary": document.summary,
    }
