"""Yield Atom, RSS and JSON feeds of incidents and maintenance, per service too."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import format_datetime
from functools import partial
from html import escape
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from models.display_text import isolate
from models.fields import format_moment
from models.locales import Locale
from models.site_addresses import url_path
from models.status.incidents.incidents import (
    IncidentRow,
    IncidentUpdateRow,
    newest_updates,
)
from models.status.maintenance.windows import MaintenanceRow, MaintenanceStatus
from models.status.services.rows import ServiceRow
from models.status.snapshot.event_index import IndexedWindow
from sitegen.markdown.rendering import render_entry
from sitegen.page import BuildContext, KeyedPages, Page, Stage, pages
from sitegen.status.filters.service_lists import MAX_NAMES
from sitegen.status.published import (
    PublishedMaintenance,
    published_incidents,
    published_windows,
)
from sitegen.status.status_data import (
    read_index,
    read_services,
    read_snapshot,
    read_window_statuses,
)
from sitegen.urls import incident_path, maintenance_path, service_path

MAX_ITEMS = 50
ATOM = "http://www.w3.org/2005/Atom"
# A window, and its status at the time of the build.
Window = tuple[IndexedWindow, MaintenanceStatus]
INVALID_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class FeedItem:
    """
    An update of an incident, or a maintenance window; its id never changes.

    Feeds are ordered by `dated`, which a correction does not change: it is not news.
    """

    id: str
    title: str
    href: str
    html: str
    published: datetime
    dated: datetime
    updated: datetime
    # Slugs, without those of purged services.
    services: tuple[str, ...]


@dataclass(frozen=True)
class Feed:
    """`path` has no extension; `href` is the page that the feed belongs to."""

    path: str
    title: str
    href: str
    site_url: str
    items: list[FeedItem]
    locale: Locale

    def link(self, extension: str) -> str:
        return f"{self.site_url}/{self.path}.{extension}"


@pages("status", Stage.LISTS)
def feeds(context: BuildContext) -> Iterator[KeyedPages]:
    """Yield the feeds of all services, at Statuspage's addresses too, and of each."""
    index = context.once_per_build(read_index)
    statuses = context.once_per_build(read_window_statuses)
    windows = [(window, statuses[window.id]) for window in index.windows]
    yield KeyedPages(
        "feeds", (index.incidents, windows), partial(_feeds_of_all, context, windows)
    )
    for service in context.once_per_build(read_services):
        incidents = index.incidents_by_service.get(service.number, [])
        windows = [
            (window, statuses[window.id])
            for window in index.windows_by_service.get(service.number, [])
        ]
        yield KeyedPages(
            f"feeds {service.slug}",
            (service.name, incidents, windows),
            partial(_feeds_of, context, service, windows),
        )


def _feeds_of_all(context: BuildContext, windows: list[Window]) -> Iterator[Page]:
    settings, locale = context.settings, context.theme.locale
    items = _items(context, None, windows)
    title = locale.text("feed.title", name=settings.site_name)
    feed = Feed("status/feed", title, "/status/", settings.site_url, items, locale)
    yield from _files(feed, atom="atom", rss="rss", json="json")
    yield from _files(replace(feed, path="history"), atom="atom", rss="rss")


def _feeds_of(
    context: BuildContext, service: ServiceRow, windows: list[Window]
) -> Iterator[Page]:
    settings, locale = context.settings, context.theme.locale
    href = url_path(service_path(service.slug))
    feed = Feed(
        f"{href.strip('/')}/feed",
        locale.text("feed.of", name=isolate(service.name), site=settings.site_name),
        href,
        settings.site_url,
        _items(context, service, windows),
        locale,
    )
    yield from _files(feed, atom="atom", rss="rss", json="json")


def _files(feed: Feed, **extensions: str) -> Iterator[Page]:
    for feed_format, extension in extensions.items():
        content = FORMATS[feed_format](feed)
        yield Page(f"{feed.path}.{extension}", content)


def _items(
    context: BuildContext, service: ServiceRow | None, windows: list[Window]
) -> list[FeedItem]:
    """Return the newest items of a service, or of all, from these of its windows."""
    updates = newest_updates(MAX_ITEMS, service)
    incidents = published_incidents(update.incident_id for update in updates)
    newest = sorted(windows, key=_order_of_window, reverse=True)[:MAX_ITEMS]
    now = context.once_per_build(read_snapshot).now
    published = published_windows((window.id for window, _ in newest), now)
    site_url, locale = context.settings.site_url, context.theme.locale
    items = [
        _update_item(site_url, locale, incidents[update.incident_id].row, update)
        for update in updates
    ]
    items += (
        _maintenance_item(site_url, locale, window) for window in published.values()
    )
    items.sort(key=lambda item: (item.dated, item.id), reverse=True)
    return items[:MAX_ITEMS]


def _order_of_window(window: Window) -> tuple[int, str]:
    """Return when the item of a window is dated, and its id."""
    row, status = window
    started = {"active": row.starts_at, "completed": row.ends_at}.get(status, 0)
    changed_at = started if row.written == "scheduled" else 0
    return max(row.updated_at, changed_at), row.id


def _update_item(
    site_url: str, locale: Locale, incident: IncidentRow, update: IncidentUpdateRow
) -> FeedItem:
    label = (
        locale.text("feed.update-removed")
        if update.removed_at
        else locale.text(f"state.{update.status}")
    )
    href = site_url + url_path(incident_path(incident.id))
    return FeedItem(
        id=f"urn:uuid:{update.id}",
        title=locale.text("feed.entry", label=label, title=isolate(incident.title)),
        href=href,
        html=render_entry(update.body, locale, site_url)
        + _affected_html(incident, href, locale),
        published=update.created_at,
        dated=update.created_at,
        updated=update.changed_at,
        services=_slugs(incident),
    )


def _maintenance_item(
    site_url: str, locale: Locale, maintenance: PublishedMaintenance
) -> FeedItem:
    """Return the one item of a window, which changes with its status."""
    window, json = maintenance.row, maintenance.json
    starts, ends = (locale.date_time(json[name]) for name in ("startsAt", "endsAt"))
    href = site_url + url_path(maintenance_path(window.id))
    changed_at = max(window.updated_at, window.status_changed_at)
    return FeedItem(
        id=f"urn:uuid:{window.id}",
        title=locale.text(
            f"feed.maintenance-{window.status}", title=isolate(window.title)
        ),
        href=href,
        html=_paragraph(
            escape(locale.text("feed.period", start=starts, end=ends)), locale
        )
        + render_entry(window.description or "", locale, site_url)
        + _affected_html(window, href, locale),
        published=window.created_at,
        dated=changed_at,
        updated=changed_at,
        services=_slugs(window),
    )


def _slugs(subject: IncidentRow | MaintenanceRow) -> tuple[str, ...]:
    # A purged service has no id any more.
    return tuple(service.slug for service in subject.services if service.service_id)


def _affected_html(
    subject: IncidentRow | MaintenanceRow, href: str, locale: Locale
) -> str:
    """Name the services that the event at `href` affects; its page has all of many."""
    names = [escape(isolate(service.name)) for service in subject.services]
    if len(names) > MAX_NAMES:
        others = locale.text("status.more-services", count=len(names) - MAX_NAMES)
        names[MAX_NAMES:] = [f'<a href="{escape(href)}">{escape(others)}</a>']
    services = locale.join_list(names)
    text = escape(locale.pattern("feed.affects")).format(services=services)
    return _paragraph(text, locale)


def _paragraph(html: str, locale: Locale) -> str:
    """Return a sentence of ours; programs that show it know no direction but this."""
    direction = ' dir="rtl"' if locale.direction == "rtl" else ""
    return f"<p{direction}>{html}</p>\n"


def _updated(items: Iterable[FeedItem]) -> str:
    """Return the time of the newest item, which the build's clock does not change."""
    newest = max((item.updated for item in items), default=None)
    return format_moment(newest) if newest else "1970-01-01T00:00:00.000Z"


def _atom(feed: Feed) -> bytes:
    root = Element("feed", {"xmlns": ATOM, "xml:lang": feed.locale.tag})
    _add(root, "title", feed.title)
    _add(root, "id", feed.link("atom"))
    _add(root, "link", rel="self", href=feed.link("atom"))
    page_url = feed.site_url + feed.href
    _add(root, "link", rel="alternate", type="text/html", href=page_url)
    author = SubElement(root, "author")
    _add(author, "name", feed.title)
    _add(root, "updated", _updated(feed.items))
    for item in feed.items:
        entry = SubElement(root, "entry")
        _add(entry, "id", item.id)
        _add(entry, "title", item.title)
        _add(entry, "link", rel="alternate", type="text/html", href=item.href)
        _add(entry, "published", format_moment(item.published))
        _add(entry, "updated", format_moment(item.updated))
        _add(entry, "content", item.html, type="html")
    return _serialize(root)


def _rss(feed: Feed) -> bytes:
    root = Element("rss", {"version": "2.0", "xmlns:atom": ATOM})
    channel = SubElement(root, "channel")
    _add(channel, "title", feed.title)
    _add(channel, "link", feed.site_url + feed.href)
    _add(channel, "description", feed.locale.text("feed.description", title=feed.title))
    _add(channel, "language", feed.locale.tag)
    link = {"rel": "self", "type": "application/rss+xml", "href": feed.link("rss")}
    SubElement(channel, "atom:link", link)
    for feed_item in feed.items:
        item = SubElement(channel, "item")
        _add(item, "title", feed_item.title)
        _add(item, "link", feed_item.href)
        _add(item, "guid", feed_item.id, isPermaLink="false")
        _add(item, "pubDate", format_datetime(feed_item.dated, usegmt=True))
        _add(item, "description", feed_item.html)
    return _serialize(root)


def _json(feed: Feed) -> dict[str, Any]:
    return {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "home_page_url": feed.site_url + feed.href,
        "feed_url": feed.link("json"),
        "language": feed.locale.tag,
        "items": [
            {
                "id": item.id,
                "url": item.href,
                "title": item.title,
                "content_html": item.html,
                "date_published": format_moment(item.published),
                "date_modified": format_moment(item.updated),
                "tags": list(item.services),
            }
            for item in feed.items
        ],
    }


FORMATS: dict[str, Any] = {"atom": _atom, "rss": _rss, "json": _json}


def _add(
    parent: Element, name: str, text: str | None = None, **attributes: str
) -> None:
    element = SubElement(parent, name, attributes)
    element.text = INVALID_XML.sub("\ufffd", text) if text else text


def _serialize(root: Element) -> bytes:
    indent(root)
    return tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"
