"""Summarize the documents of the site for the pages that all areas share."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from heapq import nlargest
from itertools import chain

from models.base import Schema
from models.fields import format_moment
from models.projects.documents.linking.link_resolver import (
    COLLECTIONS,
    document_path,
)
from models.projects.documents.published import PublishedPage
from sitegen.docs.collections import (
    DocsCollection,
    docs_collections,
    document_summary,
)
from sitegen.page import BuildContext
from sitegen.urls import sitemap_paths

MAX_PAGES_OF_COLLECTION = 6
MAX_NEWEST = 5

Summary = dict[str, str | None]


class CollectionOutline(Schema):
    """A collection: its first pages, how many it has, and its sitemaps."""

    collection: str
    title: str
    href: str
    count: int
    pages: list[Summary]
    sitemaps: list[str]


class DocsOutline(Schema):
    """What the header, the front page and the list of sitemaps show of documents."""

    collections: list[CollectionOutline] = []
    newest: list[Summary] = []


def docs_outline(context: BuildContext) -> DocsOutline:
    """Return the outline of the documents that exist once the build has ended."""
    return context.once_per_build(_outline_of_all)


def use_outline(context: BuildContext, outline: DocsOutline) -> None:
    """Have the pages of this build show an outline that was made before."""
    context.build_cache[_outline_of_all] = outline


def outline_of_files(
    context: BuildContext, has_file: Callable[[str], bool]
) -> DocsOutline:
    """Return the outline of those documents whose pages are files of the site."""
    # A server that starts on an empty folder shows its status page first.
    if not any(has_file(f"{collection}/index.html") for collection in COLLECTIONS):
        return DocsOutline()
    # This process makes no pages of documents, so it need not remember them.
    once = replace(context, build_cache={}, process_cache={})
    existing = [
        DocsCollection(
            collection.collection,
            collection.title,
            [
                document
                for document in collection.documents
                if has_file(document_path(document.collection, document.slug))
            ],
        )
        for collection in docs_collections(once)
        if has_file(f"{collection.collection}/index.html")
    ]
    outline = _outline([collection for collection in existing if collection.documents])
    collections = [
        collection.model_copy(
            update={"sitemaps": list(filter(has_file, collection.sitemaps))}
        )
        for collection in outline.collections
    ]
    return DocsOutline(collections=collections, newest=outline.newest)


def _outline_of_all(context: BuildContext) -> DocsOutline:
    return _outline(docs_collections(context))


def _newest(documents: Iterable[PublishedPage]) -> list[PublishedPage]:
    """
    Return the documents that were published last, newest day first.

    Those of one day are in reading order, whichever of them came first.
    """
    newest = nlargest(
        MAX_NEWEST, enumerate(documents), key=lambda item: item[1].published_at
    )
    newest.sort(key=lambda item: (-item[1].published_at.toordinal(), item[0]))
    return [document for _, document in newest]


def _outline(collections: list[DocsCollection]) -> DocsOutline:
    documents = chain.from_iterable(collection.documents for collection in collections)
    newest = _newest(documents)
    titles = {collection.collection: collection.title for collection in collections}
    return DocsOutline(
        collections=[
            CollectionOutline(
                collection=collection.collection,
                title=collection.title,
                href=collection.href,
                count=len(collection.documents),
                pages=[
                    document_summary(document)
                    for document in collection.documents[:MAX_PAGES_OF_COLLECTION]
                ],
                # Each has the address of the collection, too.
                sitemaps=sitemap_paths(
                    collection.collection, len(collection.documents) + 1
                ),
            )
            for collection in collections
        ],
        newest=[
            document_summary(document)
            | {
                "collectionTitle": titles[document.collection],
                "publishedAt": format_moment(document.published_at),
            }
            for document in newest
        ],
    )
