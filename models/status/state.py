"""
The state of a service and of the whole: computed when asked for, never stored.

Pure functions: no row, no clock, no setting is read here. Decisions, section 5.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, NamedTuple, get_args

State = Literal[
    "operational",
    "maintenance",
    "unknown",
    "degraded",
    "partial-outage",
    "major-outage",
]
STATES: tuple[State, ...] = get_args(State)
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

# From which share of its sources on a service that they call down is out.
OUTAGES: tuple[tuple[float, State], ...] = (
    (1, "major-outage"),
    (0.5, "partial-outage"),
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


@dataclass(frozen=True)
class Facts:
    """What a state is judged by: of readings, the newest of each source."""

    readings: Sequence[Reading]
    fresh: Sequence[Reading]
    incidents: Sequence[Imposed]
    windows: Sequence[str]

    def said(self, *words: Measured) -> int:
        """Return how many sources now say one of these words."""
        return sum(each.status in words for each in self.fresh)


def _why_incident(facts: Facts) -> str:
    worst = worst_severity([each.severity for each in facts.incidents])
    deciding = next(each for each in facts.incidents if each.severity == worst)
    return f"Incident: {deciding.title}"


def _why_window(facts: Facts) -> str:
    return f"Maintenance: {facts.windows[0]}"


def _why_unknown(facts: Facts) -> str:
    if not facts.readings:
        return "No measurement yet"
    newest = max(each.observed_at for each in facts.readings)
    return f"No measurement since {newest:%Y-%m-%d %H:%M}Z"


def _why_measured(facts: Facts) -> str:
    newest = max(each.observed_at for each in facts.fresh)
    worse: tuple[Measured, ...] = ("down", "degraded")
    word: Measured = next((each for each in worse if facts.said(each)), "operational")
    probes = "probe" if len(facts.fresh) == 1 else "probes"
    count = f"{facts.said(word)} of {len(facts.fresh)} {probes}"
    return f"{count} {word} at {newest:%H:%M}Z"


class Line(NamedTuple):
    """
    One line of the rule: when it applies, in words and in code, and what follows.

    Without a state of its own it is the worst severity among the incidents.
    """

    when: str
    applies: Callable[[Facts], bool]
    state: State | None
    why: Callable[[Facts], str]


def down_from(share: float, state: State) -> Line:
    words = "All" if share == 1 else f"At least {share * 100:g} %"
    return Line(
        f"{words} of its sources say that it is down",
        lambda facts: facts.said("down") >= share * len(facts.fresh),
        state,
        _why_measured,
    )


# The rule: the first line that applies decides. The page that explains it is made
# of these lines too. A person's word outranks a probe's, and old news counts for
# nothing: without a fresh reading a service is unknown, never operational.
LINES: tuple[Line, ...] = (
    Line(
        "An active incident affects it",
        lambda facts: bool(facts.incidents),
        None,
        _why_incident,
    ),
    Line(
        "Maintenance of it is under way",
        lambda facts: bool(facts.windows),
        "maintenance",
        _why_window,
    ),
    Line(
        "No measurement of it is fresh",
        lambda facts: not facts.fresh,
        "unknown",
        _why_unknown,
    ),
    *(down_from(share, state) for share, state in OUTAGES),
    Line(
        "Any of its sources says that it is down or degraded",
        lambda facts: facts.said("down", "degraded") > 0,
        "degraded",
        _why_measured,
    ),
    Line("Otherwise", lambda _: True, "operational", _why_measured),
)


def judge(
    readings: Sequence[Reading],
    *,
    incidents: Sequence[Imposed] = (),
    windows: Sequence[str] = (),
    now: datetime,
    freshness: timedelta,
) -> Judgement:
    """
    Return the state of one service. The first of the LINES that applies decides.

    `readings` holds the newest of each source, `windows` the titles of the
    maintenance under way.
    """
    fresh = [each for each in readings if each.is_fresh(now, freshness)]
    facts = Facts(readings, fresh, incidents, windows)
    line = next(each for each in LINES if each.applies(facts))
    state = line.state or worst_severity([each.severity for each in incidents])
    return Judgement(state, line.why(facts))


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
