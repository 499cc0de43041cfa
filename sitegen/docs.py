"""The docs site: collections, published documents, and where they used to be."""

from collections.abc import Iterator
from typing import Any

from models.projects.published import former_addresses, published_contents
from sitegen.addresses import Addresses
from sitegen.links import document_path
from sitegen.page import Edition, Page, Rank, pages
from sitegen.sheet import Sheet, Sidebars
from sitegen.shelves import href_of, line_of, shelves, told


@pages("docs")
def collections(edition: Edition) -> Iterator[Page]:
    """The register of each collection."""
    for shelf in shelves(edition):
        sections = [
            {
                "section": name,
                "id": shelf.anchors[name] if name else None,
                "pages": [line_of(each) for each in listed],
            }
            for name, listed in shelf.sections.items()
        ]
        listed = [_without_content(told(each)) for each in shelf.documents]
        yield Page(f"{shelf.collection}/index.json", {"data": listed}, rank=Rank.LIST)
        yield Page(
            f"{shelf.collection}/index.html",
            {
                "collection": shelf.collection,
                "title": shelf.title,
                "sections": sections,
            },
            template="docs/collection.html",
            title=shelf.title,
            description=f"{shelf.title} of {edition.settings.site_name}.",
            twin=f"/{shelf.collection}/index.json",
            rank=Rank.LIST,
        )


@pages("docs")
def documents(edition: Edition) -> Iterator[Page]:
    """Every published document: for readers, for programs, and as Markdown."""
    found = shelves(edition)
    every = [each for shelf in found for each in shelf.documents]
    contents = published_contents([each.id for each in every])
    addresses = Addresses(every)
    for shelf in found:
        sidebars = Sidebars(edition, shelf)
        row = shelf.documents
        for document, before, after in zip(
            row, [None, *row], [*row[1:], None], strict=False
        ):
            content = contents[document.id]
            sheet = Sheet(
                edition, document, content, addresses, sidebars, (before, after)
            )
            yield from sheet.pages()


@pages("docs")
def redirects(edition: Edition) -> Iterator[Page]:
    """A page that has moved leaves a page that says where it is now."""
    now_at = {each.id: each for shelf in shelves(edition) for each in shelf.documents}
    taken = {document_path(each.collection, each.slug) for each in now_at.values()}
    for former in former_addresses():
        path = document_path(former.collection, former.slug)
        document = now_at.get(former.document_id)
        if document is not None and path not in taken:
            yield Page(
                path,
                {"href": href_of(document), "title": document.title},
                template="docs/redirect.html",
                title=document.title,
                description=f"{document.title} has moved.",
                rank=Rank.LAST,
            )


def _without_content(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != "content"}
