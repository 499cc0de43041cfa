"""Yield iCalendar files of the maintenance windows: of all services and of each."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import partial

from icalendar import Calendar, Event, Timezone, TimezoneStandard

from models.base import epoch_ms
from models.display_text import plain_line, printable
from models.locales import Locale
from models.site_addresses import url_path
from models.status.maintenance.windows import MaintenanceRow, removed_windows
from models.status.snapshot.event_index import IndexedWindow
from models.status.snapshot.snapshot import HISTORY
from sitegen.messages.message_text import parse_message
from sitegen.page import BuildContext, KeyedPages, Page, Stage, pages
from sitegen.status.published import windows_by_id
from sitegen.status.status_data import read_index, read_snapshot, read_window_statuses
from sitegen.urls import calendar_path, maintenance_path, service_path

REFRESH_INTERVAL = timedelta(hours=1)
ALMOST_A_SECOND = timedelta(milliseconds=999)


@pages("status", Stage.LISTS)
def calendars(context: BuildContext) -> Iterator[KeyedPages]:
    """
    Yield the windows that are scheduled, active, or ended within the history.

    Removed ones are among them, because a calendar that only lacks an event may keep
    its copy.
    """
    snapshot = context.once_per_build(read_snapshot)
    since = snapshot.now - HISTORY
    index = context.once_per_build(read_index)
    removed = removed_windows(since)
    site_name, text = plain_line(context.settings.site_name), context.theme.locale.text

    def keyed(
        path: str,
        title: str,
        all: Iterable[IndexedWindow],
        removed: list[MaintenanceRow],
    ) -> KeyedPages:
        windows = [each for each in all if each.ends_at > epoch_ms(since)]
        versions = [(each.id, each.updated_at) for each in removed]
        make = partial(_windows_file, context, path, title, windows, removed)
        return KeyedPages(path, (title, windows, versions), make)

    title = text("calendar.title", name=site_name)
    yield keyed("status/maintenance.ics", title, index.windows, removed)
    for service in snapshot.services:
        folder = url_path(service_path(service.slug)).strip("/")
        title = text("calendar.of", name=plain_line(service.name), site=site_name)
        number = service.number
        yield keyed(
            f"{folder}/maintenance.ics",
            title,
            index.windows_by_service.get(number, ()),
            [
                window
                for window in removed
                if number in [affected.service_id for affected in window.services]
            ],
        )


@pages("status", Stage.URGENT)
def window_calendars(context: BuildContext) -> Iterator[KeyedPages]:
    """Yield each window to come as a calendar of its own, to add it to another one."""
    site_name = plain_line(context.settings.site_name)
    title = context.theme.locale.text("calendar.title", name=site_name)
    statuses = context.once_per_build(read_window_statuses)
    for window in context.once_per_build(read_index).windows:
        if statuses[window.id] in ("scheduled", "active"):
            path = calendar_path(window.id)
            make = partial(_windows_file, context, path, title, [window], [])
            yield KeyedPages(path, (window,), make)


def _windows_file(
    context: BuildContext,
    path: str,
    title: str,
    windows: list[IndexedWindow],
    removed: list[MaintenanceRow],
) -> Iterator[Page]:
    """Yield a calendar with these windows."""
    now = context.once_per_build(read_snapshot).now
    rows = [*windows_by_id((each.id for each in windows), now).values(), *removed]
    yield _calendar(context.theme.locale, path, title, context.settings.site_url, rows)


def _calendar(
    locale: Locale, path: str, title: str, site_url: str, windows: list[MaintenanceRow]
) -> Page:
    """
    Return the calendar as a snapshot, which has no method.

    A message with one would have to name an organizer (RFC 5546), and its timestamps
    would be those of the file.
    """
    calendar = Calendar()
    calendar.add("prodid", "-//Masthead//Maintenance//EN")
    calendar.add("version", "2.0")
    calendar.add("name", title)
    calendar.add("x-wr-calname", title)
    # The property has no type of its own (RFC 7986, 5.7), and programs do not guess it.
    calendar.add("refresh-interval", REFRESH_INTERVAL, {"VALUE": "DURATION"})
    calendar.add("x-published-ttl", "PT1H")
    for window in windows:
        calendar.add_component(_event(window, site_url, locale))
    if not windows:
        calendar.add_component(_time_zone())
    return Page(path, calendar.to_ical())


def _time_zone() -> Timezone:
    """Return UTC, for a calendar without events: a file has a component (RFC 5545)."""
    zone, standard = Timezone(), TimezoneStandard()
    zone.add("tzid", "UTC")
    standard.add("dtstart", datetime(1970, 1, 1))  # noqa: DTZ001  (local, by the RFC)
    standard.add("tzoffsetfrom", timedelta(0))
    standard.add("tzoffsetto", timedelta(0))
    zone.add_component(standard)
    return zone


def _event(window: MaintenanceRow, site_url: str, locale: Locale) -> Event:
    """
    Return a window as an event: its uid never changes, its sequence only grows.

    A removed window is cancelled, and none of its words are left.

    The timestamp is that of the last change and not of the build, so that the file
    changes only with the windows.
    """
    event = Event()
    event.add("uid", f"urn:uuid:{window.id}")
    event.add("dtstamp", window.updated_at.replace(microsecond=0))
    event.add("created", window.created_at.replace(microsecond=0))
    event.add("last-modified", window.updated_at.replace(microsecond=0))
    age = window.updated_at - window.created_at
    event.add("sequence", -(-age // timedelta(seconds=1)))
    event.add("dtstart", window.starts_at.replace(microsecond=0))
    # Not cut but rounded up, since an event ends after its start.
    event.add("dtend", (window.ends_at + ALMOST_A_SECOND).replace(microsecond=0))
    if window.removed_at is not None:
        event.add("summary", locale.text("calendar.cancelled"))
        event.add("status", "CANCELLED")
        event.add("transp", "TRANSPARENT")
        return event
    event.add("summary", plain_line(window.title))
    names = locale.join_list(plain_line(service.name) for service in window.services)
    message = parse_message(window.description or "", locale, site_url)
    paragraphs = [message.plain, locale.text("feed.affects", services=names)]
    # Without control characters: some readers take one for the end of a line of the
    # file, after which a text could go on as a property.
    event.add("description", printable("\n\n".join(filter(None, paragraphs))))
    is_cancelled = window.status == "cancelled"
    event.add("status", "CANCELLED" if is_cancelled else "CONFIRMED")
    event.add("transp", "TRANSPARENT")
    event.add("url", site_url + url_path(maintenance_path(window.id)))
    return event
