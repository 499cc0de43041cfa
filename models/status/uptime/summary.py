"""Summarize the uptime of a service over a rolling period."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from models.base import Schema
from models.fields import Moment
from models.status import descriptions
from models.status.measurements.counts import counts_in, period_span
from models.status.services.rows import ServiceRow
from models.status.uptime.uptime import PERIODS, Counts, Period

# What several fields mean.
PERIOD = Field(description="The period of time, which ends now.")


class StatusUptimeSummary(Schema):
    slug: Annotated[str, descriptions.SERVICE_SLUG]
    period: Annotated[Period, PERIOD]
    from_: Annotated[Moment, Field(alias="from")] = Field(
        description="The start of the period."
    )
    to: Moment = Field(description="The end of the period.")
    uptime_pct: float | None = Field(
        description="The percentage of measurements that are operational or degraded,"
        " truncated.",
        examples=[99.995],
    )
    samples: int = Field(description="The number of measurements.", examples=[43196])
    interval_seconds: int = Field(
        description="The interval between measurements in seconds.", examples=[60]
    )
    avg_response_time_ms: int | None = Field(
        description="The mean response time in milliseconds, without samples that are"
        " down.",
        examples=[184],
    )


class GetUptime(Schema, example=("period",)):
    slug: Annotated[str, descriptions.SERVICE_SLUG]
    period: Annotated[Period, PERIOD] = "24h"


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
