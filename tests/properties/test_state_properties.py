"""
States: computed by counting, constant until the next change, never improved by
failures.
"""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from models.status.state import (
    OVERALL_STATES,
    SEVERITIES,
    ActiveIncident,
    ActiveMaintenance,
    Reading,
    next_change,
    overall_state,
    service_state,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
FRESHNESS = timedelta(seconds=300)
STATES = ("operational", "maintenance", "unknown", *SEVERITIES)

ages = st.sampled_from([0, 1, 299, 300, 301, 4000]) | st.integers(0, 1000)
words = st.sampled_from(["operational", "degraded", "down"])
readings = st.lists(st.tuples(words, ages), max_size=7).map(
    lambda found: [
        Reading(f"probe {n}", word, NOW - timedelta(seconds=age))
        for n, (word, age) in enumerate(found)
    ]
)
incidents = st.lists(st.sampled_from(SEVERITIES), max_size=3).map(
    lambda found: [ActiveIncident(each, "Trouble", "1") for each in found]
)
windows = st.lists(st.just(ActiveMaintenance("Works", "2")), max_size=2)
states = st.lists(st.sampled_from(STATES), max_size=5)


def state_of(found, now=NOW, **facts):
    return service_state(found, now=now, freshness=FRESHNESS, **facts).state


def counted(found, imposed, under_way):
    """Return the state by the decision table, counted by hand."""
    if imposed:
        return max((each.severity for each in imposed), key=SEVERITIES.index)
    if under_way:
        return "maintenance"
    fresh = [each.status for each in found if NOW - each.observed_at <= FRESHNESS]
    if not fresh:
        return "unknown"
    down = fresh.count("down")
    if down * 2 >= len(fresh):
        return "major-outage" if down == len(fresh) else "partial-outage"
    return "degraded" if down or "degraded" in fresh else "operational"


@given(found=readings, imposed=incidents, under_way=windows, order=st.randoms())
def test_state_is_counted(found, imposed, under_way, order):
    """The state is the counted one, in whatever order the sources are passed."""
    expected = counted(found, imposed, under_way)
    order.shuffle(found)

    assert state_of(found, incidents=imposed, maintenance=under_way) == expected


@given(found=readings, part=st.floats(0, 1, exclude_max=True))
def test_steady_until_the_next_change(found, part):
    """Before the returned instant nothing changes."""
    at = next_change(readings=found, boundaries=[], now=NOW, freshness=FRESHNESS)
    before = (at or NOW + timedelta(days=1)) - timedelta(milliseconds=1)
    now = NOW + (before - NOW) * part

    assert state_of(found, now) == state_of(found)
    assert at is None or at > NOW


@given(found=states, other=st.sampled_from(STATES), stale=st.booleans())
def test_overall_is_the_worst(found, other, stale):
    """Another service never improves the overall state, nor does stale data."""
    whole = OVERALL_STATES.index(overall_state([*found, other], stale=stale))

    if found:
        assert whole >= OVERALL_STATES.index(overall_state(found, stale=False))
    assert whole >= OVERALL_STATES.index("unavailable") or not stale
