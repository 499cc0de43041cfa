"""
Record the events for subscribers in the transaction of their change.

A crash after the commit loses no event, and a change that is rolled back leaves none.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from models.base import new_id
from models.notifications.event_types import EVENT_TYPES, EventType
from models.notifications.rows import EventRow, SubscriptionRow


@dataclass(frozen=True)
class NewEvent:
    """
    What has happened to an incident, a window, a service or a document.

    `data` is that of the webhook, without the URL. `path` is the address of the page
    on the site that shows it. `phase` is given if the clock caused the event: it is
    recorded once for a subject, type and phase.
    """

    type: EventType
    subject_id: str
    path: str
    data: Mapping[str, Any]
    services: list[str] = field(default_factory=list)
    phase: str | None = None


@dataclass(frozen=True)
class DueEvent:
    """
    An event that the clock causes, by what makes it unique.

    `describe` returns it, and is called only if no server has recorded it.
    """

    type: EventType
    subject_id: str
    phase: str
    describe: Callable[[], NewEvent]


def has_subscriptions() -> bool:
    """Return whether there are subscriptions in any state."""
    return SubscriptionRow.select().exists()


def has_subscribers() -> bool:
    """Return whether anybody would get an event now."""
    return SubscriptionRow.select().where(SubscriptionRow.state == "active").exists()


def operators_events(*states: str) -> set[str]:
    """Return the events that subscriptions of operators in these states ask for."""
    rows = SubscriptionRow.select(SubscriptionRow.events).where(
        SubscriptionRow.state.in_(states), SubscriptionRow.source == "operator"
    )
    return {type for row in rows.distinct() for type in row.events}


def unrecorded(events: Iterable[DueEvent]) -> list[DueEvent]:
    """Return those events of the clock that no server has recorded."""
    return [
        event
        for event in events
        if not EventRow.select()
        .where(
            EventRow.type == event.type,
            EventRow.subject_id == event.subject_id,
            EventRow.phase == event.phase,
        )
        .exists()
    ]


def record_events(
    events: Iterable[NewEvent], area: str, generation: int | None, now: datetime
) -> None:
    """
    Record the events of a change, inside its transaction.

    They are due once the area's pages of this generation are live. Without a
    subscription nothing is recorded: later subscribers do not get earlier events.
    """
    events = list(events)
    if not events or not has_subscribers():
        return
    for event in events:
        id = new_id(now)
        EventRow.insert(
            id=id,
            type=event.type,
            subject_id=event.subject_id,
            phase=event.phase or id,
            area=area,
            generation=generation,
            services=event.services,
            path=event.path,
            data=event.data,
            at=now,
        ).on_conflict_ignore().execute()


def revise_events(
    subject_id: str,
    revise: Callable[[str, dict[str, Any]], dict[str, Any] | None],
    now: datetime,
) -> None:
    """
    Change the data of the events of a subject, for what is sent from now on.

    `revise` takes the type and the data of an event, and returns its new data; None
    withdraws the event, as `withdraw_events` does.
    """
    rows = EventRow.select().where(_is_of(subject_id), EventRow.withdrawn_at.is_null())
    for event in list(rows.order_by(EventRow.number)):
        data = revise(event.type, event.data)
        if data is None:
            _withdraw(EventRow.number == event.number, now)
        elif data != event.data:
            EventRow.update(data=data).where(EventRow.number == event.number).execute()


def withdraw_events(subject_id: str, now: datetime) -> None:
    """
    Withdraw the events of a subject that is removed, and forget what they say.

    Deliveries of them that are not sent yet are given up, and none is sent again.
    """
    _withdraw(_is_of(subject_id), now)


def _is_of(subject_id: str) -> Any:
    # The index begins with the type.
    return EventRow.type.in_(EVENT_TYPES) & (EventRow.subject_id == subject_id)


def _withdraw(condition: Any, now: datetime) -> None:
    EventRow.update(withdrawn_at=now, data={}, path="").where(
        condition, EventRow.withdrawn_at.is_null()
    ).execute()
