"""Generate the sitemaps and robots.txt for search engines."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from html import escape
from pathlib import Path

from models.base import from_epoch_ms
from models.fields import format_moment
from models.projects.documents.linking.link_resolver import document_href
from models.site_addresses import incident_address, maintenance_address, url_path
from models.status.snapshot.event_index import (
    IndexedIncident,
    IndexedWindow,
    read_event_ids,
)
from sitegen.docs.collections import DocsCollection, docs_collections
from sitegen.docs.outline import docs_outline
from sitegen.output.manifest import SHARED
from sitegen.page import BuildContext, KeyedPages, Page, Stage, pages
from sitegen.status.history import read_months
from sitegen.status.published import chunk_starts, chunks
from sitegen.status.status_data import read_index, read_services
from sitegen.urls import (
    ADDRESSES_OF_SITEMAP,
    HOW,
    history_path,
    service_path,
    sitemap_path,
)

ROBOTS = "robots.txt"
# The limit of search engines.
MAX_ADDRESSES = 50_000
# About how many incidents or windows a sitemap has, a power of two.
EVENTS_OF_SITEMAP = 256
XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"

# An address and its last change.
Line = tuple[str, datetime | None]


@pages("docs", Stage.LISTS)
def documents(context: BuildContext) -> Iterator[Page]:
    """The documents of each collection by slug, so that a new title moves nothing."""
    url = context.settings.site_url
    for collection in docs_collections(context):
        # The same objects while the collection is unchanged.
        name = collection.collection
        yield from context.memoize(_create_sitemaps, collection, url, name=name)


@pages("status", Stage.LISTS)
def status(context: BuildContext) -> Iterator[Page | KeyedPages]:
    """The permanent addresses of the status page; those that age have no date."""
    url = context.settings.site_url
    services = context.once_per_build(read_services)
    lines: list[Line] = [("/status/", None)]
    lines += [(url_path(service_path(service.slug)), None) for service in services]
    lines += [(url_path(path), None) for path in (HOW, history_path())]
    months = sorted(context.once_per_build(read_months))
    lines += [(url_path(history_path(month)), None) for month in months]
    yield _sitemap(url, "status", lines[:MAX_ADDRESSES])
    index = context.once_per_build(read_index)
    yield from _event_sitemaps("incidents", url, incident_address, index.incidents)
    yield from _event_sitemaps("maintenance", url, maintenance_address, index.windows)


def _event_sitemaps(
    kind: str,
    url: str,
    address: Callable[[str], str],
    events: Sequence[IndexedIncident] | Sequence[IndexedWindow],
) -> Iterator[KeyedPages]:
    for chunk in chunks(events, EVENTS_OF_SITEMAP):
        name = _name(kind, chunk.id)
        make = partial(_event_sitemap, url, name, address, chunk.events)
        yield KeyedPages(sitemap_path(name), chunk.events, make)


def _name(kind: str, first_id: str) -> str:
    return f"status-{kind}-{first_id}"


def _event_sitemap(
    url: str,
    name: str,
    address: Callable[[str], str],
    events: list[IndexedIncident | IndexedWindow],
) -> Iterator[Page]:
    lines = [(address(each.id), from_epoch_ms(each.updated_at)) for each in events]
    yield _sitemap(url, name, lines)


@pages(SHARED, Stage.ENTRY_POINTS)
def sitemap_index(context: BuildContext) -> Iterator[Page]:
    """The sitemap of all other pages, then the index that lists the sitemaps."""
    problems = [f"/problems/{problem}/" for problem in context.problems]
    tags = context.openapi.get("tags", ())
    nouns = [tag["externalDocs"]["url"] for tag in tags]
    fixed = ["/", "/search/", "/problems/", *(["/reference/"] if nouns else [])]
    lines: list[Line] = [(href, None) for href in (*fixed, *nouns, *problems)]
    url = context.settings.site_url
    site = _sitemap(url, "site", lines)
    yield site
    collections = [
        path
        for collection in docs_outline(context).collections
        for path in collection.sitemaps
    ]
    # Without their index, which takes much memory in the process of the documents.
    ids_by_kind = zip(("incidents", "maintenance"), read_event_ids(), strict=True)
    events = [
        sitemap_path(_name(kind, ids[start]))
        for kind, ids in ids_by_kind
        for start in chunk_starts(ids, EVENTS_OF_SITEMAP)
    ]
    sitemaps = "".join(
        f"<sitemap><loc>{escape(url)}/{path}</loc></sitemap>\n"
        for path in (site.path, sitemap_path("status"), *events, *collections)
    )
    index = f'{XML}<sitemapindex xmlns="{NAMESPACE}">\n{sitemaps}</sitemapindex>\n'
    yield Page("sitemap.xml", index, requires=[*events, *collections])


@pages(SHARED)
def robots(context: BuildContext) -> Iterator[Page]:
    yield Page(ROBOTS, _robots_text(context.settings.site_url))


def was_built_for(output: Path, site_url: str) -> bool:
    """Return whether the site in the folder was built for this URL."""
    try:
        return (output / ROBOTS).read_text() == _robots_text(site_url)
    except (OSError, UnicodeError):
        return False


def _robots_text(site_url: str) -> str:
    return f"User-agent: *\nAllow: /\n\nSitemap: {site_url}/sitemap.xml\n"


def _create_sitemaps(collection: DocsCollection, url: str) -> list[Page]:
    documents = sorted(collection.documents, key=lambda document: document.path)
    lines: list[Line] = [
        (document_href(d), d.published_at) for d in documents if d.path
    ]
    newest = max((document.published_at for document in documents), default=None)
    lines.insert(0, (collection.href, newest))
    starts = range(0, len(lines), ADDRESSES_OF_SITEMAP)
    return [
        _sitemap(
            url,
            f"{collection.collection}-{number}",
            lines[start : start + ADDRESSES_OF_SITEMAP],
        )
        for number, start in enumerate(starts, 1)
    ]


def _sitemap(url: str, name: str, lines: Iterable[Line]) -> Page:
    urls = "".join(
        f"<url><loc>{escape(url)}{href}</loc>{_last_change(at)}</url>\n"
        for href, at in lines
    )
    text = f'{XML}<urlset xmlns="{NAMESPACE}">\n{urls}</urlset>\n'
    return Page(sitemap_path(name), text)


def _last_change(at: datetime | None) -> str:
    return f"<lastmod>{format_moment(at)}</lastmod>" if at else ""
