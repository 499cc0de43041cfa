"""Describe what subscribers are told of an incident."""

from datetime import datetime, timedelta

from models.base import Change, epoch_ms
from models.notifications.event_types import EventType
from models.notifications.events import DueEvent, NewEvent
from models.site_addresses import incident_address
from models.status.incidents.incidents import (
    IncidentRow,
    IncidentUpdateRow,
    incident_detail,
)

# An event has the newest updates of its incident, because a message has a limit.
MAX_UPDATES = 20
# Changes of which subscribers are told. A corrected title or time tells nobody.
TOLD_FIELDS = ("status", "severity", "services")


def opened_event(incident: IncidentRow) -> NewEvent:
    """Return the event of a new incident, which may be a resolved one of the past."""
    type: EventType = (
        "incident.resolved" if incident.status == "resolved" else "incident.opened"
    )
    return _event(type, incident)


def update_event(update: IncidentUpdateRow) -> NewEvent:
    """Return the event of a posted update: one, also if it resolves the incident."""
    return _event(
        _type_of_change(update.previous_status, update.status), update.incident
    )


def changed_event(incident: IncidentRow, changes: dict[str, Change]) -> NewEvent | None:
    """Return the event of changed fields, None if subscribers are not told of them."""
    if not any(field in changes for field in TOLD_FIELDS):
        return None
    before, after = changes.get("status", (incident.status, incident.status))
    return _event(_type_of_change(before, after), incident)


def reminders(now: datetime, after: timedelta) -> list[DueEvent]:
    """Return a reminder of each active incident that had no update for so long."""
    silent = IncidentRow.select().where(
        IncidentRow.status != "resolved",
        IncidentRow.started_at <= now,
        IncidentRow.updated_at <= now - after,
    )
    return [_reminder(incident) for incident in silent.order_by(IncidentRow.id)]


def _reminder(incident: IncidentRow) -> DueEvent:
    type: EventType = "incident.reminder"
    phase = str(epoch_ms(incident.updated_at))
    return DueEvent(
        type, incident.id, phase, lambda: _event(type, incident, phase=phase)
    )


def _type_of_change(before: str, after: str) -> EventType:
    if after == "resolved" and before != "resolved":
        return "incident.resolved"
    if before == "resolved" and after != "resolved":
        return "incident.reopened"
    return "incident.updated"


def _event(
    type: EventType, incident: IncidentRow, phase: str | None = None
) -> NewEvent:
    detail = incident_detail(incident.id)
    newest = detail.model_copy(update={"updates": detail.updates[-MAX_UPDATES:]})
    return NewEvent(
        type=type,
        subject_id=incident.id,
        path=incident_address(incident.id),
        data={"incident": newest.to_json()},
        services=[service.slug for service in detail.incident.services],
        phase=phase,
    )
