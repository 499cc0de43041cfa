"""What happened, for feed readers: Atom, RSS and JSON Feed, of all and per service."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from html import escape
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from models.fields import format_moment
from models.response_headers import url_path
from models.status.incidents.incidents import (
    IncidentRow,
    IncidentUpdateRow,
    updates_by_incident,
)
from models.status.maintenance.windows import MaintenanceRow
from sitegen.markdown.parser import render_entry
from sitegen.page import BuildContext, Page, Rank, pages
from sitegen.status.status_data import board_of, every_incident, every_window
from sitegen.theme.filters import moment, state_words
from sitegen.urls import incident_path, maintenance_path, service_path

NEWEST = 50
ATOM = "http://www.w3.org/2005/Atom"
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Entry:
    """One thing that happened; its id never changes."""

    id: str
    title: str
    href: str
    html: str
    published: datetime
    updated: datetime
    services: tuple[str, ...]


@dataclass(frozen=True)
class Feed:
    """`path` is where the feeds stand, without the ending; `href` the page."""

    path: str
    title: str
    href: str
    url: str
    entries: list[Entry]

    def link(self, ending: str) -> str:
        return f"{self.url}/{self.path}.{ending}"


WINDOW_WORDS = {
    "scheduled": "Scheduled",
    "active": "In progress",
    "completed": "Completed",
    "cancelled": "Cancelled",
}


@pages("status")
def feeds(context: BuildContext) -> Iterator[Page]:
    """The feeds of the page, of each service, and where Statuspage has its own."""
    name, url = context.settings.site_name, context.settings.site_url
    entries = context.once(_entries)
    whole = Feed("status/feed", f"{name} status", "/status/", url, entries[:NEWEST])
    yield from _files(whole, atom="atom", rss="rss", json="json")
    history = Feed("history", whole.title, whole.href, url, whole.entries)
    yield from _files(history, atom="atom", rss="rss")
    for service in context.once(board_of).services:
        page = url_path(service_path(service.slug))
        own = [each for each in entries if service.slug in each.services]
        title = f"{service.name} status – {name}"
        feed = Feed(f"{page.strip('/')}/feed", title, page, url, own[:NEWEST])
        yield from _files(feed, atom="atom", rss="rss", json="json")


def _files(feed: Feed, **endings: str) -> Iterator[Page]:
    for form, ending in endings.items():
        yield Page(f"{feed.path}.{ending}", FORMS[form](feed), rank=Rank.LIST)


def _entries(context: BuildContext) -> list[Entry]:
    """Everything that happened, newest first; nothing is dated ahead of the page."""
    url = context.settings.site_url
    incidents = context.once(every_incident)
    timelines = updates_by_incident(incidents)
    found = [
        _entry(incident, each, url)
        for incident in incidents
        for each in timelines[incident.id]
    ]
    found += [_window(each, url) for each in context.once(every_window)]
    return sorted(found, key=lambda each: (each.updated, each.id), reverse=True)


def _entry(incident: IncidentRow, entry: IncidentUpdateRow, url: str) -> Entry:
    return Entry(
        id=f"urn:uuid:{entry.id}",
        title=f"{state_words(entry.status)}: {incident.title}",
        href=url + url_path(incident_path(incident.id)),
        html=render_entry(entry.body) + _affects(incident),
        published=entry.created_at,
        updated=entry.created_at,
        services=_slugs(incident),
    )


def _window(window: MaintenanceRow, url: str) -> Entry:
    """One entry for each window, which changes as the window does."""
    starts, ends = (format_moment(at) for at in (window.starts_at, window.ends_at))
    return Entry(
        id=f"urn:uuid:{window.id}",
        title=f"{WINDOW_WORDS[window.status]} maintenance: {window.title}",
        href=url + url_path(maintenance_path(window.id)),
        html=f"<p>From {moment(starts)} to {moment(ends)}.</p>\n"
        + render_entry(window.description or "")
        + _affects(window),
        published=window.created_at,
        updated=max(window.updated_at, window.status_changed_at),
        services=_slugs(window),
    )


def _slugs(subject: IncidentRow | MaintenanceRow) -> tuple[str, ...]:
    return tuple(each.slug for each in subject.services if each.service_id)


def _affects(subject: IncidentRow | MaintenanceRow) -> str:
    names = ", ".join(each.name for each in subject.services)
    return f"<p>Affects: {escape(names)}</p>\n"


def _newest(entries: Iterable[Entry]) -> str:
    """A feed is as new as its newest entry; one that never had any has no news."""
    return format_moment(max(each.updated for each in entries))


def _atom(feed: Feed) -> bytes:
    root = Element("feed", xmlns=ATOM)
    _add(root, "title", feed.title)
    _add(root, "id", feed.link("atom"))
    _add(root, "link", rel="self", href=feed.link("atom"))
    _add(root, "link", rel="alternate", type="text/html", href=feed.url + feed.href)
    author = SubElement(root, "author")
    _add(author, "name", feed.title)
    updated = _newest(feed.entries) if feed.entries else "1970-01-01T00:00:00.000Z"
    _add(root, "updated", updated)
    for each in feed.entries:
        entry = SubElement(root, "entry")
        _add(entry, "id", each.id)
        _add(entry, "title", each.title)
        _add(entry, "link", rel="alternate", type="text/html", href=each.href)
        _add(entry, "published", format_moment(each.published))
        _add(entry, "updated", format_moment(each.updated))
        _add(entry, "content", each.html, type="html")
    return _written(root)


def _rss(feed: Feed) -> bytes:
    root = Element("rss", {"version": "2.0", "xmlns:atom": ATOM})
    channel = SubElement(root, "channel")
    _add(channel, "title", feed.title)
    _add(channel, "link", feed.url + feed.href)
    _add(channel, "description", f"Incidents and maintenance: {feed.title}.")
    own = {"rel": "self", "type": "application/rss+xml", "href": feed.link("rss")}
    SubElement(channel, "atom:link", own)
    for each in feed.entries:
        item = SubElement(channel, "item")
        _add(item, "title", each.title)
        _add(item, "link", each.href)
        _add(item, "guid", each.id, isPermaLink="false")
        _add(item, "pubDate", format_datetime(each.updated, usegmt=True))
        _add(item, "description", each.html)
    return _written(root)


def _json(feed: Feed) -> dict[str, Any]:
    return {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "home_page_url": feed.url + feed.href,
        "feed_url": feed.link("json"),
        "items": [
            {
                "id": each.id,
                "url": each.href,
                "title": each.title,
                "content_html": each.html,
                "date_published": format_moment(each.published),
                "date_modified": format_moment(each.updated),
                "tags": list(each.services),
            }
            for each in feed.entries
        ],
    }


FORMS: dict[str, Any] = {"atom": _atom, "rss": _rss, "json": _json}


def _add(parent: Element, name: str, text: str | None = None, **more: str) -> None:
    SubElement(parent, name, more).text = NOT_XML.sub("\ufffd", text) if text else text


def _written(root: Element) -> bytes:
    indent(root)
    return tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"
