"""Yield the overview of the status page, and a page for each incident and window."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

from models.display_text import isolate
from models.response_headers import file_for, url_path
from models.status.state import STATES, worst_state
from models.status.uptime.summary import StatusUptimeSummary
from sitegen.page import BuildContext, Page, Stage, pages
from sitegen.status.charts import sparkline
from sitegen.status.missing_data import missing_data
from sitegen.status.status_data import (
    PublishedIncident,
    PublishedMaintenance,
    StatusData,
    affected_services,
    read_published_incidents,
    read_published_maintenance,
    read_snapshot,
    read_status_data,
    reason_to_data,
)
from sitegen.status.upcoming_changes import UpcomingChanges
from sitegen.urls import (
    HOW,
    calendar_path,
    history_path,
    incident_path,
    maintenance_path,
    service_path,
    twin,
)

RECENT = timedelta(days=14)
# How many resolved incidents are shown in full; the history has the others.
MAX_RESOLVED = 20
# How many services that are not operational are named at the top.
MAX_AFFECTED = 4
# With so few services, all groups are unfolded.
FEW_SERVICES = 30
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
    published = list(context.once_per_build(read_published_incidents).values())
    now = context.once_per_build(read_snapshot).now
    for newer, incident, older in zip(
        [None, *published], published, [*published[1:], None], strict=False
    ):
        row, path = incident.row, incident_path(incident.row.id)
        detail = {"incident": incident.json, "updates": incident.updates_json[::-1]}
        affected = affected_services(context, row, with_states=row.is_active(now))
        neighbours = {"previous": _link(older), "next": _link(newer)}
        linked = [*affected, *filter(None, neighbours.values())]
        yield Page(twin(path)[1:], {"data": detail})
        yield Page(
            path,
            _with_timeline(incident)
            | {"affected": affected, "links": LINKS, "staleAt": None}
            | neighbours,
            template="status/incident.html",
            title=row.title,
            description=_text(context, "reason.incident", subject=row.title),
            twin=twin(path),
            requires=_files_of(linked),
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
        is_over = row.status in ("completed", "cancelled")
        calendar = None if is_over else calendar_path(row.id)
        yield Page(twin(path)[1:], {"data": window.json})
        yield Page(
            path,
            {
                "maintenance": window.json,
                "affected": affected,
                "calendar": calendar and f"/{calendar}",
                "links": LINKS,
                "staleAt": None,
            },
            template="status/maintenance.html",
            title=row.title,
            description=_text(context, "reason.maintenance", subject=row.title),
            twin=twin(path),
            requires=[*_files_of(affected), *filter(None, [calendar])],
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
        description=_text(context, "status.of", name=context.settings.site_name),
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
    incidents = context.once_per_build(read_published_incidents)
    active = [incidents[row.id] for row in snapshot.all_active_incidents]
    resolved = _recently_resolved(incidents.values(), snapshot.now)
    # Soonest first.
    windows = [
        context.once_per_build(read_published_maintenance)[row.id]
        for row in reversed(snapshot.windows)
    ]
    return {
        "status": status_data.service_list.to_json(),
        "missing": missing_data(status_data.service_list),
        "affected": _affected(services),
        "groups": _groups(services, changes),
        "activeIncidents": list(map(_with_timeline, active)),
        "activeMaintenance": _windows_with_status(context, windows, "active"),
        "scheduledMaintenance": _windows_with_status(context, windows, "scheduled"),
        "resolvedIncidents": list(map(_with_timeline, resolved[:MAX_RESOLVED])),
        "recentDays": RECENT.days,
        "moreResolved": len(resolved[MAX_RESOLVED:]),
        "links": LINKS,
        "staleAt": status_data.stale_at(),
        "upcomingChange": changes.overall,
    }


def _recently_resolved(
    incidents: Iterable[PublishedIncident], now: datetime
) -> list[PublishedIncident]:
    since = now - RECENT
    return [
        incident
        for incident in incidents
        if incident.row.resolved_at and incident.row.resolved_at > since
    ]


def _groups(
    services: list[dict[str, Any]], changes: UpcomingChanges
) -> list[dict[str, Any]]:
    """Return the groups in the order of their first services."""
    groups: dict[str | None, list[dict[str, Any]]] = {}
    for service in services:
        groups.setdefault(service["group"], []).append(service)
    is_one_of_few = len(services) <= FEW_SERVICES
    return [
        _group(name, members, changes, is_one_of_few=is_one_of_few)
        for name, members in groups.items()
    ]


def _group(
    name: str | None,
    services: list[dict[str, Any]],
    changes: UpcomingChanges,
    *,
    is_one_of_few: bool,
) -> dict[str, Any]:
    """Return the services of a group; it is unfolded if something is wrong."""
    state = worst_state([service["state"] for service in services])
    change = changes.of_group({service["slug"] for service in services})
    return {
        "name": name,
        "services": services,
        "state": state,
        "upcomingChange": change,
        "isOpen": is_one_of_few or state != "operational" or change is not None,
    }


def _affected(services: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the services that are not operational, worst first, as templates do."""
    affected = [
        {"name": service["name"], "href": service["href"], "state": service["state"]}
        for service in services
        if service["state"] not in ("operational", "unknown")
    ]
    if not affected:
        return None
    affected.sort(key=lambda service: STATES.index(service["state"]), reverse=True)
    return {"services": affected[:MAX_AFFECTED], "others": len(affected[MAX_AFFECTED:])}


def _linked_hrefs(data: dict[str, Any]) -> Iterator[str]:
    """Yield the addresses of everything that the overview links to."""
    yield from filter(None, LINKS.values())
    yield from map(url_path, (HOW, history_path()))
    groups = [group["services"] for group in data["groups"]]
    days = (day for service in chain(*groups) for day in service["days"])
    yield from {href for day in days for href, _ in day["events"]}
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
    summaries = {summary.period: summary for summary in detail.uptime}
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
        **_uptime(status_data, slug, summaries["90d"]),
        # Of the days that phones show.
        "recent": _uptime(status_data, slug, summaries["30d"]),
        "days": status_data.days[slug],
        "responseTimes": _response_times(status_data, slug),
    }


def _uptime(
    status_data: StatusData, slug: str, summary: StatusUptimeSummary
) -> dict[str, Any]:
    """Return a percentage, and the part of its period that has data."""
    measured = status_data.measured_part(slug, summary)
    return {"uptimePct": summary.uptime_pct, "measured": measured}


def _response_times(status_data: StatusData, slug: str) -> dict[str, Any] | None:
    """Return the line and the mean of the latest response times, None without one."""
    hours = [ms for _, ms in status_data.latest_hours(slug)]
    line, mean = sparkline(hours), status_data.details[slug].uptime[0]
    if line is None or mean.avg_response_time_ms is None:
        return None
    return {"line": line, "hours": len(hours), "meanMs": mean.avg_response_time_ms}


def _files_of(linked: list[dict[str, Any]]) -> list[str]:
    """Return the files that a page links to, which must exist before it."""
    hrefs = [*filter(None, LINKS.values()), *(item["href"] for item in linked)]
    return [file_for(href) for href in hrefs if href]


def _link(incident: PublishedIncident | None) -> dict[str, Any] | None:
    """Return the title and the address of an incident beside another."""
    if incident is None:
        return None
    row = incident.row
    return {"title": row.title, "href": url_path(incident_path(row.id))}


def _text(context: BuildContext, text: str, /, **values: str) -> str:
    isolated = {key: isolate(value) for key, value in values.items()}
    return context.theme.locale.text(text, **isolated)


def _with_timeline(incident: PublishedIncident) -> dict[str, Any]:
    return {
        "incident": incident.shown,
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
