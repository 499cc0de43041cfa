"""Record the events that the clock causes: windows and states of services."""

from datetime import datetime, timedelta

from models import changes
from models.notifications.events import (
    NewEvent,
    has_subscribers,
    has_subscribers_of,
    record_events,
    unrecorded,
)
from models.status.maintenance.events import events_of_clock
from models.status.services.told_states import (
    changed_states,
    forget_told_states,
    has_told_states,
    note_states,
    told_states,
)
from models.status.snapshot.snapshot import status_snapshot
from models.storage.database import reading, writing
from models.storage.write_locks import STATUS


def record_clock_events(now: datetime, freshness: timedelta) -> bool:
    """
    Record the events that are due; return whether the site must be built for them.

    Each is recorded once, however often and on however many servers this is called.
    """
    _record_state_changes(now, freshness)
    return _record_maintenance(now)


def _record_maintenance(now: datetime) -> bool:
    with reading():
        events = unrecorded(events_of_clock(now)) if has_subscribers() else []
    if not events:
        return False
    with writing(STATUS):
        # The pages show the change at this time, and are live with this generation.
        record_events(events, "status", changes.mark("status"), now)
    return True


def _record_state_changes(now: datetime, freshness: timedelta) -> None:
    with reading():
        is_asked_for = has_subscribers_of("service.state-changed")
        if not is_asked_for and not has_told_states():
            return
        if is_asked_for and not changed_states(
            status_snapshot(now, freshness), told_states()
        ):
            return
    with writing(STATUS):
        if not is_asked_for:
            forget_told_states()
            return
        events: list[NewEvent] = note_states(status_snapshot(now, freshness))
        record_events(events, "status", None, now)
