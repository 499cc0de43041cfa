"""The public status page: every service, every incident, every window."""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any

from models.base import Shape
from models.status.incidents import (
    EntryRow,
    IncidentRow,
    StatusIncident,
    StatusIncidentDetail,
    StatusIncidentUpdate,
    entries_of,
)
from models.status.maintenance import (
    MaintenanceRow,
    StatusMaintenance,
    all_maintenance,
)
from models.status.register import all_incidents
from sitegen.board import StatusFacts, board_of, facts_at
from sitegen.links import (
    address,
    incident_path,
    maintenance_path,
    service_path,
    twin,
)
from sitegen.page import Edition, Page, Rank, pages
from sitegen.turns import Turns

PAST = timedelta(days=14)


@pages("status")
def services(edition: Edition) -> Iterator[Page]:
    """The overview, and one page for each service that is on it."""
    facts = facts_at(edition)
    turns = edition.once(Turns)
    yield Page("status/index.json", _listed(facts), rank=Rank.LIST)
    yield Page(
        "status/index.html",
        _overview(facts, turns),
        template="status/index.html",
        title="Status",
        description=f"The present state of {edition.settings.site_name}.",
        twin="/status/index.json",
        rank=Rank.LIST,
    )
    for slug in facts.details:
        yield from _service_pages(facts, turns, slug)


@pages("status")
def incidents(edition: Edition) -> Iterator[Page]:  # noqa: ARG001
    """Every incident at its permanent address, and all of them for programs."""
    found = all_incidents()
    entries = entries_of(found)
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


@pages("status")
def maintenance(edition: Edition) -> Iterator[Page]:
    """Every window at its permanent address, and all of them for programs."""
    found = all_maintenance(edition.once(board_of).now)
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


def told(shape: type[Shape], row: Any) -> dict[str, Any]:
    """Return a row in the words in which the API tells it."""
    return shape.model_validate(row).told()


def _listed(facts: StatusFacts) -> dict[str, Any]:
    """The API's answer, and beside it what decided and what comes next."""
    meta = {"reasons": facts.reasons, "nextChangeAt": facts.next_change_at}
    return {"data": facts.listed.told(), "meta": meta}


def _overview(facts: StatusFacts, turns: Turns) -> dict[str, Any]:
    seen = facts.board
    rows = [_row(facts, turns, slug) for slug in facts.details]
    groups = list(dict.fromkeys(row["group"] for row in rows))
    running = [each for each in seen.windows if each.status == "active"]
    coming = [each for each in seen.windows if each.status == "scheduled"]
    active = [each for each in seen.incidents if each.is_active(seen.now)]
    return {
        "status": facts.listed.told(),
        "groups": [
            {"name": name, "services": [row for row in rows if row["group"] == name]}
            for name in groups
        ],
        "incidents": _timelines(active),
        "running": [_window(each) for each in reversed(running)],
        "coming": [_window(each) for each in reversed(coming)],
        "past": _timelines(facts.resolved_since(seen.now - PAST)),
        "staleAt": facts.stale_at(),
        "turn": turns.whole,
    }


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
        "href": address(service_path(slug)),
        "uptimePct": detail.uptime[-1].uptime_pct,
        "days": facts.days[slug],
    }


def _service_pages(facts: StatusFacts, turns: Turns, slug: str) -> Iterator[Page]:
    path, detail = service_path(slug), facts.details[slug]
    name, data = detail.service.name, detail.told()
    shown = {
        "service": data["service"],
        "reason": facts.reasons[slug],
        "uptime": data["uptime"],
        "days": facts.days[slug],
        "incidents": [
            {"incident": each, "href": address(incident_path(each["id"]))}
            for each in data["incidents"]
        ],
        "maintenance": [
            {"maintenance": each, "href": address(maintenance_path(each["id"]))}
            for each in data["maintenance"]
        ],
        "staleAt": facts.stale_at(slug),
        "turn": turns.services.get(slug),
    }
    meta = {"reason": facts.reasons[slug]}
    yield Page(twin(path)[1:], {"data": data, "meta": meta})
    yield Page(
        path,
        shown,
        template="status/service.html",
        title=f"{name} status",
        description=detail.service.description or f"The present state of {name}.",
        twin=twin(path),
    )


def _timelines(found: list[IncidentRow]) -> list[dict[str, Any]]:
    entries = entries_of(found)
    return [_timeline(each, entries[each.id]) for each in found]


def _timeline(incident: IncidentRow, updates: Iterable[EntryRow]) -> dict[str, Any]:
    return {
        "incident": told(StatusIncident, incident),
        "href": address(incident_path(incident.id)),
        "updates": [told(StatusIncidentUpdate, each) for each in updates],
    }


def _window(window: MaintenanceRow) -> dict[str, Any]:
    return {
        "maintenance": told(StatusMaintenance, window),
        "href": address(maintenance_path(window.id)),
    }
