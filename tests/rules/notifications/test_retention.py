"""The retention of notifications."""

from datetime import timedelta

import pytest

from models.notifications.deliveries.attempts import claim, record_outcomes
from models.notifications.deliveries.fan_out import fan_out
from models.notifications.deliveries.retention import (
    RETENTION,
    SLICE_SIZE,
    delete_expired_notifications,
)
from models.notifications.rows import (
    DeliveryRow,
    EventRow,
    FormerSecretRow,
    SubscriptionRow,
)
from models.notifications.subscriptions.secrets import (
    FORMER_SECRET_SIGNS,
    replace_secret,
)
from models.notifications.subscriptions.subscriptions import end_subscription
from tests.factories.notifications import ALL_LIVE, DELIVERED, subscribe
from tests.rules.notifications.test_fan_out import NOW, record_event

pytestmark = [pytest.mark.usefixtures("store"), pytest.mark.both_engines]

TICK = timedelta(milliseconds=1)


def deliver():
    record_event()
    fan_out(NOW, ALL_LIVE)
    record_outcomes([(a, DELIVERED) for a in claim(NOW, ["webhook"], 100)], NOW)


def test_deliveries_and_events():
    """
    Deliveries and events are deleted after 30 days, but active subscriptions stay.
    """
    subscribe(NOW)
    deliver()

    delete_expired_notifications(NOW + RETENTION - TICK)
    assert (DeliveryRow.select().count(), EventRow.select().count()) == (1, 1)
    delete_expired_notifications(NOW + RETENTION)

    assert (DeliveryRow.select().count(), EventRow.select().count()) == (0, 0)
    assert SubscriptionRow.get().state == "active"


def test_event_that_is_not_told():
    """An event is kept until it has been fanned out, whatever its age."""
    subscribe(NOW)
    record_event()

    delete_expired_notifications(NOW + 2 * RETENTION)

    assert EventRow.select().count() == 1


def test_event_with_a_later_delivery():
    """A delivery that was created late keeps its event for as long."""
    subscribe(NOW)
    record_event()
    fan_out(NOW + timedelta(days=1), ALL_LIVE)

    delete_expired_notifications(NOW + RETENTION)
    assert (DeliveryRow.select().count(), EventRow.select().count()) == (1, 1)
    delete_expired_notifications(NOW + RETENTION + timedelta(days=1))

    assert (DeliveryRow.select().count(), EventRow.select().count()) == (0, 0)


def test_ended_subscriptions(raw_database):
    """
    The address of an ended subscription is erased after 30 days, also from the log.
    """
    row = subscribe(NOW, "https://gone.example.com/hook")
    end_subscription(row, "Removed by an operator.", NOW)

    delete_expired_notifications(NOW + RETENTION - TICK)
    assert b"gone.example.com" in raw_database.stored_bytes()
    delete_expired_notifications(NOW + RETENTION)
    subscribe(NOW, "https://new.example.com/hook")

    assert b"gone.example.com" not in raw_database.stored_bytes()


def test_more_than_a_slice():
    """Everything that has expired is deleted, in several slices if necessary."""
    for number in range(SLICE_SIZE + 1):
        subscribe(NOW, f"https://{number}.example.com/")
    deliver()
    assert DeliveryRow.select().count() == SLICE_SIZE + 1

    delete_expired_notifications(NOW + RETENTION)

    assert DeliveryRow.select().count() == 0


def test_former_secret():
    """A replaced secret is deleted once it signs no more."""
    row = subscribe(NOW)
    replace_secret(row, "whsec_bmV3", NOW - FORMER_SECRET_SIGNS)

    delete_expired_notifications(NOW - TICK)
    assert FormerSecretRow.select().count() == 1
    delete_expired_notifications(NOW)

    assert FormerSecretRow.select().count() == 0
    assert SubscriptionRow.get().sealed_secret is not None
