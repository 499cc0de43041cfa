"""
Number the pages of a tree in reading order, and change few numbers when it changes.

Pure functions: no row, no clock, no setting is read here.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

HIGHEST = 10_000
STEP = 10


def stable_positions(current: Sequence[int | None]) -> list[int]:
    """
    Return increasing positions for pages in order, given those that they have.

    As many as possible keep their position; the others get one between. If there is
    no room between, the pages around are numbered anew, as few of them as leave room
    for more pages.
    """
    kept = set(_longest_increase(current))
    positions = [
        value if index in kept else None for index, value in enumerate(current)
    ]
    end, count = 0, len(positions)
    while (start := _next_index(positions, end, has_position=False)) < count:
        end = _next_index(positions, start, has_position=True)
        between = _between(positions, start, end)
        while between is None:
            size = end - start
            start, end = max(0, start - size), min(count, end + size)
            end = _next_index(positions, end, has_position=True)
            if end - start == count:
                return _evenly(count)
            between = _between(positions, start, end, has_neighbours=True)
        positions[start:end] = between
    return [position for position in positions if position is not None]


def _next_index(
    positions: Sequence[int | None], start: int, *, has_position: bool
) -> int:
    """Return the first index from the start on whose page has a position, or none."""
    for index in range(start, len(positions)):
        if (positions[index] is not None) == has_position:
            return index
    return len(positions)


def _between(
    positions: Sequence[int | None],
    start: int,
    end: int,
    *,
    has_neighbours: bool = False,
) -> list[int] | None:
    """
    Return positions for the pages from start to end, None if they do not fit.

    Pages around new ones get no positions that leave less room than others have.
    """
    before = positions[start - 1] if start else None
    lowest, count = 0 if before is None else before + 1, end - start
    after = positions[end] if end < len(positions) else None
    if after is None and not has_neighbours and lowest + STEP * count <= HIGHEST:
        # The next multiple of the step leaves as much room as between the others.
        first = (lowest // STEP + 1) * STEP
        return [first + STEP * n for n in range(count)]
    room = (HIGHEST + 1 if after is None else after) - lowest
    is_crowded = 2 * HIGHEST * count > (HIGHEST + len(positions)) * room
    if room < count or (has_neighbours and is_crowded):
        return None
    return [lowest + room * (n + 1) // (count + 1) for n in range(count)]


def _evenly(count: int) -> list[int]:
    """Return positions at even distances; of too many pages, some have the same."""
    if STEP * count <= HIGHEST:
        return [STEP * (n + 1) for n in range(count)]
    return [HIGHEST * (n + 1) // count for n in range(count)]


def _longest_increase(values: Sequence[int | None]) -> list[int]:
    """Return the indexes of a longest strictly increasing subsequence."""
    lasts: list[int] = []
    indexes: list[int] = []
    previous: dict[int, int | None] = {}
    for index, value in enumerate(values):
        if value is None or not 0 <= value <= HIGHEST:
            continue
        place = bisect_left(lasts, value)
        previous[index] = indexes[place - 1] if place else None
        lasts[place : place + 1] = [value]
        indexes[place : place + 1] = [index]
    result: list[int] = []
    last = indexes[-1] if indexes else None
    while last is not None:
        result.append(last)
        last = previous[last]
    return result[::-1]


class ImportedPage(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def source_tree(self) -> str | None: ...


def tree_ranks(pages: Iterable[ImportedPage]) -> Mapping[str | None, int]:
    """
    Return the place of each tree among those of a collection, by its name.

    Each tree numbers its pages from the start, so positions compare only pages of one
    tree. The tree that was imported first comes first, whose documents have the lowest
    ids. Documents of no tree are among its pages.
    """
    first_ids: dict[str, str] = {}
    for page in pages:
        if page.source_tree is not None:
            first_id = first_ids.get(page.source_tree, page.id)
            first_ids[page.source_tree] = min(first_id, page.id)
    ordered = sorted(first_ids, key=first_ids.__getitem__)
    return {None: 0} | {tree: rank for rank, tree in enumerate(ordered)}
