"""The sheets of all documents, kept from build to build as long as they stand."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

from models.projects.documents.link_resolver import LinkResolver
from models.projects.documents.publication_history import (
    EarlierRevision,
    documents_with_several_versions,
    earlier_published_revisions,
)
from models.projects.documents.published import PublishedPage, published_contents
from models.projects.documents.renamed_headings import former_ids
from models.projects.documents.rendered_bodies import RenderedBody
from models.response_headers import without_query
from sitegen.docs.body_cache import Bodies
from sitegen.docs.collections import DocsCollection, docs_collections
from sitegen.docs.document_page import DocumentPage
from sitegen.docs.prefetch import Ahead
from sitegen.docs.sidebar import Sidebars
from sitegen.page import BuildContext, PageBatch

# What a document may change without any link leading elsewhere.
WORDS = {
    *("title", "summary", "section", "position", "published_version"),
    *("published_at", "revised_at", "size", "digest"),
}
_place = attrgetter(
    *(each.name for each in fields(PublishedPage) if each.name not in WORDS)
)


class DocumentPageCache:
    """One for all builds of a process; a build begins with `pages`."""

    addresses: LinkResolver
    _bodies: Bodies
    _held: Ahead[RenderedBody]
    _contents: Ahead[str]
    _earlier: Ahead[list[EarlierRevision]]
    _of_several: set[str]

    def __init__(self) -> None:
        self._sheets: dict[str, DocumentPage] = {}
        self._sidebars = Sidebars()
        self._places: list[Any] | None = None

    def pages(self, context: BuildContext) -> Iterator[PageBatch]:
        """Yield the pages of every document; those that stand are the same objects."""
        found = docs_collections(context)
        every = [each for collection in found for each in collection.documents]
        self._bodies = context.bodies
        self._read_ahead(every)
        self._of_several = documents_with_several_versions()
        moved = self._find_addresses(every)
        yield PageBatch(self._renewed(context, found, moved))
        # All that was read ahead has been used; what comes now needs the room.
        self._read_ahead([])
        # Links are looked at when a page is made.
        for page in self._sheets.values():
            context.warnings.extend(page.warnings())
            context.leads.extend(page.leads)
        context.warnings.extend(self._lost_anchors())

    def leading_to(self, place: str) -> dict[str, list[PublishedPage]]:
        """Return, by page, the documents that link to a place which holds none."""
        found: dict[str, dict[str, PublishedPage]] = {}
        for page in self._sheets.values():
            for href, _ in page.leads:
                if href.startswith(place):
                    documents = found.setdefault(without_query(href), {})
                    documents[page.document.id] = page.document
        return {path: list(documents.values()) for path, documents in found.items()}

    def _lost_anchors(self) -> Iterator[str]:
        """
        Say which links lead to a heading that is not there.

        A page stands while the headings of others change, so this is asked of every
        build; it is a look into what the sheets know.
        """
        for page in self._sheets.values():
            for target, href, fragment in page.anchored:
                document = self.addresses.document_at(href) if href else page.document
                if document and fragment not in self._sheets[document.id].ids:
                    yield f"{page.name}: no heading is at {target}"

    def _read_ahead(self, documents: list[PublishedPage]) -> None:
        self._held = Ahead(documents, self._bodies.load)
        self._contents = Ahead(documents, _contents)
        self._earlier = Ahead(documents, _earlier)

    def body(self, document: PublishedPage) -> RenderedBody:
        held = self._held.of(document)
        return held or self._bodies.of(document, lambda: self.content(document))

    def former_ids(self, document: PublishedPage, body: RenderedBody) -> dict[str, str]:
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
        self, context: BuildContext, found: list[DocsCollection], moved: bool
    ) -> Iterator[DocumentPage]:
        known, self._sheets = self._sheets, {}
        for collection in found:
            sidebars = self._sidebars.of(collection, context.theme)
            row = collection.documents
            for around in zip([None, *row], row, [*row[1:], None], strict=False):
                before, document, after = around
                facts = (document, (before, after), sidebars[document.section])
                page = known.get(document.id)
                if page is None or not page.stands(*facts, moved=moved):
                    page = DocumentPage(self, *facts)
                self._sheets[document.id] = page
                yield page

    def _find_addresses(self, documents: list[PublishedPage]) -> bool:
        """Renew the addresses if any is another; tell whether that is so."""
        places = [_place(each) for each in documents]
        if places == self._places:
            return False
        self._places, self.addresses = places, LinkResolver(documents)
        return True


def _earlier(documents: Sequence[PublishedPage]) -> dict[str, list[EarlierRevision]]:
    return earlier_published_revisions(
        {each.id: each.published_version for each in documents}
    )


def _contents(documents: Sequence[PublishedPage]) -> dict[str, str]:
    return published_contents([each.id for each in documents])
