"""Counts of measurements: over any window, and day by day."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any

from peewee import fn
from pydantic import Field

from models.base import MILLISECOND, Shape, milliseconds, moment
from models.status.affected import AffectedRow
from models.status.maintenance import MaintenanceRow
from models.status.measurements import MeasurementRow
from models.status.services import ServiceRow
from models.status.uptime import PERIODS, Counts, Period, total
from models.words import Moment

DAY = timedelta(days=1)
DAY_MS = 24 * 60 * 60 * 1000

Span = tuple[datetime, datetime]


class StatusUptimeSummary(Shape):
    slug: str
    period: Period
    from_: Annotated[Moment, Field(alias="from")]
    to: Moment
    uptime_pct: float | None
    samples: int
    interval_seconds: int
    avg_response_time_ms: int | None


def uptime_of(
    service: ServiceRow, period: Period, now: datetime, *, interval_seconds: int
) -> StatusUptimeSummary:
    """
    Return the uptime of the window (now - period, now].

    Samples inside a maintenance window that names the service and was not
    cancelled are left out; gaps count neither way.
    """
    start = now - PERIODS[period]
    counts = counts_in(service, (start + MILLISECOND, now + MILLISECOND))
    return StatusUptimeSummary(
        slug=service.slug,
        period=period,
        from_=start,
        to=now,
        uptime_pct=counts.uptime_pct,
        samples=counts.samples,
        interval_seconds=interval_seconds,
        avg_response_time_ms=counts.average_ms,
    )


def counts_in(service: ServiceRow, span: Span) -> Counts:
    """Count the samples observed in [start, end) outside maintenance."""
    return total(_count(service, each) for each in outside(windows_of(service), span))


def days_of(service: ServiceRow, now: datetime, days: int) -> dict[date, Counts]:
    """Return the counts of the last UTC days, today included; days without none."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    span = (today - (days - 1) * DAY, now + MILLISECOND)
    found: dict[date, Counts] = {}
    for each in outside(windows_of(service), span):
        for day, counts in _count_by_day(service, each).items():
            found[day] = total([found.get(day, Counts()), counts])
    return found


def windows_of(service: ServiceRow) -> list[Span]:
    """Return the spans of maintenance that leave samples of the service out."""
    query = (
        MaintenanceRow.select(MaintenanceRow.starts_at, MaintenanceRow.ends_at)
        .join(AffectedRow, on=(AffectedRow.subject == MaintenanceRow.id))
        .where(AffectedRow.service == service.number)
        .where(MaintenanceRow.written != "cancelled")
        .order_by(MaintenanceRow.starts_at)
    )
    return [(row.starts_at, row.ends_at) for row in query]


def outside(windows: Sequence[Span], span: Span) -> Iterable[Span]:
    """Yield what is left of a span when the windows, sorted by start, are cut out."""
    start, end = span
    for window_start, window_end in windows:
        if window_start >= end:
            break
        if window_start > start:
            yield start, window_start
        start = max(start, window_end)
    if start < end:
        yield start, end


def _count(service: ServiceRow, span: Span) -> Counts:
    counts = Counts()
    for row in _samples(service, span).group_by(MeasurementRow.status).tuples():
        counts = total([counts, _counts(*row)])
    return counts


def _count_by_day(service: ServiceRow, span: Span) -> dict[date, Counts]:
    day = (MeasurementRow.observed_at / DAY_MS).alias("day")
    query = _samples(service, span).select_extend(day)
    found: dict[date, Counts] = {}
    for *row, number in query.group_by(day, MeasurementRow.status).tuples():
        at = moment(int(number) * DAY_MS).date()
        found[at] = total([found.get(at, Counts()), _counts(*row)])
    return found


def _samples(service: ServiceRow, span: Span) -> Any:
    start, end = (milliseconds(each) for each in span)
    return (
        MeasurementRow.select(
            MeasurementRow.status,
            fn.COUNT(MeasurementRow.status),
            fn.SUM(MeasurementRow.response_time_ms),
            fn.COUNT(MeasurementRow.response_time_ms),
        )
        .where(MeasurementRow.service == service.number)
        .where(MeasurementRow.observed_at >= start)
        .where(MeasurementRow.observed_at < end)
    )


def _counts(status: str, samples: int, time_sum: int | None, times: int) -> Counts:
    counts = replace(Counts(), **{status: samples})
    if status == "down":
        return counts
    return replace(counts, time_sum=time_sum or 0, time_count=times)
