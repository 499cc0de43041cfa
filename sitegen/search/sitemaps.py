"""What search engines are told: every page with its last change."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from html import escape

from models.fields import format_moment
from models.projects.documents.link_resolver import document_href
from models.response_headers import url_path
from sitegen.docs.collections import DocsCollection, docs_collections
from sitegen.page import SHARED, BuildContext, Page, Rank, pages
from sitegen.status.history import months
from sitegen.status.status_data import read_incidents, read_maintenance, read_snapshot
from sitegen.urls import (
    HOW,
    history_path,
    incident_path,
    maintenance_path,
    service_path,
)

# A change of one page rewrites the part that names it, so parts are short.
PART = 1000
# What search engines take from one part.
MOST = 50_000
OPENING = '<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"

Line = tuple[str, datetime | None]


@pages("docs")
def documents(context: BuildContext) -> Iterator[Page]:
    """Each collection in parts, by slug, so that a new title moves nothing."""
    for collection in docs_collections(context):
        yield from _parts(context, collection)


@pages("status")
def status(context: BuildContext) -> Iterator[Page]:
    """What has an address for good; the present state says itself how old it is."""
    services = context.once(read_snapshot).services
    lines: list[Line] = [("/status/", None)]
    lines += [(url_path(service_path(each.slug)), None) for each in services]
    lines += [(url_path(each), None) for each in (HOW, history_path())]
    lines += [(url_path(history_path(month)), None) for month in months(context)]
    lines += [
        (url_path(incident_path(each.id)), each.updated_at)
        for each in context.once(read_incidents)
    ]
    lines += [
        (url_path(maintenance_path(each.id)), each.updated_at)
        for each in context.once(read_maintenance)
    ]
    yield _part(context.settings.site_url, "status", lines[:MOST])


@pages(SHARED)
def index(context: BuildContext) -> Iterator[Page]:
    """The one address that search engines are given, which names the parts."""
    kinds = [f"/problems/{kind}/" for kind in context.problems]
    nouns = [tag["externalDocs"]["url"] for tag in context.openapi.get("tags", ())]
    fixed = ["/", "/search/", "/problems/", *(["/reference/"] if nouns else [])]
    lines: list[Line] = [(each, None) for each in (*fixed, *nouns, *kinds)]
    url = context.settings.site_url
    site = _part(url, "site", lines)
    yield site
    parts = [
        part.path
        for collection in docs_collections(context)
        for part in _parts(context, collection)
    ]
    told = "".join(
        f"<sitemap><loc>{escape(url)}/{path}</loc></sitemap>\n"
        for path in (site.path, "sitemaps/status.xml", *parts)
    )
    index = f'{OPENING}<sitemapindex xmlns="{NAMESPACE}">\n{told}</sitemapindex>\n'
    yield Page("sitemap.xml", index, rank=Rank.LAST)


@pages(SHARED)
def robots(context: BuildContext) -> Iterator[Page]:
    sitemap = f"{context.settings.site_url}/sitemap.xml"
    yield Page("robots.txt", f"User-agent: *\nAllow: /\n\nSitemap: {sitemap}\n")


def _parts(context: BuildContext, collection: DocsCollection) -> list[Page]:
    """Return the parts of a shelf; of one that stands they are the same objects."""
    url = context.settings.site_url
    return context.kept(_parts_of, collection, url, of=collection.collection)


def _parts_of(collection: DocsCollection, url: str) -> list[Page]:
    found = sorted(collection.documents, key=lambda each: each.slug)
    # A page has its words from the instant at which they were published.
    lines: list[Line] = [(document_href(each), each.published_at) for each in found]
    newest = max(each.published_at for each in found)
    lines.insert(0, (collection.href, newest))
    return [
        _part(url, f"{collection.collection}-{number}", lines[start : start + PART])
        for number, start in enumerate(range(0, len(lines), PART), 1)
    ]


def _part(url: str, name: str, lines: Iterable[Line]) -> Page:
    told = "".join(
        f"<url><loc>{escape(url)}{href}</loc>{_changed(at)}</url>\n"
        for href, at in lines
    )
    text = f'{OPENING}<urlset xmlns="{NAMESPACE}">\n{told}</urlset>\n'
    return Page(f"sitemaps/{name}.xml", text, rank=Rank.LIST)


def _changed(at: datetime | None) -> str:
    return f"<lastmod>{format_moment(at)}</lastmod>" if at else ""
