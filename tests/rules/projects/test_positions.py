"""Positions of pages in reading order, of which few change when pages come and go."""

import random

import pytest

from models.projects.documents.positions import stable_positions


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
    """What is in order keeps its position; without room all are numbered anew."""
    assert stable_positions(current) == positions


def test_any_pages_are_in_order():
    """Positions increase and are within their bounds, whatever they were."""
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
    """They stay within the bounds, in order, and some share a position."""
    positions = stable_positions([None] * 25_000)

    assert positions == sorted(positions)
    assert (len(positions), positions[-1]) == (25_000, 10_000)
