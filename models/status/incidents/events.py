"""Create the events of an incident, of which subscribers are notified."""

from datetime import datetime, timedelta
from typing import Any

from models.base import Change, epoch_ms
from models.notifications.event_types import EventType
from models.notifications.events import DueEvent, NewEvent, revise_events
from models.site_addresses import incident_address
from models.status.incidents.incidents import (
    IncidentRow,
    IncidentUpdateRow,
    StatusIncidentUpdate,
    incident_detail,
)
from models.status.services.affected import not_removed

# An event has the newest updates of its incident, because a message has a limit.
MAX_UPDATES = 20
# Changes of which subscribers are notified. A corrected title or time tells nobody.
NOTIFIED_FIELDS = ("status", "severity", "services")


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
    """Return the event of changed fields, None if they notify nobody."""
    if not any(field in changes for field in NOTIFIED_FIELDS):
        return None
    before, after = changes.get("status", (incident.status, incident.status))
    return _event(_type_of_change(before, after), incident)


def revise_update_events(update: IncidentUpdateRow, now: datetime) -> None:
    """
    Put the new words of a corrected or removed update into the events of its incident.

    A correction is no event of its own: who was told the earlier words is not told
    again. What is still to be sent, or sent again, has the new words, and an event that
    only tells of a removed update is withdrawn.
    """
    new = StatusIncidentUpdate.model_validate(update).to_json()

    def revise(type: str, data: dict[str, Any]) -> dict[str, Any] | None:
        detail = data["incident"]
        updates = [new if old["id"] == new["id"] else old for old in detail["updates"]]
        is_newest = bool(updates) and updates[-1] is new
        if update.removed_at and is_newest and type == "incident.updated":
            return None
        return data | {"incident": detail | {"updates": updates}}

    revise_events(update.incident_id, revise, now)


def reminders(now: datetime, after: timedelta) -> list[DueEvent]:
    """Return a reminder of each active incident that had no update for so long."""
    silent = not_removed(IncidentRow).where(
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
