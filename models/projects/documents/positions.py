"""
Number the pages of a tree in reading order, and change few numbers when it changes.

Pure functions: no row, no clock, no setting is read here.
"""

from bisect import bisect_left
from collections.abc import Sequence

HIGHEST = 10_000
STEP = 10


def stable_positions(current: Sequence[int | None]) -> list[int]:
    """
    Return increasing positions for pages in order, given those that they have.

    As many as possible keep their position; the others get one between. If there is
    no room between, all are numbered anew.
    """
    kept = _longest_increase(current)
    positions: list[int] = []
    before = 0
    for index in [*kept, None]:
        end = len(current) if index is None else index
        after = None if index is None else current[index]
        between = _between(before, after, end - len(positions))
        if between is None:
            return _evenly(len(current))
        positions += between
        if after is not None:
            positions.append(after)
            before = after + 1
    return positions


def _between(lowest: int, after: int | None, count: int) -> list[int] | None:
    """Return so many positions from the lowest, None if they do not fit."""
    if after is None:
        step = STEP if lowest + STEP * count <= HIGHEST else 1
        # The next multiple of the step leaves as much room as between the others.
        first = lowest if not lowest else (lowest // step + 1) * step
        first = max(first, step)
        last = first + step * (count - 1)
        return [*range(first, last + 1, step)] if last <= HIGHEST else None
    if after - lowest < count:
        return None
    return [lowest + (after - lowest) * (n + 1) // (count + 1) for n in range(count)]


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
