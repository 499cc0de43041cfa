"""The words templates put for instants, states and numbers: equal data, equal text."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any

from markupsafe import Markup

from sitegen.markdown.parser import render_entry
from sitegen.status.charts import bars

# Written out, since strftime follows the locale of whoever runs the build.
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)

OVERALL_WORDS = {
    "operational": "All systems operational",
    "maintenance": "Maintenance under way",
    "degraded": "Degraded performance",
    "unavailable": "Status data unavailable",
}

PERIOD_UNITS = {"h": "hours", "d": "days"}


def instant(text: str) -> datetime:
    """Read an ISO instant; a bare date is its first moment in UTC."""
    read = datetime.fromisoformat(text)
    return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)


def day(text: str) -> str:
    return _day(instant(text).date(), 9)


@lru_cache(maxsize=1024)
def short_day(text: str) -> str:
    return _day(instant(text).date(), 3)


def month_words(month: str) -> str:
    year, number = month.split("-")
    return f"{MONTHS[int(number) - 1]} {year}"


def clock(text: str) -> str:
    at = instant(text)
    return f"{at.hour:02}:{at.minute:02} UTC"


def moment(text: str) -> str:
    return f"{short_day(text)}, {clock(text)}"


def duration(start: str, end: str) -> str:
    """Say how long it is from start to end, in its two largest units."""
    minutes = max(0, int((instant(end) - instant(start)).total_seconds())) // 60
    hours, days = minutes // 60, minutes // 1440
    if days:
        return _units((days, "d"), (hours % 24, "h"))
    return _units((hours, "h"), (minutes % 60, "min")) or "under a minute"


def pct(value: float | None) -> str:
    """Three decimals, as computed; a round hundred carries none."""
    if value is None:
        return "no data"
    return "100 %" if value == 100 else f"{value:.3f} %"


def number(value: int) -> str:
    return f"{value:,}"


def state_words(word: str | None) -> str:
    """Say any word of the specification (a state, a status) as a person would."""
    return "No data" if word is None else word.replace("-", " ").capitalize()


def overall_words(word: str) -> str:
    return OVERALL_WORDS.get(word) or state_words(word)


def period_words(period: str) -> str:
    return f"{period[:-1]} {PERIOD_UNITS[period[-1]]}"


def days_words(days: Iterable[Mapping[str, str | None]]) -> str:
    """Sum up a row of day bars for those who do not see them."""
    states = Counter(day["state"] for day in days)
    counted = {state_words(state).lower(): n for state, n in states.items()}
    # The count first, then the word: equal rows give equal text.
    ranked = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    said = (f"{n} {'day' if n == 1 else 'days'} {word}" for word, n in ranked)
    return ", ".join(said) or "no days yet"


def day_bars(days: Sequence[Mapping[str, Any]]) -> Markup:
    return bars(days, [f"{short_day(day['date'])}: {day['words']}" for day in days])


def day_rows(days: Sequence[Mapping[str, Any]]) -> Markup:
    """Return the table of the days, newest first: rows as bars are, without Jinja."""
    return _rows(
        [
            f"{_time(day['date'])}</td><td>{day['words']}</td>"
            f"<td>{day['samples']:,}</td><td>{day['excluded']:,}"
            for day in reversed(days)
        ]
    )


def mean_rows(points: Sequence[Mapping[str, Any]]) -> Markup:
    """Return the table of response times, newest first."""
    means = ((each["at"], each["ms"]) for each in reversed(points))
    return _rows(
        [
            f"{_time(at)}</td><td>{'not measured' if ms is None else f'{ms:,} ms'}"
            for at, ms in means
        ]
    )


def _rows(cells: Iterable[str]) -> Markup:
    told = "\n".join(f"<tr><td>{each}</td></tr>" for each in cells)
    return Markup(told)  # noqa: S704  nothing but our own words and numbers


@lru_cache(maxsize=1024)
def _time(at: str) -> str:
    """Return a day or an instant; all services have the same."""
    words = moment(at) if "T" in at else short_day(at)
    return f'<time datetime="{at}">{words}</time>'


def state_bar(state: str | None) -> Markup:
    return bars([{"state": state}])


def anchor(text: str) -> str:
    """Make the id under which a section stands on its collection's page."""
    return re.sub(r"\W+", "-", text.lower()).strip("-") or "section"


def said(text: str) -> Markup:
    """What somebody wrote of an incident or a window, as safe HTML."""
    return Markup(render_entry(text))  # noqa: S704  the renderer lets no HTML through


def _day(date: date, letters: int) -> str:
    return f"{date.day} {MONTHS[date.month - 1][:letters]} {date.year}"


def _units(*parts: tuple[int, str]) -> str:
    return " ".join(f"{amount} {unit}" for amount, unit in parts if amount)


FILTERS: dict[str, Callable[..., str]] = {
    "anchor": anchor,
    "clock": clock,
    "day": day,
    "day_bars": day_bars,
    "day_rows": day_rows,
    "days_words": days_words,
    "duration": duration,
    "mean_rows": mean_rows,
    "moment": moment,
    "month_words": month_words,
    "number": number,
    "overall_words": overall_words,
    "pct": pct,
    "said": said,
    "period_words": period_words,
    "short_day": short_day,
    "state_bar": state_bar,
    "state_words": state_words,
}
