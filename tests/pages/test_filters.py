"""What the filters say."""

import pytest

from sitegen.theme import filters

NOON = "2026-03-01T12:00:00.000Z"


def test_instants_in_other_zones():
    """An instant is told in UTC, whatever offset it was written with."""
    assert filters.moment(NOON) == "1 Mar 2026, 12:00 UTC"
    assert filters.moment("2026-03-01T13:00:00+01:00") == filters.moment(NOON)
    assert filters.day(NOON) == "1 March 2026"
    assert filters.short_day("2026-03-01") == "1 Mar 2026"
    assert filters.clock(NOON) == "12:00 UTC"


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("2026-03-01T12:00:59Z", "under a minute"),
        ("2026-03-01T12:01:00Z", "1 min"),
        ("2026-03-01T13:12:00Z", "1 h 12 min"),
        ("2026-03-01T14:00:00Z", "2 h"),
        ("2026-03-02T11:59:59Z", "23 h 59 min"),
        ("2026-03-04T15:30:00Z", "3 d 3 h"),
        ("2026-03-01T11:00:00Z", "under a minute"),
    ],
)
def test_duration(end, words):
    """A length is told in its two largest units, rounded down, never negative."""
    assert filters.duration(NOON, end) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [(99.951, "99.951 %"), (99.9, "99.900 %"), (100.0, "100 %"), (None, "no data")],
)
def test_pct(value, words):
    """A share carries its three decimals; nothing measured is not zero."""
    assert filters.pct(value) == words


def test_zero_is_a_number():
    """A service that was down all the time has an uptime, and it is zero."""
    assert filters.pct(0.0) == "0.000 %"


def test_words_of_states():
    """Words of the specification are told as a person would say them."""
    assert filters.state_words("partial-outage") == "Partial outage"
    assert filters.state_words(None) == "No data"
    assert filters.overall_words("operational") == "All systems operational"
    assert filters.overall_words("maintenance") == "Maintenance under way"
    assert filters.overall_words("degraded") == "Degraded performance"
    assert filters.overall_words("major-outage") == "Major outage"
    assert filters.overall_words("unavailable") == "Status data unavailable"


def test_days_words():
    """Bars are summed up by how often each state was seen, the most frequent first."""
    row = [{"state": state} for state in ("degraded", None, "operational", None)]

    assert (
        filters.days_words(row) == "2 days no data, 1 day degraded, 1 day operational"
    )
    assert filters.days_words([]) == "no days yet"


def test_other_words():
    """Periods, numbers and anchors need no locale."""
    assert filters.period_words("24h") == "24 hours"
    assert filters.period_words("90d") == "90 days"
    assert filters.number(129600) == "129,600"
    assert filters.anchor("Getting started: “Ünïts” & more") == (
        "getting-started-ünïts-more"
    )
    assert filters.anchor("—") == "section"
