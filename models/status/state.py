"""
The state of a service and of the whole: computed when asked for, never stored.

Pure functions: no row, no clock, no setting is read here. Decisions, section 5.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

State = Literal[
    "operational",
    "maintenance",
    "unknown",
    "degraded",
    "partial-outage",
    "major-outage",
]
Overall = Literal[
    "operational",
    "maintenance",
    "unavailable",
    "degraded",
    "partial-outage",
    "major-outage",
]
Severity = Literal["degraded", "partial-outage", "major-outage"]
Measured = Literal["operational", "degraded", "down"]

# From best to worst. An unknown service makes the whole unavailable, which is
# worse than maintenance: nobody has looked.
SEVERITIES: tuple[Severity, ...] = ("degraded", "partial-outage", "major-outage")
OVERALLS: tuple[Overall, ...] = (
    "operational",
    "maintenance",
    "unavailable",
    "degraded",
    "partial-outage",
    "major-outage",
)

# How far ahead of ours a caller's clock may be.
CLOCK_SKEW = timedelta(seconds=60)


class Reading(NamedTuple):
    """What one source last said of a service."""

    source: str
    status: Measured
    observed_at: datetime
    response_time_ms: int | None = None

    def is_fresh(self, now: datetime, freshness: timedelta) -> bool:
        return now - self.observed_at <= freshness

    def stale_from(self, freshness: timedelta) -> datetime:
        """The first instant, to the millisecond, at which it is stale."""
        return self.observed_at + freshness + timedelta(milliseconds=1)


@dataclass(frozen=True)
class Imposed:
    """An active incident, as a service it affects sees it."""

    severity: Severity
    title: str


@dataclass(frozen=True)
class Judgement:
    """A state, and what decided it, in words for a reader."""

    state: State
    reason: str


def worst_severity(severities: Collection[Severity]) -> Severity:
    return max(severities, key=SEVERITIES.index)


def judge(
    readings: Sequence[Reading],
    *,
    incidents: Sequence[Imposed] = (),
    windows: Sequence[str] = (),
    now: datetime,
    freshness: timedelta,
) -> Judgement:
    """
    Return the state of one service. The first line that applies decides.

    A person's word outranks a probe's, and a stale probe's word counts for
    nothing: without a fresh reading a service is unknown, never operational.
    `readings` holds the newest of each source, `windows` the titles of the
    maintenance under way.
    """
    if incidents:
        state = worst_severity([each.severity for each in incidents])
        deciding = next(each for each in incidents if each.severity == state)
        return Judgement(state, f"Incident: {deciding.title}")
    if windows:
        return Judgement("maintenance", f"Maintenance: {windows[0]}")
    fresh = [each for each in readings if each.is_fresh(now, freshness)]
    if not fresh:
        return Judgement("unknown", _why_unknown(readings))
    return _measured(fresh)


def _measured(fresh: Sequence[Reading]) -> Judgement:
    down = sum(each.status == "down" for each in fresh)
    degraded = sum(each.status == "degraded" for each in fresh)
    state: State = "operational"
    if down == len(fresh):
        state = "major-outage"
    elif 2 * down >= len(fresh):
        state = "partial-outage"
    elif down or degraded:
        state = "degraded"
    return Judgement(state, _why_measured(fresh, down, degraded))


def _why_measured(fresh: Sequence[Reading], down: int, degraded: int) -> str:
    newest = max(each.observed_at for each in fresh)
    count, word = down or degraded or len(fresh), "operational"
    if down or degraded:
        word = "down" if down else "degraded"
    probes = "probe" if len(fresh) == 1 else "probes"
    return f"{count} of {len(fresh)} {probes} {word} at {newest:%H:%M}Z"


def _why_unknown(readings: Sequence[Reading]) -> str:
    if not readings:
        return "No measurement yet"
    newest = max(each.observed_at for each in readings)
    return f"No measurement since {newest:%Y-%m-%d %H:%M}Z"


def overall_of(states: Iterable[State], *, stale: bool) -> Overall:
    """
    Return the worst of the services' states, as the state of the whole.

    Without services, or with stale data, it is at least unavailable.
    """
    found: list[Overall] = [
        "unavailable" if state == "unknown" else state for state in states
    ]
    if stale or not found:
        found.append("unavailable")
    return max(found, key=OVERALLS.index)


def next_change(
    *,
    readings: Iterable[Reading],
    boundaries: Iterable[datetime],
    now: datetime,
    freshness: timedelta,
) -> datetime | None:
    """
    Return the next instant at which a state can change without a write.

    That is when a fresh reading goes stale, or at a boundary: the start or end
    of a window, the start of an incident dated ahead.
    """
    stale = (each.stale_from(freshness) for each in readings)
    coming = [at for at in (*stale, *boundaries) if at > now]
    return min(coming, default=None)
