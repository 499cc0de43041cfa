"""Create the deliveries of each event that is due, in slices."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from peewee import fn

from models.base import insert_all, new_id
from models.notifications.deliveries.schedule import is_due
from models.notifications.event_types import COLLAPSING_CHANNELS
from models.notifications.rows import DeliveryRow, EventRow, SubscriptionRow
from models.storage.database import reading, writing
from models.storage.write_locks import WriteLock

# A slice is written in less time than another write notices.
SLICE_SIZE = 250
# What decides whether a subscription takes an event.
_CHOICES = (
    SubscriptionRow.id,
    SubscriptionRow.channel,
    SubscriptionRow.events,
    SubscriptionRow.services,
)


def fan_out(now: datetime, live: Mapping[str, int]) -> int:
    """
    Create the deliveries of all events that are due, and return how many.

    `live` has the generation of each area that readers see. A crash between two slices
    loses nothing: the event knows the last subscription that has its delivery.
    """
    count = 0
    for event in _due_events(now, live):
        while not event.notified_at:
            count += _notify_slice(event, now)
    return count


def _due_events(now: datetime, live: Mapping[str, int]) -> Iterator[EventRow]:
    """Yield the events that are due; of one subject, none before an earlier one."""
    with reading():
        pending = EventRow.select().where(EventRow.notified_at.is_null())
        events = list(pending.order_by(EventRow.number))
    waiting_subjects = set()
    for event in events:
        generation = live.get(event.area, 0)
        if event.subject_id in waiting_subjects or not is_due(
            event.generation, generation, event.at, now
        ):
            waiting_subjects.add(event.subject_id)
        else:
            yield event


def _notify_slice(event: EventRow, now: datetime) -> int:
    """Create the deliveries to the next subscriptions; note how far that came."""
    with writing(WriteLock.NOTIFICATIONS):
        rows = SubscriptionRow.select(*_CHOICES).where(
            SubscriptionRow.state == "active", SubscriptionRow.confirmed_at <= event.at
        )
        if event.notified_up_to is not None:
            rows = rows.where(SubscriptionRow.id > event.notified_up_to)
        slice_ = list(rows.order_by(SubscriptionRow.id).limit(SLICE_SIZE))
        takers = [row for row in slice_ if row.takes(event.type, event.services)]
        _create_deliveries(event, takers, now)
        if len(slice_) < SLICE_SIZE:
            event.notified_at = now
        if slice_:
            event.notified_up_to = slice_[-1].id
        event.save()
    return len(takers)


def _create_deliveries(
    event: EventRow, takers: list[SubscriptionRow], now: datetime
) -> None:
    """Create the deliveries of an event; in rooms and mails it replaces unsent ones."""
    unsent = _unsent_of_subject(event, takers)
    replaced = [unsent[row.id] for row in takers if row.id in unsent]
    if replaced:
        # What is new does not wait for the next attempt of what it replaces.
        DeliveryRow.update(
            event=event.number,
            type=event.type,
            status="waiting",
            attempts=0,
            next_attempt_at=now,
        ).where(DeliveryRow.number.in_(replaced)).execute()
    insert_all(
        [
            DeliveryRow(
                id=new_id(now),
                subscription=row.id,
                event=event.number,
                type=event.type,
                subject_id=event.subject_id,
                status="waiting",
                due_at=now,
                created_at=now,
                next_attempt_at=now,
            )
            for row in takers
            if row.id not in unsent
        ]
    )


def _unsent_of_subject(
    event: EventRow, takers: list[SubscriptionRow]
) -> dict[str, int]:
    """
    Return the number of the delivery that the event replaces, by subscription.

    One that the receiver may have already keeps its text, because its id is that of a
    message which programs show once.
    """
    collapsing = [row.id for row in takers if row.channel in COLLAPSING_CHANNELS]
    if not collapsing:
        return {}
    rows: Any = (
        DeliveryRow.select(DeliveryRow.subscription, fn.MAX(DeliveryRow.number))
        .where(
            DeliveryRow.subscription.in_(collapsing),
            DeliveryRow.subject_id == event.subject_id,
            DeliveryRow.event != event.number,
            DeliveryRow.status.in_(("waiting", "failed")),
            DeliveryRow.possibly_repeated == False,  # noqa: E712
        )
        .group_by(DeliveryRow.subscription)
    )
    return dict(rows.tuples())
