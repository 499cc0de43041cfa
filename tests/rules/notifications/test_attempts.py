"""Claiming deliveries: their order and their outcomes."""

from dataclasses import replace
from datetime import timedelta

import pytest

from models.notifications.deliveries.attempts import (
    claim,
    record_outcomes,
    recover,
    release,
)
from models.notifications.deliveries.deliveries import queue_message
from models.notifications.deliveries.fan_out import fan_out
from models.notifications.deliveries.outcomes import Outcome
from models.notifications.events import withdraw_events
from models.notifications.rows import DeliveryRow, SubscriptionRow
from models.storage.database import writing
from models.storage.write_locks import WriteLock
from tests.factories.notifications import ALL_LIVE, DELIVERED, FAILED, GONE, subscribe
from tests.rules.notifications.test_fan_out import MAIL, NOW, record_event

SECOND = timedelta(seconds=1)

pytestmark = [pytest.mark.usefixtures("store"), pytest.mark.both_engines]


def claimed(now=NOW, channels=("webhook",), limit=100, **more):
    return claim(now, channels, limit, **more)


def statuses():
    rows = DeliveryRow.select().order_by(DeliveryRow.number)
    return [row.status for row in rows]


def test_attempt_is_written_before_it_is_made():
    """A claimed delivery is counted as an attempt, and is not claimed twice."""
    subscribe(NOW)
    record_event()
    fan_out(NOW, ALL_LIVE)

    (attempt,) = claimed()

    assert (attempt.attempts, statuses()) == (1, ["sending"])
    assert claimed() == []


def test_after_a_crash():
    """
    An attempt without an outcome is repeated with the same id, and marked as a repeat.
    """
    subscribe(NOW)
    record_event()
    fan_out(NOW, ALL_LIVE)
    (first,) = claimed()

    recover(NOW + SECOND)
    (second,) = claimed(NOW + SECOND)

    assert second.delivery_id == first.delivery_id
    assert second.attempts == 2
    assert DeliveryRow.get().possibly_repeated


def test_outcome_that_comes_too_late():
    """The outcome of an attempt that became due again does not end the next attempt."""
    subscribe(NOW)
    record_event()
    fan_out(NOW, ALL_LIVE)
    (first,) = claimed()
    recover(NOW)
    claimed()

    record_outcomes([(first, FAILED)], NOW)

    assert statuses() == ["sending"]


def test_released_attempt_does_not_count():
    """A claimed delivery that was not attempted is due as before."""
    subscribe(NOW)
    record_event()
    fan_out(NOW, ALL_LIVE)

    release(claimed())
    (attempt,) = claimed()

    assert attempt.attempts == 1
    assert not DeliveryRow.get().possibly_repeated


def test_order_of_a_subject():
    """The second event of an incident waits for the first; other incidents do not."""
    subscribe(NOW)
    for type, subject in [
        ("incident.opened", "1"),
        ("incident.updated", "1"),
        ("incident.opened", "2"),
    ]:
        record_event(type, subject)
    fan_out(NOW, ALL_LIVE)

    first = claimed()
    assert [(a.type, a.subject_id) for a in first] == [
        ("incident.opened", "1"),
        ("incident.opened", "2"),
    ]
    record_outcomes([(first[0], FAILED), (first[1], DELIVERED)], NOW, lambda: 0.0)
    assert claimed(NOW + 4 * SECOND) == []
    (again,) = claimed(NOW + 5 * SECOND)
    record_outcomes([(again, DELIVERED)], NOW + 5 * SECOND)

    (update,) = claimed(NOW + 5 * SECOND)
    assert update.type == "incident.updated"


def test_failures_and_success():
    """A delivery has its last attempt, and the subscription its last success."""
    subscribe(NOW)
    record_event()
    fan_out(NOW, ALL_LIVE)
    record_outcomes([(claimed()[0], FAILED)], NOW, lambda: 0.0)

    delivery, subscription = DeliveryRow.get(), SubscriptionRow.get()
    assert (delivery.status, delivery.status_code) == ("failed", 503)
    assert delivery.answer == "Try again."
    assert delivery.next_attempt_at == NOW + 5 * SECOND
    assert subscription.failing_since == NOW

    later = NOW + 5 * SECOND
    record_outcomes([(claimed(later)[0], DELIVERED)], later)

    delivery, subscription = DeliveryRow.get(), SubscriptionRow.get()
    assert (delivery.status, delivery.delivered_at) == ("delivered", later)
    assert (subscription.failing_since, subscription.last_delivery_at) == (None, later)


def test_receiver_without_an_answer():
    """A message that the receiver may have got is sent again, marked as a repeat."""
    subscribe(NOW)
    record_event()
    fan_out(NOW, ALL_LIVE)
    unconfirmed = Outcome(is_delivered=False, is_unconfirmed=True)
    record_outcomes([(claimed()[0], unconfirmed)], NOW)

    delivery = DeliveryRow.get()
    assert (delivery.status, delivery.possibly_repeated) == ("failed", True)


def test_quarantine():
    """A receiver that is gone gets nothing more, not even waiting deliveries."""
    subscribe(NOW)
    record_event()
    record_event(subject="2")
    fan_out(NOW, ALL_LIVE)
    first, _ = claimed()
    release([_])

    record_outcomes([(first, GONE)], NOW)

    assert SubscriptionRow.get().state == "quarantined"
    assert claimed() == []
    assert statuses() == ["given-up", "given-up"]
    record_event(subject="3")
    assert fan_out(NOW, ALL_LIVE) == 0


def test_log_of_a_quarantine(caplog):
    """A quarantine is logged once, without the address and the receiver's response."""
    row = subscribe(NOW, "https://tool.example.com/token")
    record_event()
    record_event(subject="2")
    fan_out(NOW, ALL_LIVE)
    gone = replace(GONE, answer="token is no more")

    record_outcomes([(attempt, gone) for attempt in claimed()], NOW)

    (line,) = [line for line in caplog.messages if "quarantined" in line]
    assert line == (
        f"notifications=quarantined subscription={row.id} channel=webhook status=410"
    )


def test_reason_of_a_quarantine():
    """
    The reason for a quarantine has the response of the receiver, or only its status.
    """
    subscribe(NOW)
    record_event()
    fan_out(NOW, ALL_LIVE)

    record_outcomes([(claimed()[0], GONE)], NOW)

    assert SubscriptionRow.get().reason == "The receiver answered 410."


def test_busy_subscriptions():
    """No delivery is claimed for a subscription with enough attempts in progress."""
    busy = subscribe(NOW, "https://slow/")
    subscribe(NOW, "https://good/")
    record_event()
    fan_out(NOW, ALL_LIVE)

    assert [a.address for a in claimed(in_flight={busy.id: 4})] == ["https://good/"]


def test_mails_of_an_incident_are_one_thread():
    """Later emails are replies to the first one that was delivered."""
    subscribe(NOW, "ada@example.com", **MAIL)
    record_event()
    fan_out(NOW, ALL_LIVE)
    (first,) = claimed(channels=["email"])
    record_outcomes([(first, DELIVERED)], NOW)
    for type in ("incident.updated", "incident.resolved"):
        record_event(type)
        fan_out(NOW, ALL_LIVE)
        (later,) = claimed(channels=["email"])
        record_outcomes([(later, DELIVERED)], NOW)
        assert later.thread_id == first.delivery_id

    assert first.thread_id is None


def test_secrets_of_a_webhook():
    """A webhook is signed with its secret, which the table has only sealed."""
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    subscribe(NOW, secret=secret)
    record_event()
    fan_out(NOW, ALL_LIVE)

    assert claimed()[0].secrets == (secret,)
    assert secret.encode() not in bytes(SubscriptionRow.get().sealed_secret)


def test_second_test_of_a_receiver():
    """A test is attempted at once, even if an earlier one failed and waits."""
    row = subscribe(NOW)
    with writing(WriteLock.NOTIFICATIONS):
        queue_message(row, "subscription.test", NOW)
    record_outcomes([(claimed()[0], FAILED)], NOW)
    with writing(WriteLock.NOTIFICATIONS):
        queue_message(row, "subscription.test", NOW)

    assert [attempt.attempts for attempt in claimed()] == [1]


def test_withdrawn_event():
    """Deliveries of withdrawn events are given up, also after a failed attempt."""
    subscribe(NOW)
    record_event(subject="1")
    record_event(subject="2")
    fan_out(NOW, ALL_LIVE)
    record_outcomes([(attempt, FAILED) for attempt in claimed()], NOW)
    with writing():
        withdraw_events("1", NOW)

    attempts = claimed(NOW + timedelta(hours=1))

    assert [attempt.subject_id for attempt in attempts] == ["2"]
    assert statuses() == ["given-up", "sending"]


def test_event_that_is_withdrawn_before_it_is_due():
    """An event that is withdrawn before its page is live is not delivered."""
    subscribe(NOW)
    record_event()
    with writing():
        withdraw_events("1", NOW)
    fan_out(NOW, ALL_LIVE)

    assert claimed() == []
    assert statuses() == ["given-up"]
