"""The state of one service and the overall state, by the decision table."""

from datetime import timedelta

import pytest

from models.status.state import (
    ActiveIncident,
    ActiveMaintenance,
    Reading,
    next_change,
    overall_state,
    service_state,
)
from tests.conftest import NOON
from tests.samples.vectors import IDS, VECTORS, at

FRESH = timedelta(seconds=300)
MS = timedelta(milliseconds=1)


def state_of_vector(vector):
    newest = {}
    for source, status, seconds in vector.samples:
        reading = Reading(source, status, at(NOON, seconds))
        known = newest.get(source, reading)
        newest[source] = max(known, reading, key=lambda each: each.observed_at)
    return service_state(
        list(newest.values()),
        incidents=[
            ActiveIncident(severity, "Errors", "1")
            for severity, started, is_resolved in vector.incidents
            if started <= 0 and not is_resolved
        ],
        maintenance=[
            ActiveMaintenance("Move", "2")
            for starts, ends in vector.windows
            if starts <= 0 < ends
        ],
        now=NOON,
        freshness=FRESH,
    )


@pytest.mark.parametrize("vector", VECTORS, ids=IDS)
def test_vectors(vector):
    """The first matching line of the table decides."""
    state = state_of_vector(vector).state

    assert state == vector.state
    assert overall_state([state], stale=vector.stale) == vector.overall


@pytest.mark.parametrize(
    ("states", "stale", "overall"),
    [
        ([], False, "unavailable"),
        (["operational", "unknown"], False, "unavailable"),
        (["operational"], True, "unavailable"),
        (["maintenance", "unknown"], False, "unavailable"),
        (["operational", "maintenance"], False, "maintenance"),
        (["degraded", "unknown"], True, "degraded"),
        (["degraded", "partial-outage"], False, "partial-outage"),
        (["partial-outage", "major-outage"], False, "major-outage"),
    ],
)
def test_overall_is_the_worst(states, stale, overall):
    """Unknown makes the overall state unavailable: between maintenance and degraded."""
    assert overall_state(states, stale=stale) == overall


@pytest.mark.parametrize(
    ("statuses", "state"),
    [
        (["down", "down", "operational", "operational"], "partial-outage"),
        (["down", "operational", "operational", "operational"], "degraded"),
        (["down", "down", "operational"], "partial-outage"),
        (["down", "degraded"], "partial-outage"),
        (["degraded", "operational", "operational"], "degraded"),
        (["down", "down"], "major-outage"),
    ],
)
def test_share_of_sources_that_are_down(statuses, state):
    """All down is a major outage, at least half a partial one, fewer degraded."""
    readings = [Reading(str(n), each, NOON) for n, each in enumerate(statuses)]

    assert service_state(readings, now=NOON, freshness=FRESH).state == state


def test_fresh_to_the_millisecond():
    """A reading is fresh at its deadline and stale a millisecond later."""
    reading = Reading("a", "operational", NOON - FRESH)

    assert service_state([reading], now=NOON, freshness=FRESH).state == "operational"
    assert service_state([reading], now=NOON + MS, freshness=FRESH).state == "unknown"
    assert reading.stale_at(FRESH) == NOON + MS


@pytest.mark.parametrize(
    ("statuses", "reason"),
    [
        (["down", "down", "operational"], "2 of 3 probes down at 12:00 UTC"),
        (["degraded"], "1 of 1 probe degraded at 12:00 UTC"),
        (["operational", "operational"], "2 of 2 probes operational at 12:00 UTC"),
        ([], "Never measured"),
    ],
)
def test_reason(statuses, reason):
    """A state has the reason that decided it, in words."""
    readings = [Reading(str(n), each, NOON) for n, each in enumerate(statuses)]

    assert str(service_state(readings, now=NOON, freshness=FRESH).reason) == reason


def test_reason_of_a_person():
    """The worst incident decides; else the window; else the last measurement."""
    incidents = [
        ActiveIncident("degraded", "Slow", "1"),
        ActiveIncident("major-outage", "Gone", "2"),
    ]
    maintenance = [ActiveMaintenance("Move", "3")]
    old = [Reading("a", "operational", NOON - 2 * FRESH)]

    def reason(**facts):
        return str(service_state(old, now=NOON, freshness=FRESH, **facts).reason)

    assert reason(incidents=incidents, maintenance=maintenance) == "Incident: Gone"
    assert reason(maintenance=maintenance) == "Maintenance: Move"
    assert reason() == "No data since 1 Mar 2026, 11:50 UTC"


def test_next_change():
    """The nearest deadline or boundary ahead; none if there is none."""
    fresh, old = (Reading("a", "down", NOON - n * FRESH / 2) for n in (1, 9))
    later = NOON + FRESH

    def coming(readings, boundaries):
        return next_change(
            readings=readings, boundaries=boundaries, now=NOON, freshness=FRESH
        )

    assert coming([fresh, old], [later]) == NOON + FRESH / 2 + MS
    assert coming([old], [later, NOON, NOON + 2 * FRESH]) == later
    assert coming([old], [NOON]) is None
