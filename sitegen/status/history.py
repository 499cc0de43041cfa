"""The past by month: every incident and window, in each month that it touched."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, NamedTuple

from models.base import MILLISECOND
from models.response_headers import url_path
from models.status.incidents.incidents import StatusIncident
from models.status.maintenance.windows import StatusMaintenance
from sitegen.page import BuildContext, Page, Stage, pages
from sitegen.status.status_data import board_of, every_incident, every_window, told
from sitegen.theme.filters import month_words
from sitegen.urls import history_path, incident_path, maintenance_path


class Thing(NamedTuple):
    """An incident or a window that has begun, as far as it has come."""

    start: datetime
    last: datetime
    shown: dict[str, Any]

    def months(self) -> Iterator[str]:
        """Yield the UTC months that it touched."""
        year, month = self.start.year, self.start.month
        while (year, month) <= (self.last.year, self.last.month):
            yield f"{year:04}-{month:02}"
            year, month = (year, month + 1) if month < 12 else (year + 1, 1)


@pages("status", Stage.LISTS)
def history(context: BuildContext) -> Iterator[Page]:
    """A page for each month in which there was anything, and a list of them."""
    by_month: dict[str, list[Thing]] = defaultdict(list)
    for thing in sorted(_things(context), key=lambda each: each.start, reverse=True):
        for month in thing.months():
            by_month[month].append(thing)
    months = sorted(by_month, reverse=True)
    for place, month in enumerate(months):
        later = months[place - 1] if place else None
        earlier = months[place + 1] if place + 1 < len(months) else None
        yield Page(
            history_path(month),
            _shown(month, by_month[month]) | _turn(earlier, later),
            template="status/month.html",
            title=f"Status history: {month_words(month)}",
            description=f"Incidents and maintenance of {month_words(month)}.",
        )
    yield Page(
        history_path(),
        {"months": [_counted(month, by_month[month]) for month in months]},
        template="status/history.html",
        title="Status history",
        description="Incidents and maintenance by month.",
    )


def months(context: BuildContext) -> list[str]:
    """Return the months in which there was anything."""
    return sorted({month for each in _things(context) for month in each.months()})


def _things(context: BuildContext) -> Iterator[Thing]:
    """Yield what has begun; how long it is does not depend on when it is looked at."""
    now = context.once_per_build(board_of).now
    for each in context.once_per_build(every_incident):
        if each.started_at <= now:
            shown = {
                "incident": told(StatusIncident, each),
                "maintenance": None,
                "href": url_path(incident_path(each.id)),
            }
            yield _thing(each.started_at, each.resolved_at or now, shown)
    for window in context.once_per_build(every_window):
        if window.starts_at <= now:
            shown = {
                "incident": None,
                "maintenance": told(StatusMaintenance, window),
                "href": url_path(maintenance_path(window.id)),
            }
            yield _thing(window.starts_at, min(window.ends_at, now), shown)


def _thing(start: datetime, end: datetime, shown: dict[str, Any]) -> Thing:
    """What ends with a month does not touch the next."""
    start = start.astimezone(UTC)
    return Thing(start, max(start, end.astimezone(UTC) - MILLISECOND), shown)


def _shown(month: str, things: list[Thing]) -> dict[str, Any]:
    """Return the month's days, newest first, and what began before it."""
    own = [each for each in things if f"{each.start:%Y-%m}" == month]
    return {
        "month": month,
        "days": [
            {"date": date.isoformat(), "items": [each.shown for each in found]}
            for date, found in groupby(own, lambda each: each.start.date())
        ],
        "earlier": [each.shown for each in things if f"{each.start:%Y-%m}" != month],
    }


def _turn(earlier: str | None, later: str | None) -> dict[str, Any]:
    return {
        name: month and {"month": month, "href": url_path(history_path(month))}
        for name, month in (("previous", earlier), ("next", later))
    }


def _counted(month: str, things: list[Thing]) -> dict[str, Any]:
    incidents = sum(each.shown["incident"] is not None for each in things)
    return {
        "month": month,
        "href": url_path(history_path(month)),
        "incidents": incidents,
        "windows": len(things) - incidents,
    }
