"""Yield the history by month, with every incident and maintenance window."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, NamedTuple

from models.base import MILLISECOND
from models.response_headers import url_path
from models.status.incidents.incidents import SeveritySpan
from models.status.state import Severity, worst_severity
from sitegen.page import BuildContext, Page, Stage, pages
from sitegen.status.status_data import (
    read_published_incidents,
    read_published_maintenance,
    read_snapshot,
)
from sitegen.urls import history_path, incident_path, maintenance_path

# How many incidents of a month are named in the list of months.
MAX_TITLES = 5
NO_EVENTS = {"href": None, "incidents": 0, "windows": 0, "worst": None}


class Event(NamedTuple):
    """An incident or a maintenance window that has begun, up to now."""

    start: datetime
    # Its last millisecond, so that an event that ends at midnight ends the day before.
    last: datetime
    data: dict[str, Any]
    # Of an incident.
    severities: Sequence[SeveritySpan] = ()

    @property
    def first_month(self) -> str:
        return f"{self.start:%Y-%m}"

    def months(self) -> Iterator[str]:
        """Yield the UTC months that it overlaps."""
        year, month = self.start.year, self.start.month
        while (year, month) <= (self.last.year, self.last.month):
            yield f"{year:04}-{month:02}"
            year, month = (year, month + 1) if month < 12 else (year + 1, 1)

    def severities_in(self, month: str) -> list[Severity]:
        """Return the severities that the incident had in a month that it overlaps."""
        spans = (
            (span.severity, _event(span.starts_at, span.ends_at or self.last, {}))
            for span in self.severities
        )
        return [severity for severity, event in spans if month in event.months()]


@pages("status", Stage.LISTS)
def history(context: BuildContext) -> Iterator[Page]:
    """Yield a page for each month with events, and a list of these months."""
    by_month: dict[str, list[Event]] = defaultdict(list)
    newest_first = sorted(_events(context), key=lambda event: event.start, reverse=True)
    for event in newest_first:
        for month in event.months():
            by_month[month].append(event)
    months = sorted(by_month, reverse=True)
    locale = context.theme.locale
    for index, month in enumerate(months):
        next_month = months[index - 1] if index else None
        previous = months[index + 1] if index + 1 < len(months) else None
        yield Page(
            history_path(month),
            _month(month, by_month[month])
            | {"previous": _month_link(previous), "next": _month_link(next_month)},
            template="status/month.html",
            title=locale.text("history.of", month=locale.month_name(month)),
            description=locale.text(
                "history.description-of", month=locale.month_name(month)
            ),
        )
    yield Page(
        history_path(),
        list_of_months([_month_summary(month, by_month[month]) for month in months]),
        template="status/history.html",
        title=locale.text("history.status-history"),
        description=locale.text("history.description"),
    )


def months(context: BuildContext) -> list[str]:
    """Return the months with events, oldest first."""
    return sorted({month for event in _events(context) for month in event.months()})


def _events(context: BuildContext) -> Iterator[Event]:
    now = context.once_per_build(read_snapshot).now
    for incident in context.once_per_build(read_published_incidents).values():
        row = incident.row
        if row.started_at <= now:
            data = {
                "incident": incident.shown,
                "maintenance": None,
                "href": url_path(incident_path(row.id)),
            }
            end = row.resolved_at or now
            yield _event(row.started_at, end, data, incident.severities)
    for maintenance in context.once_per_build(read_published_maintenance).values():
        window = maintenance.row
        if window.starts_at <= now:
            data = {
                "incident": None,
                "maintenance": maintenance.json,
                "href": url_path(maintenance_path(window.id)),
            }
            yield _event(window.starts_at, min(window.ends_at, now), data)


def _event(
    start: datetime,
    end: datetime,
    data: dict[str, Any],
    severities: Sequence[SeveritySpan] = (),
) -> Event:
    start = start.astimezone(UTC)
    last = max(start, end.astimezone(UTC) - MILLISECOND)
    return Event(start, last, data, severities)


def _month(month: str, events: list[Event]) -> dict[str, Any]:
    """Return the days of the month, newest first, and what began in earlier months."""
    began = [event for event in events if event.first_month == month]
    return {
        "month": month,
        "days": [
            {"date": date.isoformat(), "items": [event.data for event in day_events]}
            for date, day_events in groupby(began, lambda event: event.start.date())
        ],
        "earlier": [event.data for event in events if event.first_month != month],
    }


def _month_link(month: str | None) -> dict[str, str] | None:
    return {"month": month, "href": url_path(history_path(month))} if month else None


def _month_summary(month: str, events: list[Event]) -> dict[str, Any]:
    """Return the newest incidents of a month, and how much there was."""
    incidents = [event.data for event in events if event.data["incident"]]
    severities = [each for event in events for each in event.severities_in(month)]
    return {
        "month": month,
        "href": url_path(history_path(month)),
        "incidents": len(incidents),
        "windows": len(events) - len(incidents),
        "worst": worst_severity(severities) if severities else None,
        "newest": incidents[:MAX_TITLES],
    }


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
