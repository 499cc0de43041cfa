"""A day of a service as one word: the worst that was measured or declared. Pure."""

from collections.abc import Collection
from datetime import date
from typing import Any

from models.status.state import Severity, State, worst_severity
from models.status.uptime import Counts

# From this share of a day's samples on, down is a major outage of the day.
MAJOR_SHARE = 0.5


def day_state(
    counts: Counts, severities: Collection[Severity], *, in_maintenance: bool
) -> State | None:
    """
    Return the state a day is shown with, None where nothing is known of it.

    Declared incidents and measurements are weighed alike and the worst counts;
    maintenance shows on a day without anything worse.
    """
    found = list(severities)
    if counts.down:
        is_major = counts.down >= MAJOR_SHARE * counts.samples
        found.append("major-outage" if is_major else "partial-outage")
    elif counts.degraded:
        found.append("degraded")
    if found:
        return worst_severity(found)
    if in_maintenance:
        return "maintenance"
    return "operational" if counts.samples else None


def told_day(
    day: date,
    counts: Counts,
    severities: Collection[Severity],
    *,
    in_maintenance: bool,
) -> dict[str, Any]:
    """Return a day in the words that templates and the static JSON use."""
    state = day_state(counts, severities, in_maintenance=in_maintenance)
    pct = counts.uptime_pct
    words = "No data" if state is None else state.replace("-", " ").capitalize()
    if pct is not None:
        words += f", {pct:.3f} % uptime" if pct < 100 else ", 100 % uptime"
    return {
        "date": day.isoformat(),
        "state": state,
        "uptimePct": pct,
        "samples": counts.samples,
        "excluded": counts.excluded,
        "averageMs": counts.average_ms,
        "words": words,
    }
