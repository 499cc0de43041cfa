"""The measured share of a period."""

from datetime import timedelta

import pytest

from models.status.uptime.uptime import coverage_pct

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)


@pytest.mark.parametrize(
    ("days", "pct"),
    [
        ([], 100.0),
        ([(0, DAY)], 0.0),
        ([(1440, DAY)], 100.0),
        ([(720, DAY)], 50.0),
        ([(1439, DAY)], 99.9),
        ([(4320, DAY), (0, DAY), (0, DAY)], 33.3),
        ([(30, DAY / 48), (1440, DAY)], 100.0),
    ],
)
def test_coverage(days, pct):
    """The coverage is rounded down, and no day makes up for another."""
    assert coverage_pct(days, MINUTE) == pct
