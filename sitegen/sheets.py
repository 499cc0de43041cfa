"""The sheets of all documents, kept from build to build as long as they stand."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

from models.hosting import page_of
from models.projects.addresses import Addresses
from models.projects.bodies import Body
from models.projects.earlier import (
    EarlierRevision,
    earlier_revisions,
    of_several_versions,
)
from models.projects.published import PublishedPage, published_contents
from models.projects.renamed import former_ids
from sitegen.ahead import Ahead
from sitegen.bodies import Bodies
from sitegen.page import Edition, Row
from sitegen.sheet import Sheet
from sitegen.shelves import Shelf, shelves
from sitegen.sidebar import Sidebars

# What a document may change without any link leading elsewhere.
WORDS = {
    *("title", "summary", "section", "position", "published_version"),
    *("published_at", "revised_at", "size", "digest"),
}
_place = attrgetter(
    *(each.name for each in fields(PublishedPage) if each.name not in WORDS)
)


class Sheets:
    """One for all builds of a process; a build begins with `pages`."""

    addresses: Addresses
    _bodies: Bodies
    _held: Ahead[Body]
    _contents: Ahead[str]
    _earlier: Ahead[list[EarlierRevision]]
    _of_several: set[str]

    def __init__(self) -> None:
        self._sheets: dict[str, Sheet] = {}
        self._sidebars = Sidebars()
        self._places: list[Any] | None = None

    def pages(self, edition: Edition) -> Iterator[Row]:
        """Yield the pages of every document; those that stand are the same objects."""
        found = shelves(edition)
        every = [each for shelf in found for each in shelf.documents]
        self._bodies = edition.bodies
        self._read_ahead(every)
        self._of_several = of_several_versions()
        moved = self._find_addresses(every)
        yield Row(self._renewed(edition, found, moved))
        # All that was read ahead has been used; what comes now needs the room.
        self._read_ahead([])
        # Links are looked at when a page is made.
        for sheet in self._sheets.values():
            edition.warnings.extend(sheet.warnings())
            edition.leads.extend(sheet.leads)
        edition.warnings.extend(self._lost_anchors())

    def leading_to(self, place: str) -> dict[str, list[PublishedPage]]:
        """Return, by page, the documents that link to a place which holds none."""
        found: dict[str, dict[str, PublishedPage]] = {}
        for sheet in self._sheets.values():
            for href, _ in sheet.leads:
                if href.startswith(place):
                    page = page_of(href)
                    found.setdefault(page, {})[sheet.document.id] = sheet.document
        return {page: list(each.values()) for page, each in found.items()}

    def _lost_anchors(self) -> Iterator[str]:
        """
        Say which links lead to a heading that is not there.

        A page stands while the headings of others change, so this is asked of every
        build; it is a look into what the sheets know.
        """
        for sheet in self._sheets.values():
            for target, href, fragment in sheet.anchored:
                document = self.addresses.document_at(href) if href else sheet.document
                if document and fragment not in self._sheets[document.id].ids:
                    yield f"{sheet.name}: no heading is at {target}"

    def _read_ahead(self, documents: list[PublishedPage]) -> None:
        self._held = Ahead(documents, self._bodies.load)
        self._contents = Ahead(documents, _contents)
        self._earlier = Ahead(documents, _earlier)

    def body(self, document: PublishedPage) -> Body:
        held = self._held.of(document)
        return held or self._bodies.of(document, lambda: self.content(document))

    def former_ids(self, document: PublishedPage, body: Body) -> dict[str, str]:
        """Return what the headings of the page were called before."""
        is_first = document.id not in self._of_several
        earlier = None if is_first else self._earlier.of(document)
        if not earlier:
            return {}
        before = self._bodies.earlier(earlier)
        return former_ids([each.headings for each in [*before, body]])

    def content(self, document: PublishedPage) -> str:
        return self._contents.of(document) or ""

    def _renewed(
        self, edition: Edition, found: list[Shelf], moved: bool
    ) -> Iterator[Sheet]:
        known, self._sheets = self._sheets, {}
        for shelf in found:
            sidebars = self._sidebars.of(shelf, edition.looks)
            row = shelf.documents
            for around in zip([None, *row], row, [*row[1:], None], strict=False):
                before, document, after = around
                facts = (document, (before, after), sidebars[document.section])
                sheet = known.get(document.id)
                if sheet is None or not sheet.stands(*facts, moved=moved):
                    sheet = Sheet(self, *facts)
                self._sheets[document.id] = sheet
                yield sheet

    def _find_addresses(self, documents: list[PublishedPage]) -> bool:
        """Renew the addresses if any is another; tell whether that is so."""
        places = [_place(each) for each in documents]
        if places == self._places:
            return False
        self._places, self.addresses = places, Addresses(documents)
        return True


def _earlier(documents: Sequence[PublishedPage]) -> dict[str, list[EarlierRevision]]:
    return earlier_revisions({each.id: each.published_version for each in documents})


def _contents(documents: Sequence[PublishedPage]) -> dict[str, str]:
    return published_contents([each.id for each in documents])
