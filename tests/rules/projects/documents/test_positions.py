"""Positions of pages in reading order; few change when pages are added or removed."""

import random

import pytest

from models.projects.documents.positions import stable_positions
from tests.processor import at_most


@pytest.mark.parametrize(
    ("current", "positions"),
    [
        ([], []),
        ([None, None, None], [10, 20, 30]),
        ([1, 2, 3], [1, 2, 3]),
        ([10, None, 20], [10, 15, 20]),
        ([10, 20, None], [10, 20, 30]),
        ([20, 10, 30], [5, 10, 30]),
        ([1, None, 2], [10, 20, 30]),
        ([10_000, None], [10, 20]),
    ],
)
def test_stable_positions(current, positions):
    """Pages in order keep their positions; without space all are renumbered."""
    assert stable_positions(current) == positions


def test_any_pages_are_in_order():
    """Positions increase and are within their limits, whatever they were."""
    seed = random.randrange(10**9)
    print("seed", seed)
    rng = random.Random(seed)
    values = [None, *range(30), *range(9_990, 10_010)]
    for _ in range(500):
        current = rng.choices(values, k=rng.randrange(14))

        positions = stable_positions(current)

        assert positions == sorted(set(positions))
        assert len(positions) == len(current)
        assert all(0 <= position <= 10_000 for position in positions)


def test_more_pages_than_positions():
    """
    With too many pages, positions are in order within the limits, and some are shared.
    """
    positions = stable_positions([None] * 25_000)

    assert positions == sorted(positions)
    assert (len(positions), positions[-1]) == (25_000, 10_000)


@pytest.mark.parametrize("pages", [300, 1_000, 2_600, 9_000])
def test_new_pages_in_the_middle(pages):
    """However many pages there are, new ones renumber at most a few around them."""
    before = dict(enumerate(stable_positions([None] * pages)))

    for count in (1, 5, 20):
        order = [*range(pages // 2), *["new"] * count, *range(pages // 2, pages)]
        after = stable_positions([before.get(page) for page in order])

        assert after == sorted(set(after))
        pairs = zip(order, after, strict=True)
        changed = [page for page, number in pairs if before.get(page, number) != number]
        assert len(changed) <= 25 * count


@pytest.mark.parametrize("pages", [100, 2_600])
def test_new_page_every_day(pages):
    """A place at which a page is added every day is renumbered only rarely."""
    order = list(range(pages))
    positions = dict(enumerate(stable_positions([None] * pages)))
    changed = 0

    for day in range(100):
        order.insert(pages // 2, f"day {day}")
        after = stable_positions([positions.get(page) for page in order])
        new = dict(zip(order, after, strict=True))
        changed += sum(new[page] != number for page, number in positions.items())
        positions = new

    assert changed < 20 * 100


def test_many_gaps():
    """Ten thousand pages with a gap after each are numbered in linear time."""
    current = [number // 2 if number % 2 else None for number in range(10_000)]

    with at_most(seconds=1):
        positions = stable_positions(current)

    assert positions == sorted(set(positions))
