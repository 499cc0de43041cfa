"""Charts of response times."""

import pytest

from sitegen.status.charts import axis_maximum, line_chart, sparkline


@pytest.mark.parametrize(
    ("highest", "maximum"),
    [(0, 10), (9, 10), (10, 10), (11, 12), (100, 100), (109, 120), (600_000, 600_000)],
)
def test_axis_maximum(highest, maximum):
    """The axis ends at the first sufficient round number."""
    assert axis_maximum(highest) == maximum


def test_line():
    """Each value is in the middle of its interval; a single one is a dot."""
    assert line_chart([10, 5, None, 0])["line"] == "M125 0L375 50 M875 100h0"


def test_range_and_gaps():
    """A chart has the range of its values and the number of gaps."""
    chart = line_chart([None, 120, 480, None])

    assert (chart["low"], chart["high"], chart["gaps"]) == (120, 480, 2)
    assert chart["axis"] == [500, 250, 0]


def test_no_values():
    """Without values there is no line."""
    chart = line_chart([None, None])

    assert (chart["line"], chart["low"], chart["axis"]) == ("", None, [10, 5, 0])


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ([10, 5, None, 0, 10], "M0 0L4 10M12 20L16 0"),
        ([10, None, 0], None),
        ([0, 0], "M0 10L4 10"),
        ([46, 44], "M0 9L4 11"),
        ([], None),
    ],
)
def test_sparkline(values, line):
    """Small differences look small, and gaps break the line."""
    assert sparkline(values) == line
