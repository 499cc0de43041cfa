"""Compute the state that the status page shows for a day of a service."""

from collections.abc import Callable, Collection
from datetime import date
from typing import Any, NamedTuple

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
    """
    One rule: its name, its condition and the state; an incident of the state applies
    it too. Pages describe the condition by the name, and by the threshold if there is
    one.
    """

    name: str
    applies: Callable[[DayFacts], bool]
    state: State
    threshold: float | None = None


def outage_rule(threshold: float, state: State) -> DayRule:
    """Return the rule that yields `state` from this share of down samples on."""
    return DayRule(
        "share-down" if threshold else "any-down",
        lambda day: 0 < day.counts.down >= threshold * day.counts.samples,
        state,
        threshold,
    )


# The first rule that applies decides, from worst to best. Declared incidents and
# measurements weigh the same. The page that explains the states is generated from
# these rules.
DAY_RULES: tuple[DayRule, ...] = (
    outage_rule(MAJOR_OUTAGE_THRESHOLD, "major-outage"),
    outage_rule(0, "partial-outage"),
    DayRule("any-degraded", lambda day: day.counts.degraded > 0, "degraded"),
    DayRule("maintenance", lambda day: day.in_maintenance, "maintenance"),
    DayRule("any", lambda day: day.counts.samples > 0, "operational"),
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
    """Return a day as the templates have it."""
    return {
        "date": day.isoformat(),
        "state": day_state(counts, severities, in_maintenance=in_maintenance),
        "uptimePct": counts.uptime_pct,
        "samples": counts.samples,
        "excluded": counts.excluded,
        "averageMs": counts.average_ms,
    }
