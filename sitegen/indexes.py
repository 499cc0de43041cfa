"""What search engines are told: every page with its last change."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from html import escape

from models.hosting import address
from models.projects.addresses import href_of
from models.words import told_moment
from sitegen.board import board_of, every_incident, every_window
from sitegen.history import months
from sitegen.links import (
    HOW,
    history_path,
    incident_path,
    maintenance_path,
    service_path,
)
from sitegen.page import SHARED, Edition, Page, Rank, pages
from sitegen.shelves import Shelf, shelves

# A change of one page rewrites the part that names it, so parts are short.
PART = 1000
# What search engines take from one part.
MOST = 50_000
OPENING = '<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"

Line = tuple[str, datetime | None]


@pages("docs")
def documents(edition: Edition) -> Iterator[Page]:
    """Each collection in parts, by slug, so that a new title moves nothing."""
    for shelf in shelves(edition):
        yield from _parts(edition, shelf)


@pages("status")
def status(edition: Edition) -> Iterator[Page]:
    """What has an address for good; the present state says itself how old it is."""
    services = edition.once(board_of).services
    lines: list[Line] = [("/status/", None)]
    lines += [(address(service_path(each.slug)), None) for each in services]
    lines += [(address(each), None) for each in (HOW, history_path())]
    lines += [(address(history_path(month)), None) for month in months(edition)]
    lines += [
        (address(incident_path(each.id)), each.updated_at)
        for each in edition.once(every_incident)
    ]
    lines += [
        (address(maintenance_path(each.id)), each.updated_at)
        for each in edition.once(every_window)
    ]
    yield _part(edition.settings.site_url, "status", lines[:MOST])


@pages(SHARED)
def index(edition: Edition) -> Iterator[Page]:
    """The one address that search engines are given, which names the parts."""
    kinds = [f"/problems/{kind}/" for kind in edition.problems]
    nouns = [tag["externalDocs"]["url"] for tag in edition.openapi.get("tags", ())]
    fixed = ["/", "/search/", "/problems/", *(["/reference/"] if nouns else [])]
    lines: list[Line] = [(each, None) for each in (*fixed, *nouns, *kinds)]
    url = edition.settings.site_url
    site = _part(url, "site", lines)
    yield site
    parts = [part.path for shelf in shelves(edition) for part in _parts(edition, shelf)]
    told = "".join(
        f"<sitemap><loc>{escape(url)}/{path}</loc></sitemap>\n"
        for path in (site.path, "sitemaps/status.xml", *parts)
    )
    index = f'{OPENING}<sitemapindex xmlns="{NAMESPACE}">\n{told}</sitemapindex>\n'
    yield Page("sitemap.xml", index, rank=Rank.LAST)


@pages(SHARED)
def robots(edition: Edition) -> Iterator[Page]:
    sitemap = f"{edition.settings.site_url}/sitemap.xml"
    yield Page("robots.txt", f"User-agent: *\nAllow: /\n\nSitemap: {sitemap}\n")


def _parts(edition: Edition, shelf: Shelf) -> list[Page]:
    """Return the parts of a shelf; of one that stands they are the same objects."""
    url = edition.settings.site_url
    return edition.kept(_parts_of, shelf, url, of=shelf.collection)


def _parts_of(shelf: Shelf, url: str) -> list[Page]:
    found = sorted(shelf.documents, key=lambda each: each.slug)
    # A page has its words from the instant at which they were published.
    lines: list[Line] = [(href_of(each), each.published_at) for each in found]
    newest = max(each.published_at for each in found)
    lines.insert(0, (shelf.href, newest))
    return [
        _part(url, f"{shelf.collection}-{number}", lines[start : start + PART])
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
    return f"<lastmod>{told_moment(at)}</lastmod>" if at else ""
