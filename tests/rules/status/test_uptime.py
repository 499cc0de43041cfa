"""Percentages and averages, and periods without the windows."""

from datetime import timedelta

import pytest

from models.status.maintenance.intervals import spans_outside
from models.status.uptime.uptime import Counts, sum_counts
from tests.conftest import NOON

pytestmark = pytest.mark.both_engines


@pytest.mark.parametrize(
    ("up", "degraded", "down", "pct"),
    [
        (0, 0, 0, None),
        (0, 0, 1, 0.0),
        (1, 0, 0, 100.0),
        (0, 1, 0, 100.0),
        (999_999, 0, 1, 99.999),
        (2, 0, 1, 66.666),
        (1, 0, 999_999, 0.0),
    ],
)
def test_percentage_is_floored(up, degraded, down, pct):
    """One sample that is down among a million is visible: the value is never 100."""
    assert Counts(up, degraded, down).uptime_pct == pct


@pytest.mark.parametrize(
    ("added", "count", "mean"),
    [(0, 0, None), (0, 2, 0), (3, 2, 2), (4, 3, 1), (5, 3, 2)],
)
def test_mean_is_rounded(added, count, mean):
    """Halves are rounded up."""
    assert Counts(time_sum=added, time_count=count).average_ms == mean


def test_total():
    """Counts of parts are added up, field by field."""
    assert sum_counts([Counts(1, 2, 3, 4, 5), Counts(10, 20, 30, 40, 50)]) == Counts(
        11, 22, 33, 44, 55
    )
    assert sum_counts([]) == Counts()


@pytest.mark.parametrize(
    ("windows", "left"),
    [
        ([], [(0, 10)]),
        ([(-5, 0)], [(0, 10)]),
        ([(10, 15)], [(0, 10)]),
        ([(-5, 15)], []),
        ([(0, 10)], []),
        ([(2, 4)], [(0, 2), (4, 10)]),
        ([(2, 4), (4, 6)], [(0, 2), (6, 10)]),
        ([(2, 8), (3, 4), (7, 9)], [(0, 2), (9, 10)]),
        ([(-2, 3), (8, 12)], [(3, 8)]),
    ],
)
def test_outside(windows, left):
    """Windows may touch, overlap, contain each other and exceed the period."""

    def spans(pairs):
        return [tuple(NOON + timedelta(hours=n) for n in pair) for pair in pairs]

    assert list(spans_outside(spans(windows), spans([(0, 10)])[0])) == spans(left)
