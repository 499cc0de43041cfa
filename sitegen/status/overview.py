"""Yield the overview of the status page."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from itertools import chain
from typing import Any, NamedTuple

from markupsafe import Markup

from models.base import epoch_ms
from models.fields import format_moment
from models.site_addresses import file_for, url_path
from models.status.state import STATES, worst_state
from models.status.uptime.summary import StatusUptimeSummary
from sitegen.page import BuildContext, Page, Stage, pages
from sitegen.status.charts import sparkline
from sitegen.status.event_pages import LINKED_FILES, LINKS, isolated_text, with_timeline
from sitegen.status.missing_data import missing_data
from sitegen.status.published import PublishedMaintenance, read_incidents
from sitegen.status.service_data import ServiceData, ServiceReader, read_service_facts
from sitegen.status.status_data import (
    affected_services,
    read_index,
    read_service_list,
    read_snapshot,
    reason_to_data,
    stale_at,
)
from sitegen.status.upcoming_changes import UpcomingChanges
from sitegen.urls import (
    HOW,
    history_path,
    incident_path,
    maintenance_path,
    service_path,
)

RECENT = timedelta(days=14)
# How many resolved incidents are shown in full; the history has the others.
MAX_RESOLVED = 20
# How many services that are not operational are named at the top.
MAX_AFFECTED = 4
# With so few services, all groups are unfolded.
FEW_SERVICES = 30


class _Row(NamedTuple):
    """The row of a service as HTML, with a digest, and what it was made of."""

    key: Any
    html: Markup
    digest: str


@pages("status", Stage.URGENT)
def overview(context: BuildContext) -> Iterator[Page]:
    """Yield the overview: services, active incidents, maintenance, recent incidents."""
    data = _overview(context)
    required = list(_required_files(context, data))
    yield Page("status/index.json", _service_list(context), requires=required)
    overview = Page(
        "status/index.html",
        data,
        template="status/index.html",
        title=context.theme.locale.text("site.status"),
        description=isolated_text(
            context, "status.of", name=context.settings.site_name
        ),
        json_href="/status/index.json",
        key=_with_digests(data, context.once_per_build(read_rows)),
        requires=required,
    )
    yield overview
    if context.settings.front == "status":
        yield replace(overview, path="index.html", canonical=overview.address)


def _with_digests(data: Mapping[str, Any], rows: Mapping[str, _Row]) -> dict[str, Any]:
    """Return the data with digests of the rows instead of the rows."""
    groups = [
        group | {"services": [rows[each["slug"]].digest for each in group["services"]]}
        for group in data["groups"]
    ]
    return {**data, "groups": groups}


def _service_list(context: BuildContext) -> dict[str, Any]:
    """Return the API's response, with the reasons and the next change as meta."""
    next_change_at = context.once_per_build(read_snapshot).next_change_at()
    facts = context.once_per_build(read_service_facts)
    meta = {
        "reasons": {slug: str(each.reason) for slug, each in facts.items()},
        "nextChangeAt": format_moment(next_change_at) if next_change_at else None,
    }
    return {"data": context.once_per_build(read_service_list).to_json(), "meta": meta}


def _overview(context: BuildContext) -> dict[str, Any]:
    snapshot = context.once_per_build(read_snapshot)
    service_list = context.once_per_build(read_service_list)
    index = context.once_per_build(read_index)
    changes = context.once_per_build(UpcomingChanges)
    services = _services(context)
    since = epoch_ms(snapshot.now - RECENT)
    resolved = [
        incident
        for incident in reversed(index.incidents)
        if incident.resolved_at is not None and incident.resolved_at > since
    ]
    active = [row.id for row in snapshot.all_active_incidents]
    unresolved = [each for each in index.incidents if each.resolved_at is None]
    listed = [*unresolved, *resolved[:MAX_RESOLVED]]
    shown = context.memoize(read_incidents, listed, name="overview")
    incidents = {incident.row.id: incident for incident in shown}
    # Soonest first.
    windows = [PublishedMaintenance(row) for row in reversed(snapshot.windows)]
    return {
        "status": service_list.to_json(),
        "missing": missing_data(service_list),
        "affected": _affected(services),
        "groups": _groups(services, changes),
        "activeIncidents": [with_timeline(incidents[id]) for id in active],
        "activeMaintenance": _windows_with_status(context, windows, "active"),
        "scheduledMaintenance": _windows_with_status(context, windows, "scheduled"),
        "resolvedIncidents": [
            with_timeline(incidents[each.id]) for each in resolved[:MAX_RESOLVED]
        ],
        "recentDays": RECENT.days,
        "moreResolved": len(resolved[MAX_RESOLVED:]),
        "links": LINKS,
        "staleAt": stale_at(snapshot, snapshot.services),
        "upcomingChange": changes.overall,
    }


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


def _required_files(context: BuildContext, data: dict[str, Any]) -> Iterator[str]:
    """Yield the files that the overview links to, which must exist before it."""
    yield from LINKED_FILES
    yield from (HOW, history_path())
    for slug, facts in context.once_per_build(read_service_facts).items():
        yield service_path(slug)
        yield from (incident_path(incident.id) for incident in facts.incidents)
        yield from (maintenance_path(window.id) for window, _ in facts.windows)
    lists = (
        data["activeIncidents"],
        data["activeMaintenance"],
        data["scheduledMaintenance"],
        data["resolvedIncidents"],
    )
    yield from (file_for(item["href"]) for item in chain(*lists))


class _Rows:
    """The rows of the last build, by slug."""

    def __init__(self) -> None:
        self.by_slug: dict[str, _Row] = {}


def read_rows(context: BuildContext) -> dict[str, _Row]:
    """
    Return the row of each service, by slug.

    It has a hundred elements, so it is made again only if it shows something else.
    """
    facts = context.once_per_build(read_service_facts)
    reader = context.once_per_build(ServiceReader)
    memory = context.once_per_process(_Rows)
    checked_at = context.once_per_build(read_service_list).checked_at
    at = format_moment(checked_at) if checked_at else None
    # Of the time of the page, reasons show only whether it is another day.
    keys = {slug: (each, at and at[:10]) for slug, each in facts.items()}
    rows = {
        slug: row for slug, row in memory.by_slug.items() if row.key == keys.get(slug)
    }
    changed = [slug for slug in keys if slug not in rows]
    for slug, data in reader.data_of_each(changed):
        rows[slug] = _row(context, data, at, keys[slug])
    memory.by_slug = {slug: rows[slug] for slug in keys}
    return memory.by_slug


def _services(context: BuildContext) -> list[dict[str, Any]]:
    """Return the services with their rows of the page."""
    facts = context.once_per_build(read_service_facts)
    rows = context.once_per_build(read_rows)
    return [
        {
            "slug": slug,
            "name": each.status.name,
            "group": each.status.group,
            "state": each.status.state,
            "href": url_path(service_path(slug)),
            "row": rows[slug].html,
        }
        for slug, each in facts.items()
    ]


def _row(
    context: BuildContext, data: ServiceData, checked_at: str | None, key: Any
) -> _Row:
    service, facts = data.detail.service, data.facts
    summaries = {summary.period: summary for summary in data.detail.uptime}
    shown = {
        "slug": service.slug,
        "name": service.name,
        "description": service.description,
        "group": service.group,
        "state": service.state,
        "upcomingChange": facts.upcoming_change,
        "reason": reason_to_data(facts.reason),
        "stale": service.stale,
        "href": url_path(service_path(service.slug)),
        **_uptime(context, data, summaries["90d"]),
        # Of the days that phones show.
        "recent": _uptime(context, data, summaries["30d"]),
        "days": data.days,
        "responseTimes": _response_times(data),
    }
    html = context.theme.render(
        "status/service-row.html", data={"service": shown, "checkedAt": checked_at}
    )
    digest = hashlib.sha256(html.encode()).hexdigest()
    return _Row(key, Markup(html), digest)  # noqa: S704  templates escape


def _uptime(
    context: BuildContext, data: ServiceData, summary: StatusUptimeSummary
) -> dict[str, Any]:
    """Return a percentage, and the part of its period that has data."""
    measured = data.measured_part(context, summary)
    return {"uptimePct": summary.uptime_pct, "measured": measured}


def _response_times(data: ServiceData) -> dict[str, Any] | None:
    """Return the line and the mean of the latest response times, None without one."""
    hours = [ms for _, ms in data.latest_hours()]
    line, mean = sparkline(hours), data.detail.uptime[0]
    if line is None or mean.avg_response_time_ms is None:
        return None
    return {"line": line, "hours": len(hours), "meanMs": mean.avg_response_time_ms}


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
