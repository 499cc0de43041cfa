"""Template filters."""

import pytest

from sitegen.theme import filters

NOON = "2026-03-01T12:00:00.000Z"


def test_moments_in_other_zones():
    """A moment is shown in UTC, whatever its offset."""
    assert filters.date_time(NOON) == "1 Mar 2026, 12:00 UTC"
    assert filters.date_time("2026-03-01T13:00:00+01:00") == filters.date_time(NOON)
    assert filters.long_date(NOON) == "1 March 2026"
    assert filters.short_date("2026-03-01") == "1 Mar 2026"
    assert filters.clock_time(NOON) == "12:00 UTC"


@pytest.mark.parametrize(
    ("end", "text"),
    [
        ("2026-03-01T12:00:59Z", "less than a minute"),
        ("2026-03-01T12:01:00Z", "1 min"),
        ("2026-03-01T13:12:00Z", "1 h 12 min"),
        ("2026-03-01T14:00:00Z", "2 h"),
        ("2026-03-02T11:59:59Z", "23 h 59 min"),
        ("2026-03-04T15:30:00Z", "3 d 3 h"),
        ("2026-03-01T11:00:00Z", "less than a minute"),
    ],
)
def test_duration(end, text):
    """A duration has its two largest units, rounded down, and is never negative."""
    assert filters.duration(NOON, end) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (99.999, "99.999 %"),
        (99.9, "99.9 %"),
        (29.411, "29.411 %"),
        (25.0, "25 %"),
        (100.0, "100 %"),
        (None, "no data"),
    ],
)
def test_percent(value, text):
    """A percentage has no zeros at its end; no measurements are not zero."""
    assert filters.percent(value) == text


def test_zero_is_a_number():
    """A service that was always down has an uptime of zero."""
    assert filters.percent(0.0) == "0 %"


def test_labels():
    """States have labels for people."""
    assert filters.state_label("partial-outage") == "Partial outage"
    assert filters.state_label(None) == "No data"
    assert filters.overall_label("operational") == "All systems operational"
    assert filters.overall_label("maintenance") == "Maintenance in progress"
    assert filters.overall_label("degraded") == "Degraded performance"
    assert filters.overall_label("major-outage") == "Major outage"
    assert filters.overall_label("unavailable") == "Status data unavailable"


def test_days_summary():
    """Bars are summarised by the number of days of each state, most days first."""
    days = [{"state": state} for state in ("degraded", None, "operational", None)]

    assert (
        filters.days_summary(days)
        == "2 days no data, 1 day degraded, 1 day operational"
    )
    assert filters.days_summary([]) == "no days yet"


def test_other_filters():
    """Periods, numbers and ids do not depend on the locale."""
    assert filters.period_label("24h") == "24 hours"
    assert filters.period_label("90d") == "90 days"
    assert filters.number(129600) == "129,600"
    assert filters.section_id("Getting started: “Ünïts” & more") == (
        "getting-started-ünïts-more"
    )
    assert filters.section_id("—") == "section"
