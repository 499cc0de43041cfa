"""The front of the site, and the page for addresses that are none."""

from collections.abc import Iterator
from heapq import nlargest
from itertools import chain
from typing import Any

from models.words import told_moment
from sitegen.board import listed_at
from sitegen.page import SHARED, Edition, Page, Rank, pages
from sitegen.shelves import line_of, shelves
from sitegen.turns import Turns

FIRST, NEWEST = 6, 5


@pages(SHARED)
def front(edition: Edition) -> Iterator[Page]:
    """The overall state, the collections, the newest pages."""
    found = shelves(edition)
    every = chain.from_iterable(shelf.documents for shelf in found)
    newest = nlargest(NEWEST, every, key=lambda d: (d.published_at, d.slug))
    titles = {shelf.collection: shelf.title for shelf in found}
    name = edition.settings.site_name
    yield Page(
        "index.html",
        _pulse(edition)
        | {
            "collections": [
                {
                    "collection": shelf.collection,
                    "title": shelf.title,
                    "href": shelf.href,
                    "count": len(shelf.documents),
                    "pages": [line_of(each) for each in shelf.documents[:FIRST]],
                }
                for shelf in found
            ],
            "newest": [
                line_of(each)
                | {
                    "collectionTitle": titles[each.collection],
                    "publishedAt": told_moment(each.published_at),
                }
                for each in newest
            ],
        },
        template="index.html",
        title=name,
        description=f"Documentation and status of {name}.",
        rank=Rank.LAST,
    )


def _pulse(edition: Edition) -> dict[str, Any]:
    """The state of the whole, and how long that may be said."""
    listed, stale_at = listed_at(edition)
    told = listed.told()
    shown = {name: told[name] for name in ("overall", "checkedAt", "stale")}
    return shown | {"staleAt": stale_at, "turn": edition.once(Turns).whole}


@pages(SHARED)
def missing(edition: Edition) -> Iterator[Page]:  # noqa: ARG001
    yield Page(
        "404.html",
        {},
        template="404.html",
        title="Not found",
        description="There is no page at this address.",
    )
