"""Maintenance windows as a calendar to subscribe to: all of them, and per service."""

from collections.abc import Iterator
from datetime import timedelta

from icalendar import Calendar, Event

from models.response_headers import url_path
from models.status.maintenance.windows import MaintenanceRow, maintenance_since
from models.status.snapshot.snapshot import HISTORY
from sitegen.page import BuildContext, Page, Stage, pages
from sitegen.status.status_data import board_of
from sitegen.urls import maintenance_path, service_path

REFRESH = timedelta(hours=1)


@pages("status", Stage.LISTS)
def calendars(context: BuildContext) -> Iterator[Page]:
    """The windows that are coming, running, or ended within the history."""
    seen, name = context.once_per_build(board_of), context.settings.site_name
    url = context.settings.site_url
    windows = maintenance_since(seen.now - HISTORY, seen.now)
    title = f"{name} maintenance"
    yield _calendar("status/maintenance.ics", title, url, windows)
    for service in seen.services:
        own = [
            each
            for each in windows
            if service.number in [affected.service_id for affected in each.services]
        ]
        path = url_path(service_path(service.slug)).strip("/")
        title = f"{service.name} maintenance – {name}"
        yield _calendar(f"{path}/maintenance.ics", title, url, own)


def _calendar(path: str, title: str, url: str, windows: list[MaintenanceRow]) -> Page:
    calendar = Calendar()
    calendar.add("prodid", "-//Masthead//Maintenance//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("name", title)
    calendar.add("x-wr-calname", title)
    calendar.add("refresh-interval", REFRESH)
    calendar.add("x-published-ttl", "PT1H")
    for each in windows:
        calendar.add_component(_event(each, url))
    return Page(path, calendar.to_ical())


def _event(window: MaintenanceRow, url: str) -> Event:
    """
    A window as an event: its uid never changes, its sequence grows with it.

    The stamp is that of the last change and not of the build, so that equal windows
    make equal files.
    """
    event = Event()
    event.add("uid", f"urn:uuid:{window.id}")
    event.add("dtstamp", window.updated_at.replace(microsecond=0))
    event.add("created", window.created_at.replace(microsecond=0))
    event.add("last-modified", window.updated_at.replace(microsecond=0))
    changed = window.updated_at - window.created_at
    event.add("sequence", -(-changed // timedelta(seconds=1)))
    event.add("dtstart", window.starts_at.replace(microsecond=0))
    event.add("dtend", window.ends_at.replace(microsecond=0))
    event.add("summary", window.title)
    affected = ", ".join(each.name for each in window.services)
    about = [window.description, f"Affects: {affected}"]
    event.add("description", "\n\n".join(filter(None, about)))
    is_cancelled = window.status == "cancelled"
    event.add("status", "CANCELLED" if is_cancelled else "CONFIRMED")
    event.add("transp", "TRANSPARENT")
    event.add("url", url + url_path(maintenance_path(window.id)))
    return event
