"""Generate the docs site: the pages of documents, and the list of each collection."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from models.projects.documents.published import PublishedPage
from sitegen.docs.collections import (
    DocsCollection,
    docs_collections,
    list_sections,
    serialize_document,
)
from sitegen.docs.document_page_cache import DocumentPageCache
from sitegen.page import BuildContext, Page, Stage, pages


@pages("docs")
def documents(context: BuildContext) -> Iterator[Page]:
    """Each published document as a page, as JSON and as Markdown."""
    for document in context.once_per_process(DocumentPageCache).pages(context):
        yield from document.pages


def pages_of_new_texts(context: BuildContext) -> Iterator[Page]:
    """
    Yield the pages of documents of which only the text changed since the last build.

    They are found without reading all documents, so readers need not wait for that.
    """
    cache = context.once_per_process(DocumentPageCache)
    for document in cache.pages_of_new_texts(context):
        yield from document.pages


@pages("docs", Stage.LISTS)
def collections(context: BuildContext) -> Iterator[Page]:
    """The list of each collection, as a page and as JSON."""
    lists = context.once_per_process(_CollectionLists)
    for collection in docs_collections(context):
        yield from lists.pages(collection, context)


# Each document, and its JSON without its content.
SerializedDocuments = dict[str, tuple[PublishedPage, str]]


@dataclass(frozen=True)
class _CollectionList:
    collection: DocsCollection
    serialized: SerializedDocuments
    pages: list[Page]


class _CollectionLists:
    """The lists of the last build, and each document's JSON in them."""

    def __init__(self) -> None:
        self._lists: dict[str, _CollectionList] = {}

    def pages(self, collection: DocsCollection, context: BuildContext) -> list[Page]:
        """Return the pages of a collection, the same objects while it is unchanged."""
        cached = self._lists.get(collection.collection)
        if cached is None or cached.collection is not collection:
            serialized = _serialize(collection, cached.serialized if cached else {})
            pages = [_json_list(collection, serialized)]
            if not any(each.path == "" for each in collection.published):
                # Otherwise the page of that document lists the others.
                pages.append(_list_page(collection, context))
            cached = _CollectionList(collection, serialized, pages)
            self._lists[collection.collection] = cached
        return cached.pages


def _serialize(
    collection: DocsCollection, before: SerializedDocuments
) -> SerializedDocuments:
    """Return each document as JSON; only changed documents are serialized again."""
    serialized = {}
    for document in filter(attrgetter("is_listed"), collection.published):
        item = before.get(document.id)
        if item is None or item[0] is not document:
            fields = serialize_document(document)
            fields.pop("content")
            text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
            item = (document, text)
        serialized[document.id] = item
    return serialized


def _json_list(collection: DocsCollection, serialized: SerializedDocuments) -> Page:
    items = ",".join(text for _, text in serialized.values())
    content = f'{{"data":[{items}]}}\n'.encode()
    return Page(f"{collection.collection}/index.json", content, key=content)


def _list_page(collection: DocsCollection, context: BuildContext) -> Page:
    def data() -> dict[str, Any]:
        return {
            "collection": collection.collection,
            "title": collection.title,
            "count": len(collection.documents),
            "listing": list_sections(collection.root),
        }

    return Page(
        f"{collection.collection}/index.html",
        data,
        template="docs/collection.html",
        title=collection.title,
        description=context.theme.locale.text(
            "docs.collection-of",
            collection=collection.title,
            site=context.settings.site_name,
        ),
        json_href=f"/{collection.collection}/index.json",
        key=collection.listing_key,
    )
