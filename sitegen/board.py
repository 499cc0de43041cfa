"""What the status pages of one build are made from, read once."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from models.status.counters import days_of
from models.status.days import told_day
from models.status.incidents import IncidentRow
from models.status.moments import told_at
from models.status.published import (
    Board,
    StatusServiceDetail,
    StatusServiceList,
    board,
    detail_on,
)
from models.status.register import incidents_since
from models.status.services import ServiceRow
from models.words import told_moment
from sitegen.page import Edition

DAYS = 90
DAY = timedelta(days=1)


@dataclass(frozen=True)
class StatusFacts:
    """By slug, in display order: the details, the days, what decided the state."""

    board: Board
    listed: StatusServiceList
    details: dict[str, StatusServiceDetail]
    days: dict[str, list[dict[str, Any]]]
    reasons: dict[str, str]

    @property
    def next_change_at(self) -> str | None:
        at = self.board.next_change_at()
        return told_moment(at) if at else None

    def stale_at(self, slug: str | None = None) -> str | None:
        return stale_at(self.board, slug)

    def resolved_since(self, since: datetime) -> list[IncidentRow]:
        return [each for each in incidents_since(since) if each.resolved_at]


def stale_at(seen: Board, slug: str | None = None) -> str | None:
    """
    Return when a page of one service, or of all, is out of date; None where it is.

    That is when the first reading that its states stand on goes stale: from then
    on the page may say what the rule would not.
    """
    fresh = [
        each.observed_at
        for service in seen.services
        if slug in (None, service.slug)
        for each in seen.readings[service.number]
        if each.is_fresh(seen.now, seen.freshness)
    ]
    return told_moment(min(fresh) + seen.freshness) if fresh else None


def board_of(edition: Edition) -> Board:
    """Read what the present is judged by, at the instant that the page tells of."""
    freshness = edition.settings.freshness
    return board(told_at(edition.now, freshness), freshness)


def listed_at(edition: Edition) -> tuple[StatusServiceList, str | None]:
    """Return the state of all services, and when it will be out of date."""
    seen = edition.once(board_of)
    return seen.listed(), stale_at(seen)


def facts_at(edition: Edition) -> StatusFacts:
    """Read everything at the instant that the page tells of."""
    seen, interval = edition.once(board_of), edition.settings.probe_interval_seconds
    details = {each.slug: detail_on(seen, each, interval) for each in seen.services}
    return StatusFacts(
        board=seen,
        listed=seen.listed(),
        details=details,
        days={s.slug: _days(s, details[s.slug], seen.now) for s in seen.services},
        reasons={each.slug: seen.judgement(each).reason for each in seen.services},
    )


def _days(
    service: ServiceRow, detail: StatusServiceDetail, now: datetime
) -> list[dict[str, Any]]:
    """Return the last days, oldest first, each with what was seen and said of it."""
    counts = days_of(service, now, DAYS)
    windows = [each for each in detail.maintenance if each.status != "cancelled"]
    today = now.astimezone(UTC).date()
    found = []
    for back in reversed(range(DAYS)):
        day = today - back * DAY
        said = [
            each.severity
            for each in detail.incidents
            if _touches(day, each.started_at, each.resolved_at or now, now)
        ]
        planned = any(_touches(day, w.starts_at, w.ends_at, now) for w in windows)
        counted = counts.get(day)
        found.append(told_day(day, counted, said, in_maintenance=planned))
    return found


def _touches(day: date, start: datetime, end: datetime, now: datetime) -> bool:
    """Tell whether [start, end), as far as it has come, is seen on the UTC day."""
    first = datetime.combine(day, time(), UTC)
    begins = first <= start < first + DAY
    return start <= now and (begins or start < first < end)
