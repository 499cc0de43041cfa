"""The public status page: every service, every incident, every window."""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import chain
from typing import Any

from models.response_headers import file_for, url_path
from models.status.incidents.incidents import (
    IncidentRow,
    IncidentUpdateRow,
    StatusIncident,
    StatusIncidentDetail,
    StatusIncidentUpdate,
    incidents_since,
    updates_by_incident,
)
from models.status.maintenance.windows import MaintenanceRow, StatusMaintenance
from sitegen.page import BuildContext, Page, Rank, pages
from sitegen.status.status_data import (
    StatusFacts,
    every_incident,
    every_window,
    facts_at,
    told,
)
from sitegen.status.upcoming_changes import Turns
from sitegen.urls import (
    HOW,
    history_path,
    incident_path,
    maintenance_path,
    service_path,
    twin,
)

PAST = timedelta(days=14)
# How many past incidents are told whole; the history has the others.
TOLD = 20
LINKS = {
    "atom": "/status/feed.atom",
    "rss": "/status/feed.rss",
    "json": "/status/feed.json",
    "calendar": "/status/maintenance.ics",
    "badge": "/status/badge.svg",
    "embed": "/status/embed/",
    "shields": None,
    "counters": None,
}


@pages("status", first=True)
def incidents(context: BuildContext) -> Iterator[Page]:
    """Every incident at its permanent address, and all of them for programs."""
    found = context.once(every_incident)
    entries = updates_by_incident(found)
    for each in found:
        path, updates = incident_path(each.id), entries[each.id]
        detail = {"incident": each, "updates": updates[::-1]}
        yield Page(twin(path)[1:], {"data": told(StatusIncidentDetail, detail)})
        yield Page(
            path,
            _timeline(each, updates) | {"staleAt": None},
            template="status/incident.html",
            title=each.title,
            description=f"Incident: {each.title}",
            twin=twin(path),
        )
    listed = [told(StatusIncident, each) for each in found]
    yield Page("status/incidents.json", {"data": listed}, rank=Rank.LIST)


@pages("status", first=True)
def maintenance(context: BuildContext) -> Iterator[Page]:
    """Every window at its permanent address, and all of them for programs."""
    found = context.once(every_window)
    for each in found:
        path, window = maintenance_path(each.id), told(StatusMaintenance, each)
        yield Page(twin(path)[1:], {"data": window})
        yield Page(
            path,
            {"maintenance": window, "staleAt": None},
            template="status/maintenance.html",
            title=each.title,
            description=f"Maintenance: {each.title}",
            twin=twin(path),
        )
    listed = [told(StatusMaintenance, each) for each in found]
    yield Page("status/maintenance.json", {"data": listed}, rank=Rank.LIST)


@pages("status", first=True)
def overview(context: BuildContext) -> Iterator[Page]:
    """The state of every service, and what is going on."""
    facts = context.once(facts_at)
    shown = _overview(facts, context.once(Turns))
    links = [file_for(href) for href in _hrefs(shown)]
    yield Page("status/index.json", _listed(facts), rank=Rank.LIST, links=links)
    yield Page(
        "status/index.html",
        shown,
        template="status/index.html",
        title="Status",
        description=f"The present state of {context.settings.site_name}.",
        twin="/status/index.json",
        rank=Rank.LIST,
        links=links,
    )


def _listed(facts: StatusFacts) -> dict[str, Any]:
    """The API's answer, and beside it what decided and what comes next."""
    meta = {"reasons": facts.reasons, "nextChangeAt": facts.next_change_at}
    return {"data": facts.listed.to_json(), "meta": meta}


def _overview(facts: StatusFacts, turns: Turns) -> dict[str, Any]:
    seen = facts.status_snapshot
    rows = [_row(facts, turns, slug) for slug in facts.details]
    groups = list(dict.fromkeys(row["group"] for row in rows))
    running = [each for each in seen.windows if each.status == "active"]
    coming = [each for each in seen.windows if each.status == "scheduled"]
    active = [each for each in seen.incidents if each.is_active(seen.now)]
    resolved = [each for each in incidents_since(seen.now - PAST) if each.resolved_at]
    return {
        "status": facts.listed.to_json(),
        "groups": [
            {"name": name, "services": [row for row in rows if row["group"] == name]}
            for name in groups
        ],
        "incidents": _timelines(active),
        "running": [_window(each) for each in reversed(running)],
        "coming": [_window(each) for each in reversed(coming)],
        "past": _timelines(resolved[:TOLD]),
        "more": len(resolved[TOLD:]),
        "links": LINKS,
        "staleAt": facts.stale_at(),
        "turn": turns.whole,
    }


def _hrefs(shown: dict[str, Any]) -> Iterator[str]:
    """Yield all that the overview links to."""
    yield from filter(None, LINKS.values())
    yield from map(url_path, (HOW, history_path()))
    groups = (group["services"] for group in shown["groups"])
    told = (shown[name] for name in ("incidents", "running", "coming", "past"))
    yield from (each["href"] for each in chain(*groups, *told))


def _row(facts: StatusFacts, turns: Turns, slug: str) -> dict[str, Any]:
    """One service as a line of the overview."""
    detail = facts.details[slug]
    service = detail.service
    return {
        "slug": slug,
        "name": service.name,
        "description": service.description,
        "group": service.group,
        "state": service.state,
        "turn": turns.services.get(slug),
        "reason": facts.reasons[slug],
        "stale": service.stale,
        "href": url_path(service_path(slug)),
        "uptimePct": detail.uptime[-1].uptime_pct,
        "days": facts.days[slug],
    }


def _timelines(found: list[IncidentRow]) -> list[dict[str, Any]]:
    entries = updates_by_incident(found)
    return [_timeline(each, entries[each.id]) for each in found]


def _timeline(
    incident: IncidentRow, updates: Iterable[IncidentUpdateRow]
) -> dict[str, Any]:
    return {
        "incident": told(StatusIncident, incident),
        "href": url_path(incident_path(incident.id)),
        "updates": [told(StatusIncidentUpdate, each) for each in updates],
    }


def _window(window: MaintenanceRow) -> dict[str, Any]:
    return {
        "maintenance": told(StatusMaintenance, window),
        "href": url_path(maintenance_path(window.id)),
    }
