"""The docs site: collections and published documents."""

from collections.abc import Iterator
from typing import Any

from models.projects.published import published_contents
from sitegen.addresses import Addresses
from sitegen.page import Edition, Page, Rank, pages
from sitegen.sheet import Sheet, Sidebars
from sitegen.shelves import line_of, shelves, told


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


def _without_content(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != "content"}
