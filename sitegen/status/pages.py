"""Yield the overview of the status page, and a page for each incident and window."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import chain
from typing import Any

from models.display_text import isolate
from models.response_headers import file_for, url_path
from sitegen.page import BuildContext, Page, Stage, pages
from sitegen.status.missing_data import missing_data
from sitegen.status.status_data import (
    PublishedIncident,
    PublishedMaintenance,
    StatusData,
    affected_services,
    read_published_incidents,
    read_published_maintenance,
    read_status_data,
    reason_to_data,
)
from sitegen.status.upcoming_changes import UpcomingChanges
from sitegen.urls import (
    HOW,
    history_path,
    incident_path,
    maintenance_path,
    service_path,
    twin,
)

RECENT = timedelta(days=14)
# How many resolved incidents are shown in full; the history has the others.
MAX_RESOLVED = 20
LINKS = {
    "atom": "/status/feed.atom",
    "rss": "/status/feed.rss",
    "json": "/status/feed.json",
    "calendar": "/status/maintenance.ics",
    "badge": "/status/badge.svg",
    "embed": "/status/embed/",
    "shields": None,
}


@pages("status", Stage.URGENT)
def incidents(context: BuildContext) -> Iterator[Page]:
    """Yield each incident as a page and as JSON."""
    published = context.once_per_build(read_published_incidents).values()
    for incident in published:
        row, path = incident.row, incident_path(incident.row.id)
        detail = {"incident": incident.json, "updates": incident.updates_json[::-1]}
        affected = affected_services(context, row)
        yield Page(twin(path)[1:], {"data": detail})
        yield Page(
            path,
            _with_timeline(incident)
            | {"affected": affected, "links": LINKS, "staleAt": None},
            template="status/incident.html",
            title=row.title,
            description=context.theme.locale.text(
                "reason.incident", subject=isolate(row.title)
            ),
            twin=twin(path),
            requires=_files_of(affected),
        )


@pages("status", Stage.LISTS)
def incident_list(context: BuildContext) -> Iterator[Page]:
    """Yield all incidents as JSON."""
    published = context.once_per_build(read_published_incidents).values()
    data = [incident.json for incident in published]
    yield Page("status/incidents.json", {"data": data})


@pages("status", Stage.URGENT)
def maintenance(context: BuildContext) -> Iterator[Page]:
    """Yield each maintenance window as a page and as JSON."""
    published = context.once_per_build(read_published_maintenance).values()
    for window in published:
        row, path = window.row, maintenance_path(window.row.id)
        affected = affected_services(context, row)
        yield Page(twin(path)[1:], {"data": window.json})
        yield Page(
            path,
            {
                "maintenance": window.json,
                "affected": affected,
                "links": LINKS,
                "staleAt": None,
            },
            template="status/maintenance.html",
            title=row.title,
            description=context.theme.locale.text(
                "reason.maintenance", subject=isolate(row.title)
            ),
            twin=twin(path),
            requires=_files_of(affected),
        )


@pages("status", Stage.LISTS)
def maintenance_list(context: BuildContext) -> Iterator[Page]:
    """Yield all maintenance windows as JSON."""
    published = context.once_per_build(read_published_maintenance).values()
    data = [window.json for window in published]
    yield Page("status/maintenance.json", {"data": data})


@pages("status", Stage.URGENT)
def overview(context: BuildContext) -> Iterator[Page]:
    """Yield the overview: services, active incidents, maintenance, recent incidents."""
    status_data = context.once_per_build(read_status_data)
    data = _overview(context, status_data)
    links = [file_for(href) for href in _linked_hrefs(data)]
    json_data = _service_list(status_data)
    yield Page("status/index.json", json_data, requires=links)
    overview = Page(
        "status/index.html",
        data,
        template="status/index.html",
        title=context.theme.locale.text("site.status"),
        description=context.theme.locale.text(
            "status.of", name=context.settings.site_name
        ),
        twin="/status/index.json",
        requires=links,
    )
    yield overview
    if context.settings.front == "status":
        yield replace(overview, path="index.html", canonical=overview.address)


def _service_list(status_data: StatusData) -> dict[str, Any]:
    """Return the API's response, with the reasons and the next change as meta."""
    meta = {
        "reasons": {slug: str(text) for slug, text in status_data.reasons.items()},
        "nextChangeAt": status_data.next_change_at,
    }
    return {"data": status_data.service_list.to_json(), "meta": meta}


def _overview(context: BuildContext, status_data: StatusData) -> dict[str, Any]:
    snapshot = status_data.snapshot
    changes = context.once_per_build(UpcomingChanges)
    services = [_service(status_data, changes, slug) for slug in status_data.details]
    groups = list(dict.fromkeys(service["group"] for service in services))
    incidents = context.once_per_build(read_published_incidents)
    active = [
        incidents[row.id] for row in snapshot.incidents if row.is_active(snapshot.now)
    ]
    since = snapshot.now - RECENT
    resolved = [
        incident
        for incident in incidents.values()
        if incident.row.resolved_at and incident.row.resolved_at > since
    ]
    # Soonest first.
    windows = [
        context.once_per_build(read_published_maintenance)[row.id]
        for row in reversed(snapshot.windows)
    ]
    return {
        "status": status_data.service_list.to_json(),
        "missing": missing_data(status_data.service_list),
        "groups": [
            {
                "name": group,
                "services": [
                    service for service in services if service["group"] == group
                ],
            }
            for group in groups
        ],
        "activeIncidents": [_with_timeline(incident) for incident in active],
        "activeMaintenance": _windows_with_status(context, windows, "active"),
        "scheduledMaintenance": _windows_with_status(context, windows, "scheduled"),
        "resolvedIncidents": [
            _with_timeline(incident) for incident in resolved[:MAX_RESOLVED]
        ],
        "moreResolved": len(resolved[MAX_RESOLVED:]),
        "links": LINKS,
        "staleAt": status_data.stale_at(),
        "upcomingChange": changes.overall,
    }


def _linked_hrefs(data: dict[str, Any]) -> Iterator[str]:
    """Yield the addresses of everything that the overview links to."""
    yield from filter(None, LINKS.values())
    yield from map(url_path, (HOW, history_path()))
    groups = (group["services"] for group in data["groups"])
    lists = (
        data["activeIncidents"],
        data["activeMaintenance"],
        data["scheduledMaintenance"],
        data["resolvedIncidents"],
    )
    yield from (item["href"] for item in chain(*groups, *lists))


def _service(
    status_data: StatusData, changes: UpcomingChanges, slug: str
) -> dict[str, Any]:
    detail = status_data.details[slug]
    service = detail.service
    return {
        "slug": slug,
        "name": service.name,
        "description": service.description,
        "group": service.group,
        "state": service.state,
        "upcomingChange": changes.by_service.get(slug),
        "reason": reason_to_data(status_data.reasons[slug]),
        "stale": service.stale,
        "href": url_path(service_path(slug)),
        "uptimePct": detail.uptime[-1].uptime_pct,
        "measured": status_data.measured_part(slug, detail.uptime[-1]),
        "days": status_data.days[slug],
    }


def _files_of(affected: list[dict[str, str | None]]) -> list[str]:
    """Return the files that a page links to, which must exist before it."""
    hrefs = [*filter(None, LINKS.values()), *(service["href"] for service in affected)]
    return [file_for(href) for href in hrefs if href]


def _with_timeline(incident: PublishedIncident) -> dict[str, Any]:
    return {
        "incident": incident.json,
        "href": url_path(incident_path(incident.row.id)),
        "updates": incident.timeline,
    }


def _windows_with_status(
    context: BuildContext, windows: list[PublishedMaintenance], status: str
) -> list[dict[str, Any]]:
    return [
        {
            "maintenance": window.json,
            "affected": affected_services(context, window.row),
            "href": url_path(maintenance_path(window.row.id)),
        }
        for window in windows
        if window.row.status == status
    ]
