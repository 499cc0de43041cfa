"""Yield the history by month, with every incident and maintenance window."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import lru_cache, partial
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, NamedTuple

from models.base import EPOCH, epoch_ms
from models.site_addresses import url_path
from models.status.incidents.incidents import SeveritySpan
from models.status.maintenance.windows import MaintenanceStatus
from models.status.measurements.rollups import DAY_MS
from models.status.snapshot.event_index import IndexedIncident, IndexedWindow
from models.status.state import worst_severity
from sitegen.page import BuildContext, KeyedPages, Page, Stage, pages
from sitegen.status.published import published_incidents, published_windows
from sitegen.status.status_data import read_index, read_snapshot, read_window_statuses
from sitegen.urls import history_path, incident_path, maintenance_path

# How many incidents of a month are named in the list of months.
MAX_TITLES = 5
NO_EVENTS = {"href": None, "incidents": 0, "windows": 0, "worst": None}


class MonthEvent(NamedTuple):
    """An incident or a window of a month: equal ones are shown alike in it."""

    event: IndexedIncident | IndexedWindow
    # Of a window.
    status: MaintenanceStatus | None = None


# The events that overlap each UTC month, newest first, by the month.
Months = dict[str, list[MonthEvent]]


@pages("status", Stage.LISTS)
def history(context: BuildContext) -> Iterator[KeyedPages]:
    """Yield a page for each month with events, and a list of these months."""
    by_month = context.once_per_build(read_months)
    months = list(by_month)
    for previous, month, following in zip(
        [*months[1:], None], months, [None, *months], strict=False
    ):
        events = by_month[month]
        make = partial(_month_page, context, month, events, previous, following)
        yield KeyedPages(
            f"history {month}",
            (events, previous, following),
            make,
            requires=partial(map, _path, events),
        )
    yield KeyedPages(
        "history",
        by_month,
        partial(_list_page, context, by_month),
        requires=lambda: [
            *map(history_path, months),
            *map(_path, chain(*by_month.values())),
        ],
    )


def _month_page(
    context: BuildContext,
    month: str,
    events: list[MonthEvent],
    previous: str | None,
    following: str | None,
) -> Iterator[Page]:
    locale = context.theme.locale
    yield Page(
        history_path(month),
        _month(month, _shown(events, context.once_per_build(read_snapshot).now))
        | {"previous": _month_link(previous), "next": _month_link(following)},
        template="status/month.html",
        title=locale.text("history.of", month=locale.month_name(month)),
        description=locale.text(
            "history.description-of", month=locale.month_name(month)
        ),
    )


def _list_page(context: BuildContext, by_month: Months) -> Iterator[Page]:
    locale = context.theme.locale
    yield Page(
        history_path(),
        list_of_months(
            [
                context.memoize(_month_summary, month, events, name=month)
                for month, events in by_month.items()
            ]
        ),
        template="status/history.html",
        title=locale.text("history.status-history"),
        description=locale.text("history.description"),
    )


def read_months(context: BuildContext) -> Months:
    """Return the events that have begun, by the months that they overlap until now."""
    now = epoch_ms(context.once_per_build(read_snapshot).now)
    index = context.once_per_build(read_index)
    statuses = context.once_per_build(read_window_statuses)
    spans = [
        (each.started_at, each.resolved_at or now, MonthEvent(each))
        for each in reversed(index.incidents)
    ]
    spans += [
        (each.starts_at, min(each.ends_at, now), MonthEvent(each, statuses[each.id]))
        for each in reversed(index.windows)
    ]
    by_month: dict[int, list[MonthEvent]] = defaultdict(list)
    # Equal times keep their order.
    for start, end, event in sorted(spans, key=itemgetter(0), reverse=True):
        if start <= now:
            for month in _months(start, end):
                by_month[month].append(event)
    return {
        f"{(month - 1) // 12:04}-{(month - 1) % 12 + 1:02}": by_month[month]
        for month in sorted(by_month, reverse=True)
    }


def _months(start: int, end: int) -> range:
    """Return the months of [start, end), and at least that of the start."""
    return range(_month_at(start), _month_at(max(start, end - 1)) + 1)


def _month_at(at: int) -> int:
    """Return the number of the month of a time in milliseconds."""
    return _month_of_day(at // DAY_MS)


@lru_cache(maxsize=8192)
def _month_of_day(day: int) -> int:
    date = EPOCH + timedelta(days=day)
    return 12 * date.year + date.month


def _path(shown: MonthEvent) -> str:
    id = shown.event.id
    return maintenance_path(id) if shown.status else incident_path(id)


def _shown(events: Iterable[MonthEvent], now: datetime) -> list[dict[str, Any]]:
    """Read the events as the page shows them."""
    events = list(events)
    incidents = published_incidents(
        each.event.id for each in events if each.status is None
    )
    windows = published_windows((each.event.id for each in events if each.status), now)
    return [
        {
            "incident": None if each.status else incidents[each.event.id].shown,
            "maintenance": windows[each.event.id].json if each.status else None,
            "href": url_path(_path(each)),
        }
        for each in events
    ]


def _month(month: str, shown: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the days of the month, newest first, and what began in earlier months."""
    dated = [(_start_date(item), item) for item in shown]
    return {
        "month": month,
        "days": [
            {"date": date, "items": [item for _, item in items]}
            for date, items in groupby(
                (each for each in dated if each[0].startswith(month)), itemgetter(0)
            )
        ],
        "earlier": [item for date, item in dated if not date.startswith(month)],
    }


def _start_date(item: dict[str, Any]) -> str:
    incident, window = item["incident"], item["maintenance"]
    start: str = incident["startedAt"] if incident else window["startsAt"]
    return start[:10]


def _month_link(month: str | None) -> dict[str, str] | None:
    return {"month": month, "href": url_path(history_path(month))} if month else None


def _month_summary(month: str, events: list[MonthEvent]) -> dict[str, Any]:
    """Return the newest incidents of a month, and how much there was."""
    ids = [each.event.id for each in events if each.status is None]
    incidents = published_incidents(ids)
    severities = [
        span.severity
        for incident in incidents.values()
        for span in incident.severities
        if _is_in(month, span)
    ]
    return {
        "month": month,
        "href": url_path(history_path(month)),
        "incidents": len(incidents),
        "windows": len(events) - len(incidents),
        "worst": worst_severity(severities) if severities else None,
        "newest": [
            {
                "incident": incidents[id].shown,
                "maintenance": None,
                "href": url_path(incident_path(id)),
            }
            for id in ids[:MAX_TITLES]
        ],
    }


def _is_in(month: str, span: SeveritySpan) -> bool:
    """Return whether the incident had the severity in a month that it overlaps."""
    number = 12 * int(month[:4]) + int(month[5:])
    start = epoch_ms(span.starts_at)
    if span.ends_at is None:
        return _month_at(start) <= number
    return number in _months(start, epoch_ms(span.ends_at))


def list_of_months(months: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the months with events, and all months of their years at a glance."""
    by_month = {item["month"]: item for item in months}
    years = sorted({month[:4] for month in by_month}, reverse=True)
    return {
        "months": months,
        "years": [
            {
                "year": year,
                "months": [
                    by_month.get(month, NO_EVENTS | {"month": month})
                    for month in (f"{year}-{number:02}" for number in range(1, 13))
                ],
            }
            for year in years
        ],
    }
