"""The eight documents of the Statuspage v2 API, for every reader that speaks it."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cached_property
from typing import Any

from models.fields import format_moment
from models.response_headers import url_path
from models.status.incidents.incidents import (
    IncidentRow,
    IncidentUpdateRow,
    updates_by_incident,
)
from models.status.maintenance.windows import MaintenanceRow
from models.status.snapshot.snapshot import StatusSnapshot
from sitegen.page import BuildContext, Page, Rank, pages
from sitegen.status.status_data import board_of, every_incident, every_window
from sitegen.status.statuspage_components import STATUS, Components, short_id
from sitegen.urls import incident_path, maintenance_path

NEWEST = 50

IMPACT = {"degraded": "minor", "partial-outage": "major", "major-outage": "critical"}
PHASE = {"scheduled": "scheduled", "active": "in_progress", "completed": "completed"}
# The state of the whole: where only some services have it, and where all have.
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
# What an incident says that is worse than what the count of services says.
RAISED = {
    "minor": "Minor Service Outage",
    "major": "Partial System Outage",
    "critical": "Major System Outage",
}


@pages("status")
def statuspage(context: BuildContext) -> Iterator[Page]:
    """The documents at the root of the host, where every client looks for them."""
    told = Documents(context)
    for name, members in told.documents().items():
        yield Page(f"api/v2/{name}.json", {"page": told.page} | members, rank=Rank.LIST)


class Documents:
    """One build's status in the words of Statuspage."""

    def __init__(self, context: BuildContext) -> None:
        self._url = context.settings.site_url
        self._name = context.settings.site_name
        self._board: StatusSnapshot = context.once(board_of)
        self._listed = self._board.service_list()
        self._incidents = context.once(every_incident)
        windows = context.once(every_window)
        self._windows = [each for each in windows if each.status != "cancelled"]
        self._components = Components(self._board, short_id(self._url))

    def documents(self) -> dict[str, dict[str, Any]]:
        incidents, windows = self.incidents(), self.maintenance()
        open_ones = [each for each in incidents if each["status"] != "resolved"]
        upcoming = [each for each in windows if each["status"] == "scheduled"]
        active = [each for each in windows if each["status"] == "in_progress"]
        components, planned = self._components.listed, "scheduled_maintenances"
        return {
            "summary": {
                "components": components,
                "incidents": open_ones,
                planned: [each for each in windows if each["status"] != "completed"],
                "status": self.status(),
            },
            "status": {"status": self.status()},
            "components": {"components": components},
            "incidents": {"incidents": incidents[:NEWEST]},
            "incidents/unresolved": {"incidents": open_ones},
            "scheduled-maintenances": {planned: windows[:NEWEST]},
            "scheduled-maintenances/upcoming": {planned: upcoming},
            "scheduled-maintenances/active": {planned: active},
        }

    @cached_property
    def page(self) -> dict[str, Any]:
        """The page is as new as the last measurement or the last write."""
        rows = [*self._board.services, *self._incidents, *self._windows]
        times = [each.updated_at for each in rows]
        times += filter(None, [self._listed.checked_at])
        return {
            "id": short_id(self._url),
            "name": self._name,
            "url": self._url,
            "time_zone": "Etc/UTC",
            "updated_at": format_moment(max(times, default=self._board.now)),
        }

    def status(self) -> dict[str, str]:
        """The whole: the rule of counts, raised by an incident that says worse."""
        states = {each.state for each in self._listed.services}
        some, every = OVERALL[self._listed.overall]
        indicator, description = every if states == {self._listed.overall} else some
        impacts = [
            IMPACT[each.severity]
            for each in self._board.incidents
            if each.is_active(self._board.now) and self._components.of(each)
        ]
        worst = max(impacts, key=INDICATORS.index, default="none")
        if INDICATORS.index(worst) > INDICATORS.index(indicator):
            indicator, description = worst, RAISED[worst]
        return {"indicator": indicator, "description": description}

    def incidents(self) -> list[dict[str, Any]]:
        entries = updates_by_incident(self._incidents)
        return [self._incident(each, entries[each.id]) for each in self._incidents]

    def maintenance(self) -> list[dict[str, Any]]:
        return [self._maintenance(each) for each in self._windows]

    def _incident(
        self, incident: IncidentRow, entries: Iterable[IncidentUpdateRow]
    ) -> dict[str, Any]:
        in_order = sorted(entries, key=lambda each: each.number)
        updates = [
            self._update(each, incident, is_first=not place)
            for place, each in enumerate(in_order)
        ]
        monitored = [e.created_at for e in in_order if e.status == "monitoring"]
        return {
            "id": incident.id,
            "name": incident.title,
            "status": incident.status,
            "created_at": format_moment(incident.created_at),
            "updated_at": format_moment(incident.updated_at),
            "monitoring_at": _told(monitored[0] if monitored else None),
            "resolved_at": _told(incident.resolved_at),
            "impact": IMPACT[incident.severity],
            "shortlink": self._url + url_path(incident_path(incident.id)),
            "started_at": format_moment(incident.started_at),
            "page_id": self.page["id"],
            "incident_updates": updates[::-1],
            "components": self._components.of(incident),
        }

    def _update(
        self, entry: IncidentUpdateRow, incident: IncidentRow, *, is_first: bool
    ) -> dict[str, Any]:
        """An entry, as if the incident had always imposed what it does now."""
        imposed = STATUS[incident.severity]
        affected = [
            {
                "code": each["id"],
                "name": self._components.name(each),
                "old_status": "operational" if is_first else imposed,
                "new_status": "operational" if entry.status == "resolved" else imposed,
            }
            for each in self._components.of(incident)
        ]
        told = _update(entry.id, entry.status, entry.body, incident.id)
        return told | _times(entry.created_at) | {"affected_components": affected}

    def _maintenance(self, window: MaintenanceRow) -> dict[str, Any]:
        phase, turned = PHASE[window.status], window.status_changed_at
        body = window.description or window.title
        announced = _update(short_id(window.id), "scheduled", body, window.id)
        return {
            "id": window.id,
            "name": window.title,
            "status": phase,
            "created_at": format_moment(window.created_at),
            "updated_at": format_moment(max(window.updated_at, turned)),
            "monitoring_at": None,
            "resolved_at": _told(turned if phase == "completed" else None),
            "impact": "maintenance",
            "shortlink": self._url + url_path(maintenance_path(window.id)),
            "started_at": format_moment(window.created_at),
            "page_id": self.page["id"],
            "incident_updates": [announced | _times(window.created_at)],
            "components": self._components.of(window),
            "scheduled_for": format_moment(window.starts_at),
            "scheduled_until": format_moment(window.ends_at),
        }


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


def _times(at: datetime) -> dict[str, str]:
    return dict.fromkeys(("created_at", "updated_at", "display_at"), format_moment(at))


def _told(at: datetime | None) -> str | None:
    return format_moment(at) if at else None
