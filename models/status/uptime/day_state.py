"""Compute the state and the text that the status page shows for a day of a service."""

from collections.abc import Callable, Collection
from datetime import date
from functools import lru_cache
from typing import Any, NamedTuple

from models.status.formatting import percent
from models.status.state import Severity, State
from models.status.uptime.uptime import Counts

# The share of a day's samples that must be down for a major outage.
MAJOR_OUTAGE_THRESHOLD = 0.5


class DayFacts(NamedTuple):
    """What the rules decide on: the day's counts, incidents and maintenance."""

    counts: Counts
    severities: Collection[Severity]
    in_maintenance: bool


class DayRule(NamedTuple):
    """One rule, in words and in code; an incident of the state applies it too."""

    condition: str
    applies: Callable[[DayFacts], bool]
    state: State


def outage_rule(threshold: float, state: State) -> DayRule:
    """Return the rule that yields `state` from this share of down samples on."""
    samples = (
        f"At least {percent(threshold * 100)} of the samples were"
        if threshold
        else "Any sample was"
    )
    return DayRule(
        f"{samples} down",
        lambda day: 0 < day.counts.down >= threshold * day.counts.samples,
        state,
    )


# The first rule that applies decides, from worst to best. Declared incidents and
# measurements weigh the same. The page that explains the states is generated from
# these rules.
DAY_RULES: tuple[DayRule, ...] = (
    outage_rule(MAJOR_OUTAGE_THRESHOLD, "major-outage"),
    outage_rule(0, "partial-outage"),
    DayRule("Any sample was degraded", lambda day: day.counts.degraded > 0, "degraded"),
    DayRule("Maintenance took place", lambda day: day.in_maintenance, "maintenance"),
    DayRule("There were samples", lambda day: day.counts.samples > 0, "operational"),
)


def day_state(
    counts: Counts, severities: Collection[Severity], *, in_maintenance: bool
) -> State | None:
    """Return the state of a day, None if there is no data."""
    facts = DayFacts(counts, severities, in_maintenance)
    for rule in DAY_RULES:
        if rule.state in severities or rule.applies(facts):
            return rule.state
    return None


def day_to_json(
    day: date,
    counts: Counts,
    severities: Collection[Severity],
    *,
    in_maintenance: bool,
) -> dict[str, Any]:
    """Return a day as the templates and the published JSON have it."""
    state = day_state(counts, severities, in_maintenance=in_maintenance)
    pct = counts.uptime_pct
    return {
        "date": day.isoformat(),
        "state": state,
        "uptimePct": pct,
        "samples": counts.samples,
        "excluded": counts.excluded,
        "averageMs": counts.average_ms,
        "words": _description(state, pct),
    }


# Most days of most services have the same description.
@lru_cache(maxsize=4096)
def _description(state: State | None, pct: float | None) -> str:
    description = "No data" if state is None else state.replace("-", " ").capitalize()
    if pct is None:
        return description
    return f"{description}, {percent(pct)} uptime"
