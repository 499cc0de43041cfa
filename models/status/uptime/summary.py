"""Summarize the uptime of a service over a rolling period."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from models.base import Schema
from models.fields import Moment
from models.status.measurements.counts import counts_in, period_span
from models.status.services.rows import ServiceRow
from models.status.uptime.uptime import PERIODS, Counts, Period


class StatusUptimeSummary(Schema):
    slug: str
    period: Period
    from_: Annotated[Moment, Field(alias="from")]
    to: Moment
    uptime_pct: float | None
    samples: int
    interval_seconds: int
    avg_response_time_ms: int | None


class GetUptime(Schema):
    slug: str
    period: Period = "24h"


def uptime_summary(
    service: ServiceRow, period: Period, now: datetime, *, interval_seconds: int
) -> StatusUptimeSummary:
    """
    Return the uptime over (now - period, now].

    Samples taken during maintenance of the service are excluded, unless the window
    was cancelled. Gaps count neither way.
    """
    counts = counts_in(service, period_span(period, now))
    return summarize_counts(
        service.slug, period, now, counts, interval_seconds=interval_seconds
    )


def summarize_counts(
    slug: str, period: Period, now: datetime, counts: Counts, *, interval_seconds: int
) -> StatusUptimeSummary:
    """Return the summary of a period that has these counts."""
    return StatusUptimeSummary(
        slug=slug,
        period=period,
        from_=now - PERIODS[period],
        to=now,
        uptime_pct=counts.uptime_pct,
        samples=counts.samples,
        interval_seconds=interval_seconds,
        avg_response_time_ms=counts.average_ms,
    )
