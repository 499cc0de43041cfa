"""Search services by their names, and incidents by their titles and updates."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from models.base import canonical_json
from models.display_text import balance_directions
from models.fields import format_moment
from models.site_addresses import url_path
from models.status.snapshot.event_index import IndexedIncident
from sitegen.page import BuildContext, KeyedPages, Page, Stage, pages
from sitegen.search.inverted_index import HEADING, Text, create_shards
from sitegen.search.levels import FORMAT
from sitegen.status.published import PublishedIncident, files_of_list, read_incidents
from sitegen.status.status_data import read_index, read_services
from sitegen.urls import incident_path, service_path

# A result of a search, and what it is found by.
Entry = tuple[list[str], Text]


@pages("status", Stage.LISTS)
def status_index(context: BuildContext) -> Iterator[Page | KeyedPages]:
    """Older incidents in files that a list names, the newest with all services."""
    older, newest = files_of_list(context.once_per_build(read_index).incidents)
    for chunk in older:
        path = f"search/incidents/{chunk.id}.json"
        make = partial(_incidents_file, context, path, chunk.events)
        yield KeyedPages(path, chunk.events, make)
    yield Page("search/incidents/index.json", [chunk.id for chunk in older[::-1]])
    services = [
        (service.slug, service.name, service.description or "")
        for service in context.once_per_build(read_services)
    ]
    make = partial(_newest_file, context, services, newest)
    yield KeyedPages("search/status", (services, newest), make)


def _incidents_file(
    context: BuildContext, path: str, incidents: list[IndexedIncident]
) -> Iterator[Page]:
    kind = context.theme.locale.text("search.incident")
    entries = [_incident_entry(each, kind) for each in read_incidents(incidents)]
    yield _file(path, entries[::-1])


def _newest_file(
    context: BuildContext,
    services: list[tuple[str, str, str]],
    incidents: list[IndexedIncident],
) -> Iterator[Page]:
    text = context.theme.locale.text
    # Of equal matches, the first is the first result.
    yield _file(
        f"search/status-{FORMAT}.json",
        [_service_entry(*service, text("search.service")) for service in services]
        + [
            _incident_entry(incident, text("search.incident"))
            for incident in read_incidents(incidents)
        ],
    )


def _service_entry(slug: str, name: str, description: str, kind: str) -> Entry:
    href = url_path(service_path(slug))
    return [href, balance_directions(name), kind], Text(name, description, slug)


def _incident_entry(incident: PublishedIncident, kind: str) -> Entry:
    row = incident.row
    result = [
        url_path(incident_path(row.id)),
        balance_directions(row.title),
        kind,
        format_moment(row.started_at),
    ]
    kept = (update for update in incident.updates if update.removed_at is None)
    updates = "\n".join(update.body for update in kept)
    # Documents with the same words in their titles come first.
    return result, Text(row.title, "", updates, title_weight=HEADING)


def _file(path: str, entries: Sequence[Entry]) -> Page:
    """Return a file with both the terms and the results."""
    key = [FORMAT, [[result, repr(text)] for result, text in entries]]
    return Page(path, partial(_data, entries), key=canonical_json(key))


def _data(entries: Sequence[Entry]) -> dict[str, Any]:
    shards = create_shards((text for _, text in entries), 1)
    return {"terms": shards.files[0], "pages": [result for result, _ in entries]}
