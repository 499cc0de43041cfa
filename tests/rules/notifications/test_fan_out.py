"""Which subscriptions get a delivery of an event, and when."""

from datetime import UTC, datetime, timedelta

import pytest

from models.notifications.deliveries import fan_out as module
from models.notifications.deliveries.attempts import claim, record_outcomes
from models.notifications.deliveries.fan_out import fan_out
from models.notifications.events import NewEvent, record_events
from models.notifications.rows import DeliveryRow, EventRow
from models.storage.database import writing
from tests.factories.notifications import ALL_LIVE, DELIVERED, FAILED, subscribe

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
MAIL = {"channel": "email", "secret": None}

pytestmark = [pytest.mark.usefixtures("store"), pytest.mark.both_engines]


def record_event(type="incident.opened", subject="1", now=NOW, generation=1, **more):
    event = NewEvent(type, subject, f"/status/incidents/{subject}/", {}, **more)
    with writing():
        record_events([event], "status", generation, now)


def deliveries():
    rows = DeliveryRow.select().order_by(DeliveryRow.number)
    return [(row.subscription.address, row.type) for row in rows]


def test_nothing_is_recorded_without_a_subscription():
    """An event without subscribers leaves no row."""
    record_event()

    assert EventRow.select().count() == 0


def test_only_what_was_asked_for():
    """
    Only the chosen services and kinds of events are delivered; no service means all.
    """
    subscribe(NOW, "https://all/")
    subscribe(NOW, "https://api/", services=["api"])
    subscribe(NOW, "https://mail/", services=["mail"])
    subscribe(NOW, "https://windows/", events=["maintenance.started"])

    record_event(services=["api", "web"])
    fan_out(NOW, ALL_LIVE)

    assert sorted(deliveries()) == [
        ("https://all/", "incident.opened"),
        ("https://api/", "incident.opened"),
    ]


def test_later_subscribers_are_not_told():
    """A subscription gets only events that follow it."""
    subscribe(NOW, "https://first/")
    record_event()
    subscribe(NOW + SECOND, "https://second/")

    fan_out(NOW + SECOND, ALL_LIVE)

    assert deliveries() == [("https://first/", "incident.opened")]


def test_event_waits_for_its_page():
    """A delivery exists once the page is live, or after a minute."""
    subscribe(NOW)
    record_event(generation=5)
    record_event(subject="2", generation=6)

    assert fan_out(NOW, {"status": 4}) == 0
    assert fan_out(NOW, {"status": 5}) == 1
    assert fan_out(NOW + 59 * SECOND, {"status": 5}) == 0
    assert fan_out(NOW + 60 * SECOND, {"status": 5}) == 1


def test_events_of_a_subject_keep_their_order():
    """
    Events of one incident are fanned out in order; other incidents are independent.
    """
    subscribe(NOW)
    record_event(generation=6)
    record_event("incident.updated", generation=5)
    record_event(subject="2", generation=5)

    fan_out(NOW, {"status": 5})

    assert [row.subject_id for row in DeliveryRow.select()] == ["2"]


def test_slices(monkeypatch):
    """A fan-out that is interrupted between two slices continues after the last one."""
    monkeypatch.setattr(module, "SLICE_SIZE", 2)
    for number in range(5):
        subscribe(NOW, f"https://{number}/")
    record_event()
    event = EventRow.get()

    first = module._notify_slice(event, NOW)
    assert (first, EventRow.get().notified_at) == (2, None)
    fan_out(NOW, ALL_LIVE)
    fan_out(NOW, ALL_LIVE)

    assert sorted(deliveries()) == [
        (f"https://{n}/", "incident.opened") for n in range(5)
    ]


def test_unsent_mail_collapses():
    """A mailbox gets the newest news of an incident, a webhook all of it."""
    subscribe(NOW, "ada@example.com", **MAIL)
    subscribe(NOW, "https://tool/")
    record_event()
    fan_out(NOW, ALL_LIVE)
    record_event("incident.updated")
    record_event("incident.opened", subject="2")
    fan_out(NOW, ALL_LIVE)

    mails = [type for address, type in deliveries() if address == "ada@example.com"]
    assert mails == ["incident.updated", "incident.opened"]
    assert len(deliveries()) == 2 + 3


def test_failed_mail_collapses_and_an_uncertain_one_does_not():
    """
    A failed email is replaced by newer news; one that may have arrived keeps its text.
    """
    subscribe(NOW, "ada@example.com", **MAIL)
    record_event()
    fan_out(NOW, ALL_LIVE)
    (attempt,) = claim(NOW, ["email"], 10)
    record_outcomes([(attempt, FAILED)], NOW)
    record_event("incident.updated")
    fan_out(NOW, ALL_LIVE)

    assert deliveries() == [("ada@example.com", "incident.updated")]

    DeliveryRow.update(possibly_repeated=True).execute()
    record_event("incident.resolved")
    fan_out(NOW, ALL_LIVE)

    assert [type for _, type in deliveries()] == [
        "incident.updated",
        "incident.resolved",
    ]


def test_sent_mail_is_not_replaced():
    """After an email was sent, later news is a separate email."""
    subscribe(NOW, "ada@example.com", **MAIL)
    record_event()
    fan_out(NOW, ALL_LIVE)
    (attempt,) = claim(NOW, ["email"], 10)
    record_event("incident.updated")
    fan_out(NOW, ALL_LIVE)
    record_outcomes([(attempt, DELIVERED)], NOW)

    assert [type for _, type in deliveries()] == ["incident.opened", "incident.updated"]
    rows = DeliveryRow.select().order_by(DeliveryRow.number)
    assert [row.status for row in rows] == ["delivered", "waiting"]


def test_news_does_not_wait_for_what_it_replaces():
    """When the relay is back, the newest news of an incident is attempted at once."""
    subscribe(NOW, "ada@example.com", **MAIL)
    record_event()
    fan_out(NOW, ALL_LIVE)
    for _ in range(4):
        DeliveryRow.update(next_attempt_at=NOW).execute()
        (attempt,) = claim(NOW, ["email"], 10)
        record_outcomes([(attempt, FAILED)], NOW)
    record_event("incident.resolved")
    fan_out(NOW, ALL_LIVE)

    (attempt,) = claim(NOW, ["email"], 10)
    assert (attempt.type, attempt.attempts) == ("incident.resolved", 1)
