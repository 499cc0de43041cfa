"""The measurements of the sample world: for ninety days back, and for this minute."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import cast

from models.base import epoch_ms
from models.fields import truncate_to_ms
from models.status.incidents.incidents import incidents_since
from models.status.measurements.measurements import (
    StatusMeasurement,
    StatusRecordMeasurements,
)
from models.status.services.rows import ServiceRow
from models.status.state import MeasurementStatus, Severity, worst_severity
from models.storage.database import database, writing
from tests.factories.platform import KINDS, PROBES, Kind
from tests.factories.story import Event, PlannedWork, events

SEED = 90
MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS

# How long before `now` each probe last measured, and its factor of distance.
LAG_MS = {"probe-fra": 12_000, "probe-iad": 41_000}
DISTANCE = {"probe-fra": 1.0, "probe-iad": 1.15}

_INSERT_MEASUREMENT = (
    "INSERT INTO measurement"
    " (observed_at, status, response_time_ms, service_id, source)"
    " VALUES (?, ?, ?, ?, ?)"
)
_INSERT_READING = (
    "INSERT INTO reading"
    " (observed_at, status, response_time_ms, service_id, source)"
    " VALUES (?, ?, ?, ?, ?)"
)

Sample = tuple[int, MeasurementStatus, int | None]


@dataclass(frozen=True)
class Spell:
    """A period in which a service was not operational, in milliseconds."""

    start: int
    end: int
    status: MeasurementStatus


def history(now: datetime, days: int = 90) -> None:
    """
    Store the samples of both probes: each minute of the last day, each quarter before.

    One for each minute of all ninety days would be three million samples.
    """
    numbers = {row.slug: row.number for row in ServiceRow.select()}
    with writing():
        cursor = database.connection().cursor()
        for kind in KINDS:
            spells = spells_of(kind, now, days)
            for source in PROBES:
                service_and_source = (numbers[kind.slug], source)
                rows = [
                    each + service_and_source
                    for each in samples(kind, source, spells, now, days)
                ]
                cursor.executemany(_INSERT_MEASUREMENT, rows)
                cursor.execute(_INSERT_READING, rows[-1])


def samples(
    kind: Kind, source: str, spells: Iterable[Spell], now: datetime, days: int = 90
) -> Iterator[Sample]:
    """Yield the samples of one probe for one service, oldest first."""
    random = Random(f"{SEED} {kind.slug} {source}")
    left = sorted(spells, key=lambda each: each.start)
    for at in moments(epoch_ms(now) - LAG_MS[source], days):
        while left and at >= left[0].end:
            left.pop(0)
        status: MeasurementStatus = "operational"
        if left and at >= left[0].start:
            status = left[0].status
        yield at, status, response_time(kind, source, at, status, random)


def moments(newest: int, days: int) -> Iterator[int]:
    """Yield the times of a probe's measurements, up to its newest one."""
    last_day = newest - DAY_MS + MINUTE_MS
    yield from range(last_day - (days - 1) * DAY_MS, last_day, 15 * MINUTE_MS)
    yield from range(last_day, newest + 1, MINUTE_MS)


def response_time(
    kind: Kind, source: str, at: int, status: MeasurementStatus, random: Random
) -> int | None:
    """Slower in the afternoon than at night, and several times so in trouble."""
    noise = random.lognormvariate(0, 0.12)
    slowness = random.uniform(4, 8) if status == "degraded" else 1
    if status == "down":
        return None
    hour = at % DAY_MS / HOUR_MS
    rhythm = 1 + 0.25 * math.cos((hour - 14) / 24 * math.tau)
    return max(1, round(kind.typical_ms * DISTANCE[source] * rhythm * noise * slowness))


def spells_of(kind: Kind, now: datetime, days: int = 90) -> list[Spell]:
    """
    Return the outages and the short unannounced spells of a service, none overlapping.
    """
    known = [
        _announced_spell(each, now)
        for each in events(now)
        if kind.slug in each.services
    ]
    short = [
        each
        for each in _short(kind, now, days)
        if all(each.end < other.start or other.end < each.start for other in known)
    ]
    return known + short


def measured_in(severity: Severity) -> MeasurementStatus:
    """Return the status that probes measure during an incident of this severity."""
    return "down" if severity == "major-outage" else "degraded"


def _announced_spell(each: Event, now: datetime) -> Spell:
    if isinstance(each, PlannedWork):
        return Spell(epoch_ms(each.starts_at), epoch_ms(each.ends_at), "down")
    start, end = each.started_at, each.fixed_at(now)
    return Spell(epoch_ms(start), epoch_ms(end), measured_in(each.severity))


def _short(kind: Kind, now: datetime, days: int) -> Iterator[Spell]:
    """Yield a few slow spells of half an hour or so, except in the last hours."""
    random, newest = Random(f"{SEED} {kind.slug}"), epoch_ms(now) - 6 * HOUR_MS
    starts = {random.randrange(1, days) for _ in range(random.randint(1, 4))}
    for day in sorted(starts, reverse=True):
        start = newest - day * DAY_MS + random.randrange(DAY_MS)
        yield Spell(start, start + random.randint(16, 45) * MINUTE_MS, "degraded")


def current_measurements(
    now: datetime, world_seed: int = SEED
) -> list[StatusRecordMeasurements]:
    """
    Return the batch of each probe for this minute.

    The probes agree with the operators: a service is slow or down while an active
    incident names it and no fix is in place, so that the page turns green soon after
    the incident is resolved.
    """
    ailing = _ailing(now)
    return [
        StatusRecordMeasurements(
            source=source,
            measurements=[
                _seen(kind, source, ailing.get(kind.slug, "operational"), now, seed)
                for kind in KINDS
                for seed in [f"{world_seed} {epoch_ms(now)} {kind.slug} {source}"]
            ],
        )
        for source in PROBES
    ]


def _seen(
    kind: Kind, source: str, status: MeasurementStatus, now: datetime, seed: str
) -> StatusMeasurement:
    time = response_time(kind, source, epoch_ms(now), status, Random(seed))
    return StatusMeasurement(
        slug=kind.slug,
        status=status,
        response_time_ms=time,
        observed_at=truncate_to_ms(now),
    )


def _ailing(now: datetime) -> dict[str, MeasurementStatus]:
    imposed: dict[str, list[Severity]] = defaultdict(list)
    for incident in incidents_since(now):
        if incident.is_active(now) and incident.status != "monitoring":
            for each in incident.services:
                imposed[each.slug].append(cast("Severity", incident.severity))
    return {slug: measured_in(worst_severity(each)) for slug, each in imposed.items()}
