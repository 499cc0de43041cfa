"""Notify webhooks that the state of a service has changed, once it has held."""

from datetime import datetime, timedelta

from peewee import ForeignKeyField, TextField

from models.base import MomentField, Row
from models.notifications.events import NewEvent
from models.site_addresses import service_address
from models.status.services.rows import ServiceRow
from models.status.snapshot.snapshot import StatusSnapshot

# A state that holds for less is not notified, so that a flapping service is quiet.
MIN_DURATION = timedelta(seconds=60)


class NotifiedStateRow(Row):
    """The notified state of a service, and the state that it has since."""

    service = ForeignKeyField(ServiceRow, primary_key=True, on_delete="CASCADE")
    state = TextField()
    changed_to = TextField(null=True)
    changed_at = MomentField(null=True)

    service_id: int


def forget_notified_states() -> None:
    """Forget all states: later subscriptions are notified of later changes only."""
    NotifiedStateRow.delete().execute()


def has_notified_states() -> bool:
    return NotifiedStateRow.select().exists()


def changed_states(
    snapshot: StatusSnapshot, notified: dict[int, NotifiedStateRow]
) -> list[ServiceRow]:
    """Return the services whose rows `note_states` would change at this time."""
    return [
        service
        for service in snapshot.services
        if _differs(
            notified.get(service.number),
            snapshot.state_of(service).state,
            snapshot.now,
        )
    ]


def notified_states() -> dict[int, NotifiedStateRow]:
    return {row.service_id: row for row in NotifiedStateRow.select()}


def note_first_states(snapshot: StatusSnapshot) -> None:
    """
    Note the states from which a new subscription is notified of changes.

    It belongs into the transaction of the subscription: a state that is noted later
    may be the change itself.
    """
    notified = notified_states()
    for service in snapshot.services:
        if service.number not in notified:
            state = snapshot.state_of(service).state
            NotifiedStateRow.create(service=service.number, state=state)


def note_states(snapshot: StatusSnapshot) -> list[NewEvent]:
    """
    Note the states that services have now, inside a write transaction.

    A service that has no state yet was added after the subscriptions, and was unknown.
    Return the events of states that differ from the notified ones, and have held.
    """
    notified, events = notified_states(), []
    for service in changed_states(snapshot, notified):
        state = snapshot.state_of(service).state
        row = notified.get(service.number)
        if row is None:
            row = NotifiedStateRow.create(service=service.number, state="unknown")
        if state == row.state:
            row.changed_to = row.changed_at = None
            row.save()
        elif state != row.changed_to:
            row.changed_to, row.changed_at = state, snapshot.now
            row.save()
        else:
            events.append(_event(service, snapshot, row.state))
            row.state, row.changed_to, row.changed_at = state, None, None
            row.save()
    return events


def _differs(row: NotifiedStateRow | None, state: str, now: datetime) -> bool:
    """Return whether the state is new, other than noted, or has held long enough."""
    if row is None or (state != row.state and state != row.changed_to):
        return True
    if state == row.state:
        return row.changed_to is not None
    # A clock that was set back starts the time again.
    return not row.changed_at <= now < row.changed_at + MIN_DURATION


def _event(
    service: ServiceRow, snapshot: StatusSnapshot, previous_state: str
) -> NewEvent:
    return NewEvent(
        type="service.state-changed",
        subject_id=service.slug,
        path=service_address(service.slug),
        data={
            "service": snapshot.service_status(service).to_json(),
            "previousState": previous_state,
        },
        services=[service.slug],
    )
