"""A line that is drawn where something was measured, and nowhere else."""

import pytest

from sitegen.status.charts import axis_top, chart


@pytest.mark.parametrize(
    ("highest", "top"),
    [(0, 10), (9, 10), (10, 10), (11, 12), (100, 100), (109, 120), (600_000, 600_000)],
)
def test_axis_top(highest, top):
    """The axis ends at the first round number that holds the highest point."""
    assert axis_top(highest) == top


def test_line():
    """Each value stands in the middle of its step; a lone one is a dot."""
    assert chart([10, 5, None, 0])["line"] == "M125 0L375 50 M875 100h0"


def test_range_and_gaps():
    """The words beside the line say its range, and how often nothing was measured."""
    drawn = chart([None, 120, 480, None])

    assert (drawn["low"], drawn["high"], drawn["gaps"]) == (120, 480, 2)
    assert drawn["axis"] == [500, 250, 0]


def test_nothing_measured():
    """Without values there is no line."""
    drawn = chart([None, None])

    assert (drawn["line"], drawn["low"], drawn["axis"]) == ("", None, [10, 5, 0])
