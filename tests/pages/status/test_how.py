"""The page that explains the rules is generated from the rules."""

import json
from datetime import timedelta
from unittest.mock import patch

import pytest

from models.locales import load_locale
from models.status import state
from models.status.state import Reading, overall_state, service_state
from models.status.uptime import day_state, uptime
from models.status.uptime.uptime import Counts
from tests.conftest import NOON

ENGLISH = load_locale("en")
FRESH = timedelta(minutes=5)
READINGS = [Reading("a", "down", NOON), Reading("b", "operational", NOON)]


@pytest.fixture
def page(build_site, output):
    def built():
        build_site(["status"])
        return (output / "status/how/index.html").read_text()

    return built


def percent(threshold):
    return ENGLISH.percent(100 * threshold) if threshold else ""


def test_every_line_is_told(page):
    """Thresholds, orders and periods are on the page as in the tables."""
    html = page()

    texts = [
        ENGLISH.text(f"how.{table}-{rule.name}", share=percent(rule.threshold))
        for table, rules in (("state", state.RULES), ("day", day_state.DAY_RULES))
        for rule in rules
    ]
    places = [html.index(f"<td>{text}</td>") for text in texts]
    assert places == sorted(places)
    assert "At least 50 % of its sources report it down" in html
    assert "24 hours, 7 days, 30 days and 90 days" in html
    assert "fresh for 300 seconds" in html


def test_bent_state(page, monkeypatch):
    """A changed threshold changes the state and the page."""
    assert service_state(READINGS, now=NOON, freshness=FRESH).state == "partial-outage"
    place = [each.state for each in state.RULES].index("partial-outage")
    changed_rules = list(state.RULES)
    changed_rules[place] = state.outage_rule(0.75, "partial-outage")

    monkeypatch.setattr(state, "RULES", tuple(changed_rules))

    assert service_state(READINGS, now=NOON, freshness=FRESH).state == "degraded"
    assert "At least 75 % of its sources" in page()


def test_bent_day(page, monkeypatch):
    """A changed share for a day with a major outage changes the page."""
    counts = Counts(operational=6, down=4)
    assert day_state.day_state(counts, [], in_maintenance=False) == "partial-outage"
    changed_rules = (
        day_state.outage_rule(0.4, "major-outage"),
        *day_state.DAY_RULES[1:],
    )

    monkeypatch.setattr(day_state, "DAY_RULES", changed_rules)

    assert day_state.day_state(counts, [], in_maintenance=False) == "major-outage"
    assert "At least 40 % of the samples were down" in page()


def test_bent_order(page, monkeypatch):
    """A changed order of the overall states changes the page."""
    states = ("degraded", "maintenance")
    assert overall_state(states, stale=False) == "degraded"
    changed_rules = (
        "operational",
        "degraded",
        "maintenance",
        *state.OVERALL_STATES[2:3],
    )

    monkeypatch.setattr(
        state, "OVERALL_STATES", (*changed_rules, *state.OVERALL_STATES[4:])
    )

    assert overall_state(states, stale=False) == "maintenance"
    html = page()
    order = html[html.index('class="order"') :]
    assert order.index("Maintenance</span>") < order.index("Degraded</span>")


def test_bent_periods(page, api, output):
    """A removed period is neither computed nor shown."""
    api("POST /status/v1/admin/services/add", {"slug": "api", "name": "API"})
    others = {name: each for name, each in uptime.PERIODS.items() if name != "7d"}

    # The entries must be restored in their original order.
    with patch.dict(uptime.PERIODS, others, clear=True):
        html = page()

    assert "24 hours, 30 days and 90 days" in html
    data = json.loads((output / "status/services/api.json").read_text())
    assert [each["period"] for each in data["data"]["uptime"]] == ["24h", "30d", "90d"]


def test_decimals(page, monkeypatch):
    """The page says how percentages are rounded, as the code does."""
    monkeypatch.setattr(uptime, "DECIMALS", 1)

    assert Counts(operational=2, down=1).uptime_pct == 66.6
    assert "truncated to 1 decimal and" in page()
