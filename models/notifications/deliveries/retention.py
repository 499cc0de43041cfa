"""Delete what notifications keep for a while only: addresses, deliveries, events."""

from datetime import datetime, timedelta
from typing import Any

from peewee import fn

from models.base import Row
from models.notifications.rows import (
    DeliveryRow,
    EventRow,
    FormerSecretRow,
    SubscriptionRow,
)
from models.storage.database import truncate_wal_after_commit, writing

# How long deliveries, notified events, and subscriptions that have ended are kept.
RETENTION = timedelta(days=30)
# Rows are deleted in slices, which hold no other write up.
SLICE_SIZE = 250


def delete_expired_notifications(now: datetime) -> None:
    """
    Delete what has expired.

    An event goes once it has no deliveries any more, and the former secret of a webhook
    once it does not sign any more.
    """
    expired_at = now - RETENTION
    _delete_slices(DeliveryRow, DeliveryRow.created_at <= expired_at)
    _delete_slices(
        EventRow,
        EventRow.notified_at.is_null(False)
        & (EventRow.at <= expired_at)
        & ~fn.EXISTS(DeliveryRow.select().where(DeliveryRow.event == EventRow.number)),
    )
    has_ended = (SubscriptionRow.state == "ended") & (
        SubscriptionRow.ended_at <= expired_at
    )
    if _delete_slices(SubscriptionRow, has_ended):
        # Their addresses are not kept in the write-ahead log either.
        truncate_wal_after_commit()
    _delete_slices(FormerSecretRow, FormerSecretRow.expires_at <= now)


def _delete_slices(table: type[Row], condition: Any) -> int:
    """Delete the rows that the condition holds for; return their number."""
    count = 0
    key: Any = table._meta.primary_key
    expired = table.select(key).where(condition).limit(SLICE_SIZE)
    while keys := [row.get_id() for row in expired.clone()]:
        # All areas record events.
        with writing():
            # A row may have changed since it was found.
            count += table.delete().where(key.in_(keys), condition).execute()
    return count
