"""Create the events of a maintenance window, of which subscribers are notified."""

from datetime import datetime, timedelta

from models.base import Change, epoch_ms
from models.notifications.event_types import EventType
from models.notifications.events import DueEvent, NewEvent
from models.site_addresses import maintenance_address
from models.status.maintenance.windows import (
    MaintenanceRow,
    StatusMaintenance,
    load_details,
)
from models.status.services.affected import not_removed

# A window that ended before that, while no server ran, is not told to have ended.
MAX_AGE = timedelta(days=1)
# How long before its start operators are reminded of a window.
REMINDED_BEFORE = timedelta(hours=3)


def scheduled_event(window: MaintenanceRow) -> NewEvent:
    return _event("maintenance.scheduled", window)


def changed_event(
    window: MaintenanceRow, changes: dict[str, Change], clock_at: datetime
) -> NewEvent | None:
    """
    Return the event of changed fields, None if the window is over.

    A change that starts the window gives the event of its start, which the clock then
    does not repeat.
    """
    if "status" in changes and window.status in ("cancelled", "completed"):
        is_cancelled = window.status == "cancelled"
        return _event(
            "maintenance.cancelled" if is_cancelled else "maintenance.completed", window
        )
    former_start, _ = changes.get("starts_at", (window.starts_at, None))
    if window.status == "active" and former_start > clock_at:
        return _event("maintenance.started", window, str(epoch_ms(window.starts_at)))
    is_over = window.status in ("cancelled", "completed")
    return None if is_over or not changes else _event("maintenance.changed", window)


def events_of_clock(now: datetime) -> list[DueEvent]:
    """
    Return the events of windows that have started, or ended, by their times.

    They are the same at each call: recording one a second time does nothing.
    """
    windows = not_removed(MaintenanceRow).where(
        MaintenanceRow.is_notified,
        MaintenanceRow.written == "scheduled",
        MaintenanceRow.starts_at <= now,
        MaintenanceRow.ends_at > now - MAX_AGE,
    )
    return [
        _start_or_end(window.set_status_at(now), now)
        for window in windows.order_by(MaintenanceRow.id)
    ]


def reminders(now: datetime) -> list[DueEvent]:
    """Return a reminder of each window that starts soon."""
    windows = not_removed(MaintenanceRow).where(
        MaintenanceRow.written == "scheduled",
        MaintenanceRow.starts_at > now,
        MaintenanceRow.starts_at <= now + REMINDED_BEFORE,
    )
    return [
        _due_event("maintenance.reminder", window, window.starts_at, now)
        for window in windows.order_by(MaintenanceRow.id)
    ]


def _start_or_end(window: MaintenanceRow, now: datetime) -> DueEvent:
    if window.status == "active":
        return _due_event("maintenance.started", window, window.starts_at, now)
    return _due_event("maintenance.completed", window, window.ends_at, now)


def _due_event(
    type: EventType, window: MaintenanceRow, at: datetime, now: datetime
) -> DueEvent:
    phase = str(epoch_ms(at))

    def describe() -> NewEvent:
        return _event(type, load_details([window], now)[0], phase)

    return DueEvent(type, window.id, phase, describe)


def _event(
    type: EventType, window: MaintenanceRow, phase: str | None = None
) -> NewEvent:
    return NewEvent(
        type=type,
        subject_id=window.id,
        path=maintenance_address(window.id),
        data={"maintenance": StatusMaintenance.model_validate(window).to_json()},
        services=[service.slug for service in window.services],
        phase=phase,
    )
