"""Summarize the documents of the site for the pages that all areas share."""

from collections.abc import Iterable
from datetime import datetime
from heapq import nlargest
from itertools import chain
from pathlib import Path

from models.base import Schema
from models.fields import format_moment
from models.projects.documents.published import PublishedPage
from sitegen.docs.collections import (
    DocsCollection,
    docs_collections,
    document_summary,
)
from sitegen.output.folder import OutputFolder
from sitegen.page import BuildContext
from sitegen.urls import sitemap_paths

MAX_PAGES_OF_COLLECTION = 6
MAX_NEWEST = 5
# In the output folder, beside the manifests; it is not served.
STORED = ".masthead.outline.json"

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


def store_outline(outline: DocsOutline, folder: OutputFolder) -> None:
    """Write the outline for the builds of other areas."""
    content = outline.model_dump_json().encode()
    if not folder.has_content(STORED, content):
        folder.write(STORED, content)


def stored_outline(output: Path) -> DocsOutline:
    """Return the outline of the documents in this folder, of none if it is damaged."""
    try:
        return DocsOutline.model_validate_json((output / STORED).read_bytes())
    except (OSError, ValueError):
        return DocsOutline()


def _outline_of_all(context: BuildContext) -> DocsOutline:
    return _outline(docs_collections(context))


def _changed_at(document: PublishedPage) -> datetime:
    return document.changed_at or document.published_at


def _newest(documents: Iterable[PublishedPage]) -> list[PublishedPage]:
    """
    Return the documents that were changed or published last, newest day first.

    Those of one day are in reading order, whichever of them came first.
    """
    newest = nlargest(
        MAX_NEWEST, enumerate(documents), key=lambda item: _changed_at(item[1])
    )
    newest.sort(key=lambda item: (-_changed_at(item[1]).toordinal(), item[0]))
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
                # The address of the collection is that of its first page, too.
                sitemaps=sitemap_paths(
                    collection.collection,
                    1 + sum(1 for document in collection.documents if document.path),
                ),
            )
            for collection in collections
        ],
        newest=[
            document_summary(document)
            | {
                "collectionTitle": titles[document.collection],
                "publishedAt": format_moment(_changed_at(document)),
            }
            for document in newest
        ],
    )
