"""Record the events that the clock causes: windows, states, and reminders."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from models import changes
from models.notifications.events import (
    DueEvent,
    has_subscribers,
    operators_events,
    record_events,
    unrecorded,
)
from models.status.incidents.events import reminders as incident_reminders
from models.status.maintenance.events import events_of_clock
from models.status.maintenance.events import reminders as window_reminders
from models.status.services.notified_states import (
    changed_states,
    forget_notified_states,
    has_notified_states,
    note_states,
    notified_states,
)
from models.status.snapshot.snapshot import status_snapshot
from models.storage.database import reading, writing
from models.storage.write_locks import WriteLock


def record_clock_events(
    now: datetime, *, freshness: timedelta, reminder_after: timedelta
) -> bool:
    """
    Record the events that are due; return whether the site must be built for them.

    Each is recorded once, however often and on however many servers this is called.
    Operators are reminded of an incident `reminder_after` its last update.
    """
    with reading():
        is_needed, requested = has_subscribers(), operators_events("active")
    _record_state_changes(now, freshness)
    if not is_needed:
        return False
    _record_reminders(now, reminder_after, requested)
    return _record_maintenance(now)


def _record_maintenance(now: datetime) -> bool:
    with reading():
        if not unrecorded(events_of_clock(now)):
            return False
    with writing(WriteLock.STATUS):
        # Again, because a change may have been written meanwhile.
        due = unrecorded(events_of_clock(now))
        if due:
            # The pages show the change at this time, and are live with this generation.
            _record(due, changes.mark("status"), now)
    return bool(due)


def _record_reminders(now: datetime, after: timedelta, requested: set[str]) -> None:
    def find() -> list[DueEvent]:
        due: list[DueEvent] = []
        if "incident.reminder" in requested:
            due += incident_reminders(now, after)
        if "maintenance.reminder" in requested:
            due += window_reminders(now)
        return unrecorded(due)

    with reading():
        if not find():
            return
    with writing(WriteLock.STATUS):
        _record(find(), None, now)


def _record(due: Iterable[DueEvent], generation: int | None, now: datetime) -> None:
    record_events([event.describe() for event in due], "status", generation, now)


def _record_state_changes(now: datetime, freshness: timedelta) -> None:
    with reading():
        if not _are_states_requested():
            is_needed = has_notified_states()
        else:
            snapshot = status_snapshot(now, freshness)
            is_needed = bool(changed_states(snapshot, notified_states()))
    if not is_needed:
        return
    with writing(WriteLock.STATUS):
        # Again, because a subscription may have been added meanwhile.
        if not _are_states_requested():
            forget_notified_states()
            return
        events = note_states(status_snapshot(now, freshness))
        record_events(events, "status", None, now)


def _are_states_requested() -> bool:
    # A quarantine may end at any time.
    return "service.state-changed" in operators_events("active", "quarantined")
