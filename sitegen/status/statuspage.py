"""Yield the eight documents of the Statuspage v2 API, for clients that read them."""

from collections.abc import Iterator
from datetime import datetime
from functools import cached_property
from typing import Any

from models.base import from_epoch_ms
from models.fields import format_moment
from models.site_addresses import url_path
from models.status.incidents.incidents import IncidentUpdateRow, severity_at
from models.status.maintenance.windows import MaintenanceRow
from models.status.snapshot.event_index import IndexedWindow
from models.status.snapshot.last_change import last_removal_at
from sitegen.page import BuildContext, Page, Stage, pages
from sitegen.status.published import PublishedIncident, read_incidents, windows_by_id
from sitegen.status.status_data import (
    read_index,
    read_service_list,
    read_snapshot,
    read_window_statuses,
)
from sitegen.status.statuspage_components import COMPONENT_STATUS, Components, short_id
from sitegen.urls import incident_path, maintenance_path

MAX_LISTED = 50

IMPACT = {"degraded": "minor", "partial-outage": "major", "major-outage": "critical"}
MAINTENANCE_STATUS = {
    "scheduled": "scheduled",
    "active": "in_progress",
    "completed": "completed",
}
# By overall state: where only some services have it, and where all services have it.
OVERALL = {
    "operational": (("none", "All Systems Operational"),) * 2,
    "maintenance": (("maintenance", "Service Under Maintenance"),) * 2,
    "degraded": (
        ("minor", "Partially Degraded Service"),
        ("minor", "Degraded System Service"),
    ),
    "partial-outage": (
        ("minor", "Minor Service Outage"),
        ("major", "Partial System Outage"),
    ),
    "major-outage": (
        ("major", "Partial System Outage"),
        ("critical", "Major System Outage"),
    ),
    "unavailable": (("minor", "Status Data Unavailable"),) * 2,
}
INDICATORS = ("none", "maintenance", "minor", "major", "critical")
# Where an incident has a worse impact than the states of the services.
IMPACT_DESCRIPTIONS = {
    "minor": "Minor Service Outage",
    "major": "Partial System Outage",
    "critical": "Major System Outage",
}


@pages("status", Stage.LISTS)
def statuspage(context: BuildContext) -> Iterator[Page]:
    """Yield the documents at the root of the host, where clients look for them."""
    documents = StatuspageDocuments(context)
    for name, content in documents.by_name().items():
        document = {"page": documents.page} | content
        yield Page(f"api/v2/{name}.json", document)


class StatuspageDocuments:
    """The status of one build in the schemas of Statuspage."""

    def __init__(self, context: BuildContext) -> None:
        self._site_url = context.settings.site_url
        self._site_name = context.settings.site_name
        self._snapshot = context.once_per_build(read_snapshot)
        self._service_list = context.once_per_build(read_service_list)
        self._index = context.once_per_build(read_index)
        self._statuses = context.once_per_build(read_window_statuses)
        newest_first = self._index.incidents[::-1]
        unresolved = [each for each in newest_first if each.resolved_at is None]
        listed = dict.fromkeys([*newest_first[:MAX_LISTED], *unresolved])
        self._incidents = context.memoize(
            read_incidents, list(listed), name="statuspage"
        )
        self._components = Components(self._snapshot, short_id(self._site_url))

    def by_name(self) -> dict[str, dict[str, Any]]:
        incidents = [self._incident(incident) for incident in self._incidents]
        windows = [self._maintenance(window) for window in self._listed_windows()]
        unresolved = [
            incident for incident in incidents if incident["status"] != "resolved"
        ]
        upcoming = [window for window in windows if window["status"] == "scheduled"]
        active = [window for window in windows if window["status"] == "in_progress"]
        not_completed = [
            window for window in windows if window["status"] != "completed"
        ]
        components, scheduled = self._components.listed, "scheduled_maintenances"
        return {
            "summary": {
                "components": components,
                "incidents": unresolved,
                scheduled: not_completed,
                "status": self._status(),
            },
            "status": {"status": self._status()},
            "components": {"components": components},
            "incidents": {"incidents": incidents[:MAX_LISTED]},
            "incidents/unresolved": {"incidents": unresolved},
            "scheduled-maintenances": {scheduled: windows[:MAX_LISTED]},
            "scheduled-maintenances/upcoming": {scheduled: upcoming},
            "scheduled-maintenances/active": {scheduled: active},
        }

    @cached_property
    def page(self) -> dict[str, Any]:
        """Describe the page, updated at the last measurement or change."""
        updated_at = [service.updated_at for service in self._snapshot.services]
        for events in (self._index.incidents, self._kept_windows):
            if events:
                newest = max(each.updated_at for each in events)
                updated_at.append(from_epoch_ms(newest))
        if removed_at := last_removal_at():
            updated_at.append(removed_at)
        if self._service_list.checked_at:
            updated_at.append(self._service_list.checked_at)
        return {
            "id": short_id(self._site_url),
            "name": self._site_name,
            "url": self._site_url,
            "time_zone": "Etc/UTC",
            "updated_at": format_moment(max(updated_at, default=self._snapshot.now)),
        }

    @cached_property
    def _kept_windows(self) -> list[IndexedWindow]:
        """The windows that were not cancelled, newest first."""
        windows = reversed(self._index.windows)
        return [each for each in windows if self._statuses[each.id] != "cancelled"]

    def _listed_windows(self) -> list[MaintenanceRow]:
        """Return the newest windows, and all that are not completed."""
        ids = [
            window.id
            for number, window in enumerate(self._kept_windows)
            if number < MAX_LISTED or self._statuses[window.id] != "completed"
        ]
        return list(windows_by_id(ids, self._snapshot.now).values())

    def _status(self) -> dict[str, str]:
        """Return the overall status: by the services, or by a worse active incident."""
        states = {service.state for service in self._service_list.services}
        for_some, for_all = OVERALL[self._service_list.overall]
        is_shared = states == {self._service_list.overall}
        indicator, description = for_all if is_shared else for_some
        impacts = [
            IMPACT[incident.severity]
            for incident in self._snapshot.incidents
            if incident.is_active(self._snapshot.now)
            and self._components.affected_by(incident)
        ]
        worst = max(impacts, key=INDICATORS.index, default="none")
        if INDICATORS.index(worst) > INDICATORS.index(indicator):
            indicator, description = worst, IMPACT_DESCRIPTIONS[worst]
        return {"indicator": indicator, "description": description}

    def _incident(self, incident: PublishedIncident) -> dict[str, Any]:
        row, json = incident.row, incident.shown
        oldest_first = incident.updates[::-1]
        imposed = [_imposed_status(entry, incident) for entry in oldest_first]
        updates = [
            self._incident_update(*entry, incident)
            for entry in zip(
                oldest_first, ["operational", *imposed], imposed, strict=False
            )
        ]
        monitoring_at = next(
            (
                format_moment(entry.created_at)
                for entry in oldest_first
                if entry.status == "monitoring"
            ),
            None,
        )
        return {
            "id": row.id,
            "name": row.title,
            "status": row.status,
            "created_at": json["createdAt"],
            "updated_at": json["updatedAt"],
            "monitoring_at": monitoring_at,
            "resolved_at": json["resolvedAt"],
            "impact": IMPACT[json["severity"]],
            "shortlink": self._site_url + url_path(incident_path(row.id)),
            "started_at": json["startedAt"],
            "page_id": self.page["id"],
            "incident_updates": updates[::-1],
            "components": self._components.affected_by(row),
        }

    def _incident_update(
        self,
        entry: IncidentUpdateRow,
        old_status: str,
        new_status: str,
        incident: PublishedIncident,
    ) -> dict[str, Any]:
        affected = [
            {
                "code": component["id"],
                "name": self._components.qualified_name(component),
                "old_status": old_status,
                "new_status": new_status,
            }
            for component in self._components.affected_by(incident.row)
        ]
        update = _update(entry.id, entry.status, entry.body, incident.row.id)
        timestamps = _timestamps(entry.created_at)
        timestamps["updated_at"] = format_moment(entry.changed_at)
        return update | timestamps | {"affected_components": affected}

    def _maintenance(self, window: MaintenanceRow) -> dict[str, Any]:
        status = MAINTENANCE_STATUS[window.status]
        body = window.description or window.title
        announcement = _update(short_id(window.id), "scheduled", body, window.id)
        is_completed = status == "completed"
        return {
            "id": window.id,
            "name": window.title,
            "status": status,
            "created_at": format_moment(window.created_at),
            "updated_at": format_moment(
                max(window.updated_at, window.status_changed_at)
            ),
            "monitoring_at": None,
            "resolved_at": format_moment(window.status_changed_at)
            if is_completed
            else None,
            "impact": "maintenance",
            "shortlink": self._site_url + url_path(maintenance_path(window.id)),
            "started_at": format_moment(window.created_at),
            "page_id": self.page["id"],
            "incident_updates": [announcement | _timestamps(window.created_at)],
            "components": self._components.affected_by(window),
            "scheduled_for": format_moment(window.starts_at),
            "scheduled_until": format_moment(window.ends_at),
        }


def _imposed_status(entry: IncidentUpdateRow, incident: PublishedIncident) -> str:
    """Return the status that the incident gave its components with this update."""
    if entry.status == "resolved":
        return "operational"
    return COMPONENT_STATUS[severity_at(incident.severities, entry.created_at)]


def _update(id: str, status: str, body: str, incident_id: str) -> dict[str, Any]:
    return {
        "id": id,
        "status": status,
        "body": body,
        "incident_id": incident_id,
        "affected_components": None,
        "deliver_notifications": True,
        "custom_tweet": None,
        "tweet_id": None,
    }


def _timestamps(moment: datetime) -> dict[str, str]:
    names = ("created_at", "updated_at", "display_at")
    return dict.fromkeys(names, format_moment(moment))
