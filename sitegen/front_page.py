"""Generate the front page of the site and its 404 page."""

from collections.abc import Iterator
from heapq import nlargest
from itertools import chain
from typing import Any

from models.fields import format_moment
from sitegen.docs.collections import docs_collections, document_summary
from sitegen.page import SHARED, BuildContext, Page, Stage, pages
from sitegen.status.status_data import read_service_list
from sitegen.status.upcoming_changes import UpcomingChanges

MAX_PAGES_OF_COLLECTION = 6
MAX_NEWEST = 5


@pages(SHARED, Stage.ENTRY_POINTS)
def front_page(context: BuildContext) -> Iterator[Page]:
    """Show the overall status, the collections and the newest documents."""
    collections = docs_collections(context)
    documents = chain.from_iterable(collection.documents for collection in collections)
    newest = nlargest(MAX_NEWEST, documents, key=lambda d: (d.published_at, d.slug))
    titles = {collection.collection: collection.title for collection in collections}
    name = context.settings.site_name
    yield Page(
        "index.html",
        _overall_status(context)
        | {
            "collections": [
                {
                    "collection": collection.collection,
                    "title": collection.title,
                    "href": collection.href,
                    "count": len(collection.documents),
                    "pages": [
                        document_summary(document)
                        for document in collection.documents[:MAX_PAGES_OF_COLLECTION]
                    ],
                }
                for collection in collections
            ],
            "newest": [
                document_summary(document)
                | {
                    "collectionTitle": titles[document.collection],
                    "publishedAt": format_moment(document.published_at),
                }
                for document in newest
            ],
        },
        template="index.html",
        title=name,
        description=f"Documentation and status of {name}.",
    )


def _overall_status(context: BuildContext) -> dict[str, Any]:
    """Return the overall status and the time at which it becomes stale."""
    listed, stale_at = read_service_list(context)
    service_list = listed.to_json()
    status = {name: service_list[name] for name in ("overall", "checkedAt", "stale")}
    upcoming = context.once_per_build(UpcomingChanges).overall
    return status | {"staleAt": stale_at, "upcomingChange": upcoming}


@pages(SHARED)
def not_found(context: BuildContext) -> Iterator[Page]:  # noqa: ARG001
    yield Page(
        "404.html",
        {},
        template="404.html",
        title="Not found",
        description="There is no page at this address.",
    )
