"""Template filters, and the function for texts in templates."""

import pytest
from markupsafe import Markup

from models.locales import Locale, load_locale
from sitegen.theme.filters import locale_filters, translator

ENGLISH = load_locale("en")
FILTERS = locale_filters(ENGLISH)


def test_values_of_texts_are_escaped():
    """A value in a text is escaped, unless it is markup from a template."""
    t = translator(ENGLISH)
    link = Markup('<a href="/">JSON</a>')

    assert t("site.built-with", name="<b> & {x}") == "Built with &lt;b&gt; &amp; {x}"
    assert t("site.json", link=link) == f"Machine-readable: {link}"
    assert t("front.pages", count=1200) == "1,200 pages"


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
    """A percentage has no trailing zeros; missing measurements are not zero."""
    assert FILTERS["percent"](value) == text


def test_zero_is_a_number():
    """A service that was always down has an uptime of zero."""
    assert FILTERS["percent"](0.0) == "0 %"


def test_labels():
    """States have translated labels."""
    assert FILTERS["state_label"]("partial-outage") == "Partial outage"
    assert FILTERS["state_label"](None) == "No data"
    assert FILTERS["overall_label"]("operational") == "All systems operational"
    assert FILTERS["overall_label"]("maintenance") == "Maintenance in progress"
    assert FILTERS["overall_label"]("degraded") == "Degraded performance"
    assert FILTERS["overall_label"]("major-outage") == "Major outage"
    assert FILTERS["overall_label"]("unavailable") == "Status data unavailable"


def test_days_summary():
    """Bars are summarised by the number of days of each state, most frequent first."""
    day = {"date": "2026-03-01", "uptimePct": None, "events": ()}
    states = ("degraded", None, "operational", None)

    bars = FILTERS["uptime_bars"]([day | {"state": s} for s in states], "api", "API")

    summary = "No data: 2 days; Degraded: 1 day; Operational: 1 day"
    assert f'aria-label="API, last 4 days: {summary}"' in bars


def test_texts_in_rows_are_escaped():
    """Texts of an operator's language are escaped in the rows of tables too."""
    names = ("state.no-data", "uptime.no-data", "response.not-measured")
    texts = dict.fromkeys(names, "A < B & C")
    texts |= {"response.milliseconds": "< {value}", "time.utc": "{time} & UTC"}
    filters = locale_filters(Locale("en", texts))
    day = {"date": "2026-03-01", "state": None, "uptimePct": None}
    points = [{"at": "2026-03-01T11:00:00.000Z", "ms": ms} for ms in (None, 12)]

    days = filters["uptime_rows"]([day | {"samples": 0, "excluded": 0}])
    times = filters["response_time_rows"](points)

    assert days.count("<td>A &lt; B &amp; C</td>") == 2
    assert "<td>A &lt; B &amp; C</td>" in times
    assert "11:00 &amp; UTC</time></td><td>&lt; 12</td>" in times
