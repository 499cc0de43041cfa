"""Page through search results by relevance."""

from collections.abc import Callable
from typing import Any, Literal

from models.pagination import CursorQuery, next_cursor
from models.projects.search.search_query import newest_ranked
from models.projects.search.text_index import IndexedTextRow
from models.storage.engines.engine import RankedText

# If more texts match, only the newest are ranked: ranking all 100,000 matches of a
# common word takes 120 ms, ranking 500 takes 2 ms.
MAX_RANKED = 500

SortKey = Callable[[RankedText], tuple[float, int]]


def ranked_page(
    match: str,
    query: CursorQuery,
    where: list[Any],
    order: Literal["asc", "desc"] = "desc",
) -> tuple[list[int], str | None]:
    """
    Return the numbers of a page of texts, and the cursor of the next page.

    Every write may change the ranks. So a page continues after the current position
    of the last text, among the texts that existed when the first page was read.
    """
    sort_key = _best_first if order == "desc" else _worst_first
    last = query.decode_cursor()
    newest = last[2] if last else None
    ranked = sorted(_newest(match, where, newest), key=sort_key)
    remaining = _after(match, ranked, last, sort_key) if last else ranked
    page = remaining[: query.limit]
    cursor = None
    if len(remaining) > len(page):
        newest = newest or max(number for _, number in ranked)
        cursor = next_cursor(query, [*page[-1], newest])
    return [number for _, number in page], cursor


def _newest(match: str, where: list[Any], newest: int | None) -> list[RankedText]:
    if newest is not None:
        where = [*where, IndexedTextRow.number <= newest]
    return newest_ranked(match, IndexedTextRow, where, MAX_RANKED)


def _best_first(ranked: RankedText) -> tuple[float, int]:
    """The best text has the lowest rank; of equal ones the newer comes first."""
    rank, number = ranked
    return rank, -number


def _worst_first(ranked: RankedText) -> tuple[float, int]:
    rank, number = ranked
    return -rank, number


def _after(
    match: str, ranked: list[RankedText], last: list[Any], sort_key: SortKey
) -> list[RankedText]:
    """
    Return the texts after the last one of the previous page, by its current rank.

    If it no longer matches, its earlier rank counts.
    """
    rank, number, _ = last
    only_last = [IndexedTextRow.number == number]
    current = newest_ranked(match, IndexedTextRow, only_last, 1)
    position = sort_key(current[0] if current else (rank, number))
    return [text for text in ranked if sort_key(text) > position]
