"""The history of an incident's severity."""

from datetime import UTC, datetime, timedelta

import pytest

from models.status.incidents.incidents import (
    StatusAddIncident,
    StatusUpdateIncident,
    open_incident,
    severity_at,
    severity_spans,
    shown_severity,
    update_incident,
)
from models.status.services.catalogue import StatusAddService, add_service
from models.storage.database import writing

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)

pytestmark = pytest.mark.both_engines


@pytest.fixture
def incident(store):
    """An incident of severity major outage that was opened at noon."""
    return opened()


def opened(**fields):
    request = StatusAddIncident(
        title="Errors",
        severity="major-outage",
        services=["api"],
        body="Looking.",
        **fields,
    )
    with writing():
        add_service(StatusAddService(slug="api", name="API"), NOON)
        return open_incident(request, NOON)


def changed(incident, hours, **fields):
    """Update the incident some hours after noon, and return it."""
    request = StatusUpdateIncident(id=incident.id, **fields)
    with writing():
        return update_incident(request, NOON + hours * HOUR)[0]


def spans_of(incident):
    """Return the severities of the incident with their hours since noon."""
    return [
        (severity, (start - NOON) / HOUR, end and (end - NOON) / HOUR)
        for severity, start, end in severity_spans([incident])[incident.id]
    ]


def test_first_severity(incident):
    """An incident has its first severity from its start."""
    assert spans_of(incident) == [("major-outage", 0, None)]


def test_other_severity(incident):
    """A new severity counts from its time on, until the next one or the end."""
    changed(incident, 1, severity="degraded")
    changed(incident, 2, title="Errors on writes")
    changed(incident, 3, severity="partial-outage")
    resolved = changed(incident, 4, status="resolved")

    assert spans_of(resolved) == [
        ("major-outage", 0, 1),
        ("degraded", 1, 3),
        ("partial-outage", 3, 4),
    ]


def test_severity_at_once(incident):
    """A severity that was lowered within the same millisecond still counts."""
    lowered = changed(incident, 0, severity="degraded")

    assert spans_of(lowered) == [("major-outage", 0, 0), ("degraded", 0, None)]


def test_severity_after_the_end(incident):
    """A severity that a resolved incident gets counts at its end."""
    changed(incident, 2, status="resolved")
    lowered = changed(incident, 30, severity="degraded")

    assert spans_of(lowered) == [("major-outage", 0, 2), ("degraded", 2, 2)]


def test_severity_before_the_start(store):
    """A severity that was replaced before the incident began does not count."""
    incident = opened(started_at=NOON + 2 * HOUR)
    lowered = changed(incident, 1, severity="degraded")

    assert spans_of(lowered) == [("degraded", 2, None)]


def test_other_start(incident):
    """
    The first severity is extended back to the start, and nothing counts before it.
    """
    changed(incident, 2, severity="degraded")

    earlier = changed(incident, 3, started_at=NOON - HOUR)
    assert spans_of(earlier) == [("major-outage", -1, 2), ("degraded", 2, None)]

    later = changed(incident, 3, started_at=NOON + 2.5 * HOUR)
    assert spans_of(later) == [("degraded", 2.5, None)]


def test_severity_at(incident):
    """At each time the severity is the last one set before it."""
    spans = severity_spans([changed(incident, 2, severity="degraded")])[incident.id]

    found = [severity_at(spans, NOON + hours * HOUR) for hours in (-1, 0, 1, 2, 3)]

    assert found == ["major-outage"] * 3 + ["degraded"] * 2


def test_shown_severity(incident):
    """Readers see the current severity until the end, and then the worst one."""
    lowered = changed(incident, 1, severity="degraded")
    active = shown_severity(lowered, severity_spans([lowered])[incident.id])
    resolved = changed(incident, 2, status="resolved")

    over = shown_severity(resolved, severity_spans([resolved])[incident.id])

    assert (active, over) == ("degraded", "major-outage")
