"""What the status pages of one build are made from, read once."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from typing import Any

from models.base import Schema
from models.fields import format_moment
from models.status.incidents.incidents import IncidentRow, all_incidents
from models.status.maintenance.windows import MaintenanceRow, all_maintenance
from models.status.services.catalogue import services_in_display_order
from models.status.services.rows import ServiceRow
from models.status.snapshot.last_change import last_change_at, last_changes_by_service
from models.status.snapshot.snapshot import (
    StatusServiceDetail,
    StatusServiceList,
    StatusSnapshot,
    service_details,
    status_snapshot,
)
from models.status.uptime.day_state import day_to_json
from models.status.uptime.hourly_history import HourlyHistory
from models.status.uptime.periods import (
    DAYS,
    ServiceUptime,
    hourly_histories,
    service_uptimes,
)
from models.status.uptime.uptime import Counts
from sitegen.page import BuildContext

DAY = timedelta(days=1)
NOTHING = Counts()


@dataclass(frozen=True)
class StatusFacts:
    """By slug, in display order: the details, the days, what decided the state."""

    status_snapshot: StatusSnapshot
    listed: StatusServiceList
    details: dict[str, StatusServiceDetail]
    measured: dict[str, ServiceUptime]
    days: dict[str, list[dict[str, Any]]]
    reasons: dict[str, str]

    @property
    def next_change_at(self) -> str | None:
        at = self.status_snapshot.next_change_at()
        return format_moment(at) if at else None

    def stale_at(self, slug: str | None = None) -> str | None:
        if slug is None:
            return stale_at(self.status_snapshot, self.status_snapshot.services)
        return stale_at(self.status_snapshot, [self._by_slug[slug]])

    @cached_property
    def _by_slug(self) -> dict[str, ServiceRow]:
        return {each.slug: each for each in self.status_snapshot.services}


def stale_at(seen: StatusSnapshot, services: Iterable[ServiceRow]) -> str | None:
    """
    Return when a page of these services is out of date; None where it is.

    That is when the first reading that its states stand on goes stale: from then
    on the page may say what the rule would not.
    """
    fresh = [
        each.observed_at
        for service in services
        for each in seen.readings[service.number]
        if each.is_fresh(seen.now, seen.freshness)
    ]
    return format_moment(min(fresh) + seen.freshness) if fresh else None


def board_of(context: BuildContext) -> StatusSnapshot:
    """Read what the present is judged by, at the instant that the page tells of."""
    freshness = context.settings.freshness
    at = last_change_at(context.now, freshness)
    return status_snapshot(at, freshness, context.once(_services))


def pasts_at(context: BuildContext) -> dict[str, HourlyHistory]:
    """Return the hours of each service that are over, by slug, in display order."""
    services = context.once(_services)
    found = hourly_histories(services, context.once(_until))
    return {each.slug: past for each, past in zip(services, found, strict=True)}


def _services(_: BuildContext) -> list[ServiceRow]:
    return services_in_display_order()


def _until(context: BuildContext) -> dict[int, datetime]:
    return last_changes_by_service(context.now, context.settings.freshness)


def listed_at(context: BuildContext) -> tuple[StatusServiceList, str | None]:
    """Return the state of all services, and when it will be out of date."""
    seen = context.once(board_of)
    return seen.service_list(), stale_at(seen, seen.services)


def every_incident(_: BuildContext) -> list[IncidentRow]:
    """Read all incidents, newest first: `edition.once` of it."""
    return all_incidents()


def every_window(context: BuildContext) -> list[MaintenanceRow]:
    """Read all windows as they are then, newest first: `edition.once` of it."""
    return all_maintenance(context.once(board_of).now)


def told(shape: type[Schema], row: Any) -> dict[str, Any]:
    """Return a row in the words in which the API tells it."""
    return shape.model_validate(row).to_json()


def facts_at(context: BuildContext) -> StatusFacts:
    """Read everything at the instant that the page tells of: `edition.once` of it."""
    seen, interval = context.once(board_of), context.settings.probe_interval_seconds
    known = list(context.once(pasts_at).values())
    counted = service_uptimes(seen.services, context.once(_until), known)
    details = service_details(seen, counted, interval)
    return StatusFacts(
        status_snapshot=seen,
        listed=seen.service_list(),
        details=details,
        measured=counted,
        days={
            slug: _days(detail, counted[slug].days(), seen.now)
            for slug, detail in details.items()
        },
        reasons={each.slug: seen.state_of(each).reason for each in seen.services},
    )


def _days(
    detail: StatusServiceDetail, counts: dict[date, Counts], now: datetime
) -> list[dict[str, Any]]:
    """Return the last days, oldest first, each with what was seen and said of it."""
    said = [(e.severity, e.started_at, e.resolved_at or now) for e in detail.incidents]
    planned = [
        (each.status, each.starts_at, each.ends_at)
        for each in detail.maintenance
        if each.status != "cancelled"
    ]
    today = now.astimezone(UTC).date()
    return [
        day_to_json(
            day,
            counts.get(day, NOTHING),
            _touching(day, said, now),
            in_maintenance=bool(_touching(day, planned, now)),
        )
        for day in (today - back * DAY for back in reversed(range(DAYS)))
    ]


def _touching(
    day: date, spans: Iterable[tuple[Any, datetime, datetime]], now: datetime
) -> list[Any]:
    """Return the words of the spans that, as far as they have come, are on the day."""
    if not spans:
        return []
    first = datetime.combine(day, time(), UTC)
    return [
        word
        for word, start, end in spans
        if start <= now and (first <= start < first + DAY or start < first < end)
    ]
