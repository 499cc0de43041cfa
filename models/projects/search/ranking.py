"""Pages of the things that have the words, by how well they match."""

from collections.abc import Callable
from typing import Any, Literal

from models.pagination import CursorQuery, next_cursor
from models.projects.search.search_query import newest_ranked
from models.projects.search.text_index import IndexedTextRow
from models.storage.engines.engine import RankedText

# Of words that very many things have, so many of the newest things are ranked.
MOST_RANKED = 500

Place = Callable[[RankedText], tuple[float, int]]


def ranked_page(
    match: str,
    query: CursorQuery,
    where: list[Any],
    order: Literal["asc", "desc"] = "desc",
) -> tuple[list[int], str | None]:
    """
    Return the numbers of a page of texts, and the cursor of the next.

    Ranks move with everything that is written. So a page goes on after where the
    last text stands now, among what there was for the first page.
    """
    place = _from_the_best if order == "desc" else _from_the_worst
    last = query.decode_cursor()
    newest = last[2] if last else None
    ranked = sorted(_newest(match, where, newest), key=place)
    after = _after(match, ranked, last, place) if last else ranked
    page = after[: query.limit]
    cursor = None
    if len(after) > len(page):
        top = newest or max(number for _, number in ranked)
        cursor = next_cursor(query, [*page[-1], top])
    return [number for _, number in page], cursor


def _newest(match: str, where: list[Any], newest: int | None) -> list[RankedText]:
    if newest is not None:
        where = [*where, IndexedTextRow.number <= newest]
    return newest_ranked(match, IndexedTextRow, where, MOST_RANKED)


def _from_the_best(ranked: RankedText) -> tuple[float, int]:
    """The best has the lowest rank; of equal ones the newer comes first."""
    rank, number = ranked
    return rank, -number


def _from_the_worst(ranked: RankedText) -> tuple[float, int]:
    rank, number = ranked
    return -rank, number


def _after(
    match: str, ranked: list[RankedText], last: list[Any], place: Place
) -> list[RankedText]:
    """
    Return what follows the last text: as it ranks now, told of or not.

    Only where it no longer has the words does it stand where it stood.
    """
    rank, number, _ = last
    only = [IndexedTextRow.number == number]
    now = newest_ranked(match, IndexedTextRow, only, 1)
    at = place(now[0] if now else (rank, number))
    return [each for each in ranked if place(each) > at]
