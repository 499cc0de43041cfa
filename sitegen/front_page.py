"""The front of the site, and the page for addresses that are none."""

from collections.abc import Iterator
from heapq import nlargest
from itertools import chain
from typing import Any

from models.fields import format_moment
from sitegen.docs.collections import docs_collections, line_of
from sitegen.page import SHARED, BuildContext, Page, Rank, pages
from sitegen.status.status_data import read_service_list
from sitegen.status.upcoming_changes import UpcomingChanges

FIRST, NEWEST = 6, 5


@pages(SHARED)
def front(context: BuildContext) -> Iterator[Page]:
    """The overall state, the collections, the newest pages."""
    found = docs_collections(context)
    every = chain.from_iterable(collection.documents for collection in found)
    newest = nlargest(NEWEST, every, key=lambda d: (d.published_at, d.slug))
    titles = {collection.collection: collection.title for collection in found}
    name = context.settings.site_name
    yield Page(
        "index.html",
        _pulse(context)
        | {
            "collections": [
                {
                    "collection": collection.collection,
                    "title": collection.title,
                    "href": collection.href,
                    "count": len(collection.documents),
                    "pages": [line_of(each) for each in collection.documents[:FIRST]],
                }
                for collection in found
            ],
            "newest": [
                line_of(each)
                | {
                    "collectionTitle": titles[each.collection],
                    "publishedAt": format_moment(each.published_at),
                }
                for each in newest
            ],
        },
        template="index.html",
        title=name,
        description=f"Documentation and status of {name}.",
        rank=Rank.LAST,
    )


def _pulse(context: BuildContext) -> dict[str, Any]:
    """The state of the whole, and how long that may be said."""
    listed, stale_at = read_service_list(context)
    told = listed.to_json()
    shown = {name: told[name] for name in ("overall", "checkedAt", "stale")}
    upcoming = context.once(UpcomingChanges).overall
    return shown | {"staleAt": stale_at, "upcomingChange": upcoming}


@pages(SHARED)
def missing(context: BuildContext) -> Iterator[Page]:  # noqa: ARG001
    yield Page(
        "404.html",
        {},
        template="404.html",
        title="Not found",
        description="There is no page at this address.",
    )
