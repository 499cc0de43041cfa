"""
Compute the state of a service and the overall state.

States are computed on request and never stored. The functions are pure: they read
no rows, no clock and no settings.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple, TypeVar, get_args

from models.status.formatting import clock_time, date_time

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
IncidentStatus = Literal["investigating", "identified", "monitoring", "resolved"]
MeasurementStatus = Literal["operational", "degraded", "down"]
ReasonKind = Literal["incident", "maintenance", "never-measured", "no-data", "measured"]

T = TypeVar("T")

STATES: tuple[State, ...] = get_args(State)
# From best to worst. Unavailable is worse than maintenance, because an unknown
# service may be down.
OVERALL_STATES: tuple[Overall, ...] = get_args(Overall)
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
INCIDENT_STATUSES: tuple[IncidentStatus, ...] = get_args(IncidentStatus)

# The share of a service's fresh sources that must report down for each outage.
OUTAGE_THRESHOLDS: tuple[tuple[float, State], ...] = (
    (1, "major-outage"),
    (0.5, "partial-outage"),
)

# How far a client's clock may be ahead of ours.
MAX_CLOCK_SKEW = timedelta(seconds=60)


class Reading(NamedTuple):
    """The newest measurement of a service by one source."""

    source: str
    status: MeasurementStatus
    observed_at: datetime
    response_time_ms: int | None = None

    def is_fresh(self, now: datetime, freshness: timedelta) -> bool:
        return now - self.observed_at <= freshness

    def stale_at(self, freshness: timedelta) -> datetime:
        """Return the first millisecond at which the reading is stale."""
        return self.observed_at + freshness + timedelta(milliseconds=1)


@dataclass(frozen=True)
class ActiveIncident:
    """An active incident that affects the service."""

    severity: Severity
    title: str
    id: str


@dataclass(frozen=True)
class ActiveMaintenance:
    """A maintenance window of the service that is in progress."""

    title: str
    id: str


@dataclass(frozen=True)
class Reason:
    """
    What decided the state of a service.

    Pages say it in the language of the site; as a string it is in English.
    """

    kind: ReasonKind
    # Of an incident or of maintenance.
    subject: ActiveIncident | ActiveMaintenance | None = None
    # When the newest measurement was taken.
    at: datetime | None = None
    # The worst status that was measured, how many sources reported it, and of how many.
    status: MeasurementStatus | None = None
    reports: int = 0
    sources: int = 0

    def __str__(self) -> str:
        if self.subject:
            return f"{self.kind.capitalize()}: {self.subject.title}"
        if self.at is None:
            return "Never measured"
        moment = self.at.astimezone(UTC)
        if self.kind == "no-data":
            return f"No data since {date_time(moment)}"
        probes = "probe" if self.sources == 1 else "probes"
        share = f"{self.reports} of {self.sources} {probes}"
        return f"{share} {self.status} at {clock_time(moment)}"


@dataclass(frozen=True)
class ServiceState:
    """A state and the reason for it, as shown to readers."""

    state: State
    reason: Reason


@dataclass(frozen=True)
class Facts:
    """What the rules decide on; `fresh` are those of the readings that are fresh."""

    readings: Sequence[Reading]
    fresh: Sequence[Reading]
    incidents: Sequence[ActiveIncident]
    maintenance: Sequence[ActiveMaintenance]

    def count(self, *statuses: MeasurementStatus) -> int:
        """Return how many fresh readings have one of the statuses."""
        return sum(reading.status in statuses for reading in self.fresh)


class Rule(NamedTuple):
    """
    One rule: its name, its condition, the state, and the reason.

    A rule without a state yields the worst severity of the active incidents. Pages
    describe the condition by the name, and by the threshold if there is one.
    """

    name: str
    applies: Callable[[Facts], bool]
    state: State | None
    reason: Callable[[Facts], Reason]
    threshold: float | None = None


def worst_first(incidents: Iterable[T], severity_of: Callable[[T], str]) -> list[T]:
    """Return incidents in the order of their severities; the others keep theirs."""
    ranks: Sequence[str] = SEVERITIES
    return sorted(incidents, key=lambda i: ranks.index(severity_of(i)), reverse=True)


def worst_severity(severities: Collection[Severity]) -> Severity:
    return max(severities, key=SEVERITIES.index)


def _incident_reason(facts: Facts) -> Reason:
    worst = worst_severity([incident.severity for incident in facts.incidents])
    decisive = next(i for i in facts.incidents if i.severity == worst)
    return Reason("incident", decisive)


def _unknown_reason(facts: Facts) -> Reason:
    if not facts.readings:
        return Reason("never-measured")
    newest = max(reading.observed_at for reading in facts.readings)
    return Reason("no-data", at=newest)


def _measurement_reason(facts: Facts) -> Reason:
    newest = max(reading.observed_at for reading in facts.fresh)
    worst_first: tuple[MeasurementStatus, ...] = ("down", "degraded", "operational")
    worst = next(status for status in worst_first if facts.count(status))
    return Reason(
        "measured",
        at=newest,
        status=worst,
        reports=facts.count(worst),
        sources=len(facts.fresh),
    )


def outage_rule(threshold: float, state: State) -> Rule:
    """Return the rule that yields `state` from this share of down sources on."""
    return Rule(
        "all-down" if threshold == 1 else "share-down",
        lambda facts: facts.count("down") >= threshold * len(facts.fresh),
        state,
        _measurement_reason,
        threshold,
    )


# The first rule that applies decides. Incidents and maintenance, which people
# declare, outrank measurements. Without a fresh reading a service is unknown, never
# operational. The page that explains the states is generated from these rules.
RULES: tuple[Rule, ...] = (
    Rule(
        "incident",
        lambda facts: bool(facts.incidents),
        None,
        _incident_reason,
    ),
    Rule(
        "maintenance",
        lambda facts: bool(facts.maintenance),
        "maintenance",
        lambda facts: Reason("maintenance", facts.maintenance[0]),
    ),
    Rule(
        "no-data",
        lambda facts: not facts.fresh,
        "unknown",
        _unknown_reason,
    ),
    *(outage_rule(threshold, state) for threshold, state in OUTAGE_THRESHOLDS),
    Rule(
        "any-not-operational",
        lambda facts: facts.count("down", "degraded") > 0,
        "degraded",
        _measurement_reason,
    ),
    Rule("otherwise", lambda _: True, "operational", _measurement_reason),
)


def service_state(
    readings: Sequence[Reading],
    *,
    incidents: Sequence[ActiveIncident] = (),
    maintenance: Sequence[ActiveMaintenance] = (),
    now: datetime,
    freshness: timedelta,
) -> ServiceState:
    """
    Return the state of one service. The first of the RULES that applies decides.

    `readings` holds the newest reading of each source, `incidents` and `maintenance`
    what is active.
    """
    fresh = [reading for reading in readings if reading.is_fresh(now, freshness)]
    facts = Facts(readings, fresh, incidents, maintenance)
    rule = next(rule for rule in RULES if rule.applies(facts))
    state = rule.state or worst_severity([i.severity for i in incidents])
    return ServiceState(state, rule.reason(facts))


def worst_state(states: Iterable[State]) -> State:
    return max(states, key=STATES.index)


def overall_state(states: Iterable[State], *, stale: bool) -> Overall:
    """
    Return the worst of the services' states, where unknown counts as unavailable.

    Without services or with stale data the overall state is at least unavailable.
    """
    candidates: list[Overall] = [
        "unavailable" if state == "unknown" else state for state in states
    ]
    if stale or not candidates:
        candidates.append("unavailable")
    return max(candidates, key=OVERALL_STATES.index)


def next_change(
    *,
    readings: Iterable[Reading],
    boundaries: Iterable[datetime],
    now: datetime,
    freshness: timedelta,
) -> datetime | None:
    """
    Return the next time at which a state can change without a write, or None.

    That is when a fresh reading goes stale, or one of the boundaries: the start or
    end of a maintenance window, or the start of an incident in the future.
    """
    stale_times = (reading.stale_at(freshness) for reading in readings)
    upcoming = [at for at in (*stale_times, *boundaries) if at > now]
    return min(upcoming, default=None)
