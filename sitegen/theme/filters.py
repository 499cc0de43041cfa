"""Template filters: dates, numbers, states and uptime bars as text and HTML."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from markupsafe import Markup

from models.display_text import isolate
from models.status import formatting
from models.status.formatting import LESS_THAN_A_MINUTE, MONTHS
from sitegen.markdown.link_targets import LinkTarget, link_target
from sitegen.markdown.rendering import render, render_entry, resolve_links
from sitegen.status.charts import draw_uptime_bars

OVERALL_LABELS = {
    "operational": "All systems operational",
    "maintenance": "Maintenance in progress",
    "degraded": "Degraded performance",
    "unavailable": "Status data unavailable",
}

OUTSIDE = (LinkTarget.WEB, LinkTarget.MAIL, LinkTarget.FRAGMENT)
PERIOD_UNITS = {"h": "hours", "d": "days"}


def parse_utc(text: str) -> datetime:
    """Parse an ISO 8601 moment in UTC; a date is its midnight."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC)


def long_date(text: str) -> str:
    return formatting.long_date(parse_utc(text))


@lru_cache(maxsize=1024)
def short_date(text: str) -> str:
    return formatting.short_date(parse_utc(text))


def month_name(month: str) -> str:
    year, number = month.split("-")
    return f"{MONTHS[int(number) - 1]} {year}"


def clock_time(text: str) -> str:
    return formatting.clock_time(parse_utc(text))


def date_time(text: str) -> str:
    return formatting.date_time(parse_utc(text))


def duration(start: str, end: str) -> str:
    """Return the time from start to end, in its two largest units."""
    seconds = int((parse_utc(end) - parse_utc(start)).total_seconds())
    minutes = max(0, seconds) // 60
    hours, days = minutes // 60, minutes // 1440
    if days:
        return _units((days, "d"), (hours % 24, "h"))
    return _units((hours, "h"), (minutes % 60, "min")) or LESS_THAN_A_MINUTE


def percent(value: float | None) -> str:
    """Format a percentage; without samples there is none."""
    return "no data" if value is None else formatting.percent(value)


def number(value: int) -> str:
    return f"{value:,}"


def state_label(state: str | None) -> str:
    """Return the label of a state, a severity or a status."""
    return "No data" if state is None else state.replace("-", " ").capitalize()


def overall_label(state: str) -> str:
    return OVERALL_LABELS.get(state) or state_label(state)


def period_label(period: str) -> str:
    return f"{period[:-1]} {PERIOD_UNITS[period[-1]]}"


def days_summary(days: Iterable[Mapping[str, str | None]]) -> str:
    """Summarise uptime bars for screen readers: how many days had which state."""
    states = Counter(day["state"] for day in days)
    counts = {state_label(state).lower(): count for state, count in states.items()}
    # By label where counts are equal, so that equal days always give equal text.
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    parts = (
        f"{count} {'day' if count == 1 else 'days'} {label}" for label, count in ranked
    )
    return ", ".join(parts) or "no days yet"


def uptime_bars(days: Sequence[Mapping[str, Any]]) -> Markup:
    """Return the bars of the days; the title of each is its date and its text."""
    titles = [f"{short_date(day['date'])}: {day['words']}" for day in days]
    return draw_uptime_bars(days, titles)


def state_bar(state: str | None) -> Markup:
    return draw_uptime_bars([{"state": state}])


def uptime_rows(days: Sequence[Mapping[str, Any]]) -> Markup:
    """Return the table rows of the days, newest first; too many for a template."""
    return _rows(
        [
            f"{_time(day['date'])}</td><td>{day['words']}</td>"
            f"<td>{day['samples']:,}</td><td>{day['excluded']:,}"
            for day in reversed(days)
        ]
    )


def response_time_rows(points: Sequence[Mapping[str, Any]]) -> Markup:
    """Return the table rows of mean response times, newest first."""
    means = ((point["at"], point["ms"]) for point in reversed(points))
    return _rows(
        [
            f"{_time(at)}</td><td>{'not measured' if ms is None else f'{ms:,} ms'}"
            for at, ms in means
        ]
    )


def _rows(cells: Iterable[str]) -> Markup:
    rows = "\n".join(f"<tr><td>{row}</td></tr>" for row in cells)
    return Markup(rows)  # noqa: S704  contains only numbers and our own texts


@lru_cache(maxsize=1024)
def _time(text: str) -> str:
    """Return a date or a moment as an element; all services have the same."""
    formatted = date_time(text) if "T" in text else short_date(text)
    return f'<time datetime="{text}">{formatted}</time>'


def section_id(title: str) -> str:
    """Return the id of a section on the page of its collection."""
    return re.sub(r"\W+", "-", title.lower()).strip("-") or "section"


def markdown(text: str) -> Markup:
    """Render the text of an incident or a maintenance window as safe HTML."""
    return Markup(render_entry(text))  # noqa: S704  the renderer escapes HTML


# A long text takes a while, and is often looked at several times.
@lru_cache(maxsize=16)
def document(text: str) -> Markup:
    """Render a text that is no page of the site; only links to the web lead away."""
    rendered = render(text)
    body = resolve_links(rendered.html, rendered.links, _web_address)
    return Markup(body)  # noqa: S704  the renderer escapes and cleans HTML


def _web_address(target: str) -> str | None:
    return target if link_target(target) in OUTSIDE else None


def _units(*parts: tuple[int, str]) -> str:
    return " ".join(f"{amount} {unit}" for amount, unit in parts if amount)


FILTERS: dict[str, Callable[..., str]] = {
    function.__name__: function
    for function in (
        clock_time,
        date_time,
        days_summary,
        document,
        duration,
        isolate,
        long_date,
        markdown,
        month_name,
        number,
        overall_label,
        percent,
        period_label,
        response_time_rows,
        section_id,
        short_date,
        state_bar,
        state_label,
        uptime_bars,
        uptime_rows,
    )
}
