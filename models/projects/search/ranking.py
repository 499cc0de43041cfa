"""Page through search results by relevance, and then through the others by time."""

from collections.abc import Callable
from typing import Any, Literal

from models.pagination import RankedQuery, invalid_cursor, next_cursor
from models.projects.search.search_query import newest_ranked
from models.projects.search.text_index import IndexedTextRow
from models.storage.engines.engine import NumberRange, RankedText

# If more texts match, only the newest are ranked: ranking all 100,000 matches of a
# common word takes 120 ms, ranking 500 takes 2 ms. The others follow, newest first.
MAX_RANKED = 500

SortKey = Callable[[RankedText], tuple[float, int]]
# The numbers of the texts of a page, and the `meta` of the response.
NumberPage = tuple[list[int], dict[str, Any]]


def ranked_page(
    match: str,
    query: RankedQuery,
    where: list[Any],
    order: Literal["asc", "desc"] = "desc",
) -> NumberPage:
    """
    Return the numbers of a page of texts, and the `meta` with the next cursor.

    The first page decides by their numbers which texts are ranked, so that no write
    moves a text between the ranked ones and the older ones. Every write may change the
    ranks, so a page continues after the current position of the last text.
    """
    last = query.decode_cursor()
    if last is None:
        ranked, numbers = _first_ranked(match, where)
    elif len(last) == 1:
        return _page_by_time(match, query, where, last[0])
    elif len(last) == 4:
        numbers = NumberRange(*last[2:])
        ranked = newest_ranked(match, IndexedTextRow, where, None, numbers)
    else:
        raise invalid_cursor()
    sort_key = _best_first if order == "desc" else _worst_first
    remaining = sorted(ranked, key=sort_key)
    if last is not None:
        remaining = _after(match, remaining, last, sort_key)
    if numbers.first and not remaining:
        return _page_by_time(match, query, where, numbers.first)
    page = remaining[: query.limit]
    cursor = None
    if len(remaining) > len(page):
        cursor = next_cursor(query, [*page[-1], *numbers])
    elif numbers.first:
        cursor = next_cursor(query, [numbers.first])
    return [number for _, number in page], {"cursor": cursor}


def _first_ranked(match: str, where: list[Any]) -> tuple[list[RankedText], NumberRange]:
    """Return the texts to rank, and their range; it begins at 0 if none are older."""
    ranked = newest_ranked(match, IndexedTextRow, where, MAX_RANKED + 1)
    has_older = len(ranked) > MAX_RANKED
    numbers = [number for _, number in ranked[:MAX_RANKED]]
    newest = max(numbers, default=0)
    return ranked[:MAX_RANKED], NumberRange(min(numbers) if has_older else 0, newest)


def _page_by_time(
    match: str, query: RankedQuery, where: list[Any], before: int
) -> NumberPage:
    """Return the texts with lower numbers, newest first."""
    older = NumberRange(0, before - 1)
    found = newest_ranked(match, IndexedTextRow, where, query.limit + 1, older)
    numbers = [number for _, number in found]
    page = numbers[: query.limit]
    cursor = next_cursor(query, page[-1:]) if len(numbers) > len(page) else None
    return page, {"cursor": cursor, "sortedBy": "time"}


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
    rank, number, *_ = last
    only_last = NumberRange(number, number)
    current = newest_ranked(match, IndexedTextRow, [], 1, only_last)
    position = sort_key(current[0] if current else (rank, number))
    return [text for text in ranked if sort_key(text) > position]
