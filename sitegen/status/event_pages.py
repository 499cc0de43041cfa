"""
Yield a page for each incident and each maintenance window, and the lists of all.

Where one was removed there is a page, with which web servers answer.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from models.base import epoch_ms
from models.display_text import isolate
from models.site_addresses import (
    GONE_PAGE,
    file_for,
    incident_address,
    maintenance_address,
    url_path,
)
from models.status.incidents.incidents import IncidentRow
from models.status.maintenance.windows import MaintenanceRow, MaintenanceStatus
from models.status.services.affected import removed_ids
from models.status.snapshot.event_index import IndexedIncident, IndexedWindow
from sitegen.page import BuildContext, KeyedPages, Page, Stage, pages
from sitegen.status.published import (
    EventChunk,
    PublishedIncident,
    chunks,
    files_of_list,
    published_incidents,
    published_windows,
)
from sitegen.status.status_data import (
    affected_services,
    read_index,
    read_service_hrefs,
    read_service_states,
    read_snapshot,
    read_window_statuses,
)
from sitegen.urls import (
    calendar_path,
    incident_path,
    json_path,
    maintenance_path,
)

# How many incidents or windows are read if one of them has changed, a power of two.
EVENTS_OF_CHUNK = 16
# Statuses of windows without a calendar.
OVER = "completed", "cancelled"
LINKS = {
    "atom": "/status/feed.atom",
    "rss": "/status/feed.rss",
    "json": "/status/feed.json",
    "calendar": "/status/maintenance.ics",
    "badge": "/status/badge.svg",
    "embed": "/status/embed/",
    "shields": None,
}
LINKED_FILES = [file_for(href) for href in LINKS.values() if href]


@pages("status", Stage.URGENT)
def incidents(context: BuildContext) -> Iterator[KeyedPages]:
    """Yield each incident as a page and as JSON, the newest first."""
    now = epoch_ms(context.once_per_build(read_snapshot).now)
    states = context.once_per_build(read_service_states)
    index = context.once_per_build(read_index)
    divided = chunks(index.incidents, EVENTS_OF_CHUNK, splits_newest=True)
    for chunk in reversed(list(divided)):
        # Active incidents show the states of their services.
        shown = {
            incident.id: [states.get(service.number) for service in incident.services]
            for incident in chunk.events
            if incident.resolved_at is None and incident.started_at <= now
        }
        yield KeyedPages(
            f"incidents {chunk.id}",
            (chunk, shown),
            partial(_incident_pages, context, chunk),
            requires=partial(_files_of, context, chunk.events),
        )


def _incident_pages(
    context: BuildContext, chunk: EventChunk[IndexedIncident]
) -> Iterator[Page]:
    now = context.once_per_build(read_snapshot).now
    around = filter(None, (chunk.before, *chunk.events, chunk.after))
    published = list(published_incidents(each.id for each in around).values())
    wanted = {incident.id for incident in chunk.events}
    for newer, incident, older in zip(
        [None, *published], published, [*published[1:], None], strict=False
    ):
        row, path = incident.row, incident_path(incident.row.id)
        if row.id not in wanted:
            continue
        detail = {"incident": incident.json, "updates": incident.updates_json[::-1]}
        affected = affected_services(context, row, with_states=row.is_active(now))
        neighbours = {"previous": _link(older), "next": _link(newer)}
        yield Page(json_path(path), {"data": detail})
        yield Page(
            path,
            with_timeline(incident)
            | {"affected": affected, "links": LINKS, "staleAt": None}
            | neighbours,
            template="status/incident.html",
            title=row.title,
            description=isolated_text(context, "reason.incident", subject=row.title),
            json_href=f"/{json_path(path)}",
        )


@pages("status", Stage.LISTS)
def incident_list(context: BuildContext) -> Iterator[KeyedPages]:
    """Yield all incidents as JSON: the newest, and older ones in further files."""

    def listed(events: list[IndexedIncident]) -> list[dict[str, Any]]:
        published = published_incidents(event.id for event in events)
        return [incident.json for incident in published.values()]

    older, newest = files_of_list(context.once_per_build(read_index).incidents)
    files = [(f"status/incidents/older/{each.id}.json", each.events) for each in older]
    following = None
    for path, incidents in [*files, ("status/incidents.json", newest)]:
        yield _list_file(path, incidents, following, partial(listed, incidents))
        following = f"/{path}"


@pages("status", Stage.URGENT)
def maintenance(context: BuildContext) -> Iterator[KeyedPages]:
    """Yield each maintenance window as a page and as JSON, the newest first."""
    statuses = context.once_per_build(read_window_statuses)
    index = context.once_per_build(read_index)
    for chunk in reversed(list(chunks(index.windows, EVENTS_OF_CHUNK))):
        key = [(window, statuses[window.id]) for window in chunk.events]
        yield KeyedPages(
            f"maintenance {chunk.id}",
            key,
            partial(_maintenance_pages, context, chunk),
            requires=partial(_files_of_windows, context, key),
        )


def _files_of_windows(
    context: BuildContext, windows: list[tuple[IndexedWindow, MaintenanceStatus]]
) -> Iterator[str]:
    yield from _files_of(context, [window for window, _ in windows])
    for window, status in windows:
        if status not in OVER:
            yield calendar_path(window.id)


def _maintenance_pages(
    context: BuildContext, chunk: EventChunk[IndexedWindow]
) -> Iterator[Page]:
    now = context.once_per_build(read_snapshot).now
    for window in published_windows((each.id for each in chunk.events), now).values():
        row, path = window.row, maintenance_path(window.row.id)
        affected = affected_services(context, row)
        calendar = None if row.status in OVER else calendar_path(row.id)
        yield Page(json_path(path), {"data": window.json})
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
            description=isolated_text(context, "reason.maintenance", subject=row.title),
            json_href=f"/{json_path(path)}",
        )


@pages("status", Stage.LISTS)
def maintenance_list(context: BuildContext) -> Iterator[KeyedPages]:
    """Yield all maintenance windows as JSON, in files as the incidents."""
    now = context.once_per_build(read_snapshot).now
    statuses = context.once_per_build(read_window_statuses)

    def listed(windows: list[IndexedWindow]) -> list[dict[str, Any]]:
        published = published_windows((window.id for window in windows), now)
        return [window.json for window in published.values()]

    older, newest = files_of_list(context.once_per_build(read_index).windows)
    files = [
        (f"status/maintenance/older/{each.id}.json", each.events) for each in older
    ]
    following = None
    for path, windows in [*files, ("status/maintenance.json", newest)]:
        key = [(window, statuses[window.id]) for window in windows]
        yield _list_file(path, key, following, partial(listed, windows))
        following = f"/{path}"


def _list_file(
    path: str, key: Any, following: str | None, read: Callable[[], list[dict[str, Any]]]
) -> KeyedPages:
    """Return a file of a list, which names the file that goes on with older ones."""

    def make() -> Iterator[Page]:
        yield Page(path, {"data": read(), "meta": {"next": following}})

    return KeyedPages(path, (key, following), make)


def with_timeline(incident: PublishedIncident) -> dict[str, Any]:
    return {
        "incident": incident.shown,
        "href": url_path(incident_path(incident.row.id)),
        "updates": incident.timeline,
    }


def _files_of(
    context: BuildContext, events: Iterable[IndexedIncident | IndexedWindow]
) -> list[str]:
    """
    Return the files that the pages of these events link to, which must exist before.

    Their neighbours are put in place with them.
    """
    hrefs = context.once_per_build(read_service_hrefs)
    numbers = {service.number for event in events for service in event.services}
    pages = (hrefs[number] for number in numbers if number in hrefs)
    return [*LINKED_FILES, *map(file_for, pages)]


def _link(incident: PublishedIncident | None) -> dict[str, Any] | None:
    """Return the title and the address of an incident beside another."""
    if incident is None:
        return None
    row = incident.row
    return {"title": row.title, "href": url_path(incident_path(row.id))}


def isolated_text(context: BuildContext, text: str, /, **values: str) -> str:
    """Return a text whose values have directions of their own."""
    isolated = {key: isolate(value) for key, value in values.items()}
    return context.theme.locale.text(text, **isolated)


@pages("status", Stage.ENTRY_POINTS)
def gone_pages(context: BuildContext) -> Iterator[KeyedPages]:
    """Yield a page for each removed incident and maintenance window."""
    incidents = [incident_address(id) for id in removed_ids(IncidentRow)]
    windows = [maintenance_address(id) for id in removed_ids(MaintenanceRow)]
    for kind, addresses in (("incident", incidents), ("maintenance", windows)):
        yield KeyedPages(
            f"removed {kind}", addresses, partial(_gone_pages, context, addresses, kind)
        )


def _gone_pages(
    context: BuildContext, addresses: Sequence[str], kind: str
) -> Iterator[Page]:
    locale = context.theme.locale
    text = locale.text(f"{kind}.was-removed")
    for address in addresses:
        yield Page(
            f"{address.lstrip('/')}{GONE_PAGE}",
            {"text": text},
            template="status/gone.html",
            title=locale.text(f"{kind}.removed"),
            description=text,
        )
