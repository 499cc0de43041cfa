"""What messages to people say of an incident: each word once, and the facts of now."""

from dataclasses import replace
from datetime import timedelta

import pytest
from pydantic import ValidationError

from models.locales import load_locale
from models.notifications.deliveries.dispatch import claim, record_outcomes
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
def told(clock):
    """Send what is due, and return the type, words and severity of each message."""

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


def test_severity_alone(world, api, told):
    """Another severity is told without the words that everybody has read."""
    id = world.incident("api")
    assert told() == [("incident.opened", "We are looking.", "degraded")]

    api(UPDATE_INCIDENT, {"id": id, "severity": "major-outage"})

    assert told() == [("incident.updated", "", "major-outage")]


def test_severity_and_words_of_one_moment(world, api, told):
    """Words that are unsent are in the message about a newer severity."""
    id = world.incident("api")
    told()
    api(ADD_UPDATE, {"incidentId": id, "body": "It got worse."})

    api(UPDATE_INCIDENT, {"id": id, "severity": "major-outage"})

    assert told() == [("incident.updated", "It got worse.", "major-outage")]


def test_words_that_did_not_arrive(world, api, clock, told):
    """Words of a message that failed are in the next one."""
    id = world.incident("api")
    told(FAILED)
    clock.pass_(hours=1)

    api(UPDATE_INCIDENT, {"id": id, "severity": "major-outage"})

    assert told() == [("incident.updated", "We are looking.", "major-outage")]


def test_resolved_without_words(world, api, told):
    """The end of an incident is told without the words of before."""
    id = world.incident("api")
    told()

    api(UPDATE_INCIDENT, {"id": id, "status": "resolved"})

    assert told() == [("incident.resolved", "", "operational")]


def test_change_that_tells_nobody(world, api, told):
    """A change without a notification tells nobody."""
    id = world.incident("api")
    told()

    api(UPDATE_INCIDENT, {"id": id, "severity": "major-outage", "notify": False})

    assert told() == []


def test_words_of_a_replay(world, api, told):
    """A message that is sent again is the same, though later ones have arrived."""
    id = world.incident("api")
    told()
    api(ADD_UPDATE, {"incidentId": id, "body": "It got worse."})
    told()
    first = DeliveryRow.select().order_by(DeliveryRow.number).first()

    api(REPLAY, {"id": first.id})

    assert told() == [("incident.opened", "We are looking.", "degraded")]


def test_words_of_a_reminder(world, clock, told):
    """A reminder repeats the words after which nothing has come."""
    subscribe(
        clock.now,
        "https://y.example/",
        channel="slack",
        events=["incident.opened", "incident.reminder"],
    )
    world.incident("api")
    told()
    clock.pass_(hours=3)
    record_clock_events(
        clock.now, freshness=timedelta(minutes=5), reminder_after=timedelta(hours=2)
    )

    assert told() == [("incident.reminder", "We are looking.", "degraded")]
