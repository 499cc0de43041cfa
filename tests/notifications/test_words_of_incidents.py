"""The text of incidents in messages to people: each text once, with current facts."""

from dataclasses import replace
from datetime import timedelta

import pytest
from pydantic import ValidationError

from models.locales import load_locale
from models.notifications.deliveries.attempts import claim, record_outcomes
from models.notifications.deliveries.fan_out import fan_out
from models.notifications.rows import DeliveryRow
from models.settings import Settings
from models.status.clock_events import record_clock_events
from sitegen.messages.notice import notice_of
from tests.factories.notifications import (
    ALL_LIVE,
    ATTEMPT,
    DELIVERED,
    FAILED,
    incident_data,
    subscribe,
)
from tests.factories.status import ADD_UPDATE, UPDATE_INCIDENT, World

REPLAY = "POST /status/v1/admin/deliveries/replay"

pytestmark = pytest.mark.both_engines


@pytest.fixture(params=["email", "slack"])
def world(request, api, clock):
    address = "mia@example.com" if request.param == "email" else "https://x.example/"
    world = World(api, clock)
    world.service("api")
    subscribe(clock.now, address, channel=request.param)
    return world


@pytest.fixture
def send_due(clock):
    """Send due deliveries, and return the type, text and severity of each message."""

    def send(outcome=DELIVERED):
        clock.pass_(seconds=1)
        fan_out(clock.now, ALL_LIVE)
        attempts = claim(clock.now, ("email", "slack"), 100)
        record_outcomes([(attempt, outcome) for attempt in attempts], clock.now)
        notices = [
            notice_of(attempt, Settings(), load_locale("en")) for attempt in attempts
        ]
        return [(notice.type, notice.text, notice.state) for notice in notices]

    return send


@pytest.mark.parametrize("change", [{"status": "forgotten"}, {"startedAt": "soon"}])
def test_event_that_is_damaged(change):
    """An event is read by the API's schema: nobody gets half a message."""
    attempt = replace(ATTEMPT, data=incident_data(**change))

    with pytest.raises(ValidationError):
        notice_of(attempt, Settings(), load_locale("en"))


def test_severity_alone(world, api, send_due):
    """A message about a new severity does not repeat the text of an earlier one."""
    id = world.incident("api")
    assert send_due() == [("incident.opened", "We are looking.", "degraded")]

    api(UPDATE_INCIDENT, {"id": id, "severity": "major-outage"})

    assert send_due() == [("incident.updated", "", "major-outage")]


def test_severity_and_words_of_one_moment(world, api, send_due):
    """An unsent text is part of the message about a newer severity."""
    id = world.incident("api")
    send_due()
    api(ADD_UPDATE, {"incidentId": id, "body": "It got worse."})

    api(UPDATE_INCIDENT, {"id": id, "severity": "major-outage"})

    assert send_due() == [("incident.updated", "It got worse.", "major-outage")]


def test_words_that_did_not_arrive(world, api, clock, send_due):
    """The text of a failed message is part of the next one."""
    id = world.incident("api")
    send_due(FAILED)
    clock.pass_(hours=1)

    api(UPDATE_INCIDENT, {"id": id, "severity": "major-outage"})

    assert send_due() == [("incident.updated", "We are looking.", "major-outage")]


def test_resolved_without_words(world, api, send_due):
    """A resolution without text does not repeat an earlier text."""
    id = world.incident("api")
    send_due()

    api(UPDATE_INCIDENT, {"id": id, "status": "resolved"})

    assert send_due() == [("incident.resolved", "", "operational")]


def test_change_that_tells_nobody(world, api, send_due):
    """A change without `notify` sends no message."""
    id = world.incident("api")
    send_due()

    api(UPDATE_INCIDENT, {"id": id, "severity": "major-outage", "notify": False})

    assert send_due() == []


def test_words_of_a_replay(world, api, send_due):
    """A replayed message is unchanged, although later ones have been sent."""
    id = world.incident("api")
    send_due()
    api(ADD_UPDATE, {"incidentId": id, "body": "It got worse."})
    send_due()
    first = DeliveryRow.select().order_by(DeliveryRow.number).first()

    api(REPLAY, {"id": first.id})

    assert send_due() == [("incident.opened", "We are looking.", "degraded")]


def test_words_of_a_reminder(world, clock, send_due):
    """A reminder repeats the latest text."""
    subscribe(
        clock.now,
        "https://y.example/",
        channel="slack",
        events=["incident.opened", "incident.reminder"],
    )
    world.incident("api")
    send_due()
    clock.pass_(hours=3)
    record_clock_events(
        clock.now, freshness=timedelta(minutes=5), reminder_after=timedelta(hours=2)
    )

    assert send_due() == [("incident.reminder", "We are looking.", "degraded")]
