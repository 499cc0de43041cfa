"""The docs site: collections and published documents."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from models.projects.documents.published import PublishedPage
from sitegen.docs.collections import DocsCollection, docs_collections, line_of, told
from sitegen.docs.document_page_cache import DocumentPageCache
from sitegen.page import BuildContext, Page, PageBatch, Rank, pages


@pages("docs")
def documents(context: BuildContext) -> Iterator[PageBatch]:
    """Every published document: for readers, for programs, and as Markdown."""
    yield from context.always(DocumentPageCache).pages(context)


@pages("docs", costly=True)
def collections(context: BuildContext) -> Iterator[Page]:
    """The register of each collection."""
    registers = context.always(_Registers)
    for collection in docs_collections(context):
        yield from registers.of(collection, context.settings.site_name)


class _Registers:
    """The registers as they were last, and each document's line in them."""

    def __init__(self) -> None:
        self._known: dict[str, _Register] = {}

    def of(self, collection: DocsCollection, site_name: str) -> list[Page]:
        """Return the pages of a shelf; of one that stands they are the same objects."""
        known = self._known.get(collection.collection)
        if known is None or known.collection is not collection:
            lines = _lines(collection, known.lines if known else {})
            pages = [
                _for_programs(collection, lines),
                _for_readers(collection, site_name),
            ]
            known = self._known[collection.collection] = _Register(
                collection, lines, pages
            )
        return known.pages


Lines = dict[str, tuple[PublishedPage, str]]


@dataclass(frozen=True)
class _Register:
    collection: DocsCollection
    lines: Lines
    pages: list[Page]


def _lines(collection: DocsCollection, known: Lines) -> Lines:
    """Return each document as JSON; to tell all of them anew takes its time."""
    found = {}
    for each in collection.documents:
        line = known.get(each.id)
        if line is None or line[0] is not each:
            facts = {n: v for n, v in told(each).items() if n != "content"}
            line = (each, json.dumps(facts, ensure_ascii=False, separators=(",", ":")))
        found[each.id] = line
    return found


def _for_programs(collection: DocsCollection, lines: Lines) -> Page:
    rows = ",".join(line for _, line in lines.values())
    text = f'{{"data":[{rows}]}}\n'.encode()
    return Page(f"{collection.collection}/index.json", text, key=text, rank=Rank.LIST)


def _for_readers(collection: DocsCollection, site_name: str) -> Page:
    def data() -> dict[str, Any]:
        sections = [
            {
                "section": name,
                "id": collection.anchors[name] if name else None,
                "pages": [line_of(each) for each in listed],
            }
            for name, listed in collection.sections.items()
        ]
        facts = {"collection": collection.collection, "title": collection.title}
        return facts | {"sections": sections}

    return Page(
        f"{collection.collection}/index.html",
        data,
        template="docs/collection.html",
        title=collection.title,
        description=f"{collection.title} of {site_name}.",
        twin=f"/{collection.collection}/index.json",
        key=collection.listing,
        rank=Rank.LIST,
    )
