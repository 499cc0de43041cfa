"""Search services by their names, and incidents by their titles and updates."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from models.base import canonical_json
from models.display_text import balance_directions
from models.fields import format_moment
from models.response_headers import url_path
from models.status.services.catalogue import services_in_display_order
from models.status.services.rows import ServiceRow
from sitegen.page import BuildContext, Page, Stage, pages
from sitegen.search.inverted_index import HEADING, Text, create_shards
from sitegen.search.levels import FORMAT
from sitegen.status.status_data import PublishedIncident, read_published_incidents
from sitegen.urls import incident_path, service_path

INCIDENTS_OF_FILE = 50

# A result of a search, and what it is found by.
Entry = tuple[list[str], Text]


@pages("status", Stage.LISTS)
def status_index(context: BuildContext) -> Iterator[Page]:
    """Older incidents in full files, then the newest with all services in one."""
    text = context.theme.locale.text
    incidents = [
        _incident_entry(incident, text("search.incident"))
        for incident in sorted(
            context.once_per_build(read_published_incidents).values(),
            key=lambda incident: (incident.row.started_at, incident.row.id),
        )
    ]
    older_files = max(0, len(incidents) // INCIDENTS_OF_FILE - 1)
    for number in range(older_files):
        start = number * INCIDENTS_OF_FILE
        older = incidents[start : start + INCIDENTS_OF_FILE]
        yield _file(f"search/incidents/{number}.json", older)
    services = [
        _service_entry(service, text("search.service"))
        for service in services_in_display_order()
    ]
    # Of equal matches, the first is the first result.
    newest = incidents[older_files * INCIDENTS_OF_FILE :][::-1]
    yield _file(f"search/status-{FORMAT}.json", services + newest, older=older_files)


def _service_entry(service: ServiceRow, kind: str) -> Entry:
    href = url_path(service_path(service.slug))
    text = Text(service.name, service.description or "", service.slug)
    return [href, balance_directions(service.name), kind], text


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


def _file(path: str, entries: Sequence[Entry], **facts: Any) -> Page:
    """Return a file with both the terms and the results."""
    key = [FORMAT, facts, [[result, repr(text)] for result, text in entries]]
    return Page(path, partial(_data, entries, facts), key=canonical_json(key))


def _data(entries: Sequence[Entry], facts: dict[str, Any]) -> dict[str, Any]:
    shards = create_shards((text for _, text in entries), 1)
    results = [result for result, _ in entries]
    return facts | {"terms": shards.files[0], "pages": results}
