"""A day of a service as one word: the worst that was measured or declared. Pure."""

from collections.abc import Callable, Collection
from datetime import date
from functools import lru_cache
from typing import Any, NamedTuple

from models.status.state import Severity, State
from models.status.uptime.uptime import Counts

# From this share of a day's samples on, down is a major outage of the day.
MAJOR_SHARE = 0.5


class Day(NamedTuple):
    """What a day is judged by: its samples, and the severities of its incidents."""

    counts: Counts
    severities: Collection[Severity]
    in_maintenance: bool


class DayLine(NamedTuple):
    """One line of the rule, in words and in code; an incident of the state suffices."""

    when: str
    applies: Callable[[Day], bool]
    state: State


def down_from(share: float, state: State) -> DayLine:
    words = f"At least {share * 100:g} % of the samples were" if share else "Any was"
    return DayLine(
        f"{words} down",
        lambda day: 0 < day.counts.down >= share * day.counts.samples,
        state,
    )


# The rule, from worst to best: the first line that applies decides. Declared
# incidents and measurements are weighed alike. The page that explains the rule is
# made of these lines too.
LINES: tuple[DayLine, ...] = (
    down_from(MAJOR_SHARE, "major-outage"),
    down_from(0, "partial-outage"),
    DayLine("Any was degraded", lambda day: day.counts.degraded > 0, "degraded"),
    DayLine(
        "Maintenance touched the day", lambda day: day.in_maintenance, "maintenance"
    ),
    DayLine("There were samples", lambda day: day.counts.samples > 0, "operational"),
)


def day_state(
    counts: Counts, severities: Collection[Severity], *, in_maintenance: bool
) -> State | None:
    """Return the state a day is shown with, None where nothing is known of it."""
    day = Day(counts, severities, in_maintenance)
    for line in LINES:
        if line.state in severities or line.applies(day):
            return line.state
    return None


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
    return {
        "date": day.isoformat(),
        "state": state,
        "uptimePct": pct,
        "samples": counts.samples,
        "excluded": counts.excluded,
        "averageMs": counts.average_ms,
        "words": _words(state, pct),
    }


@lru_cache(maxsize=4096)
def _words(state: State | None, pct: float | None) -> str:
    """Most days of most services are told in the same words."""
    words = "No data" if state is None else state.replace("-", " ").capitalize()
    if pct is None:
        return words
    return words + (f", {pct:.3f} % uptime" if pct < 100 else ", 100 % uptime")
