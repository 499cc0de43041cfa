"""Template filters and functions: texts of a language, dates, states, uptime bars."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from markupsafe import Markup, escape

from models.display_text import isolate
from models.locales import Locale
from sitegen.markdown.link_targets import LinkTarget, link_target
from sitegen.markdown.rendering import render, render_entry, resolve_links
from sitegen.markdown.texts import insert_texts
from sitegen.status.charts import draw_uptime_bars

OUTSIDE = (LinkTarget.WEB, LinkTarget.MAIL, LinkTarget.FRAGMENT)
PERIOD_UNITS = {"h": "hours", "d": "days"}


def translator(locale: Locale) -> Callable[..., Markup]:
    """
    Return the function `t` of templates: a text of the language as safe HTML.

    Values are escaped unless they are markup, such as a link that a template has made.
    """

    @cache
    def pattern(text: str) -> Markup:
        return escape(text)

    def t(name: str, /, **values: Any) -> Markup:
        text = pattern(locale.pattern(name, values.get("count")))
        return text.format_map(locale.display(values)) if values else text

    return t


def locale_filters(locale: Locale) -> dict[str, Callable[..., Any]]:
    """Return the filters of templates whose result depends on the language."""

    def percent(value: float | None) -> str:
        """Format a percentage; without samples there is none."""
        return locale.text("uptime.no-data") if value is None else locale.percent(value)

    def state_label(state: str | None) -> str:
        """Return the label of a state, a severity or a status."""
        return locale.text(f"state.{state or 'no-data'}")

    def overall_label(state: str) -> str:
        return locale.text(f"overall.{state}")

    def days_summary(days: Iterable[Mapping[str, str | None]]) -> str:
        """Summarise uptime bars for screen readers: how many days had which state."""
        counts = Counter(state_label(day["state"]) for day in days)
        # By label where counts are equal, so that equal days always give equal text.
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        parts = [
            locale.text("bars.days-of-state", state=state, count=count)
            for state, count in ranked
        ]
        return "; ".join(parts) or locale.text("bars.no-days")

    # Most days of most services have the same description.
    @lru_cache(maxsize=4096)
    def describe(state: str | None, uptime_pct: float | None) -> str:
        """Describe a day by its state and its uptime."""
        label = state_label(state)
        if uptime_pct is not None:
            text = locale.percent(uptime_pct)
            label = locale.text("bars.day", state=label, percent=text)
        return label

    def uptime_bars(days: Sequence[Mapping[str, Any]]) -> Markup:
        """Return the bars of the days; the title of each is its date and its text."""
        words = (describe(day["state"], day["uptimePct"]) for day in days)
        dates = (locale.short_date(day["date"]) for day in days)
        titles = [f"{date}: {text}" for date, text in zip(dates, words, strict=True)]
        return draw_uptime_bars(days, titles)

    def uptime_rows(days: Sequence[Mapping[str, Any]]) -> Markup:
        """Return the table rows of the days, newest first; too many for a template."""
        return _rows(
            f"{time(day['date'])}</td>"
            f"<td>{escape(describe(day['state'], day['uptimePct']))}</td>"
            f"<td>{locale.number(day['samples'])}</td>"
            f"<td>{locale.number(day['excluded'])}"
            for day in reversed(days)
        )

    def response_time_rows(points: Sequence[Mapping[str, Any]]) -> Markup:
        """Return the table rows of mean response times, newest first."""
        none = locale.text("response.not-measured")
        return _rows(
            f"{time(point['at'])}</td><td>"
            f"{none if point['ms'] is None else milliseconds(point['ms'])}"
            for point in reversed(points)
        )

    def milliseconds(value: int) -> str:
        return locale.text("response.milliseconds", value=value)

    def markdown(text: str) -> Markup:
        """Render the text of an incident or a maintenance window as safe HTML."""
        return Markup(render_entry(text, locale))  # noqa: S704  it escapes HTML

    # A long text takes a while, and is often looked at several times.
    @lru_cache(maxsize=16)
    def document(text: str) -> Markup:
        """Render a text that is no page; only links to the web lead away."""
        rendered = render(text)
        body = resolve_links(rendered.html, rendered.links, _web_address)
        return Markup(insert_texts(body, locale))  # noqa: S704  the renderer escapes

    @lru_cache(maxsize=1024)
    def time(text: str) -> str:
        """Return a date or a moment as an element; all services have the same."""
        shown = locale.date_time(text) if "T" in text else locale.short_date(text)
        return f'<time datetime="{text}">{shown}</time>'

    return _by_name(
        locale.clock_time,
        locale.date_time,
        days_summary,
        document,
        locale.duration,
        locale.join_list,
        locale.long_date,
        markdown,
        milliseconds,
        locale.month_name,
        locale.number,
        overall_label,
        percent,
        response_time_rows,
        locale.short_date,
        state_label,
        uptime_bars,
        uptime_rows,
    ) | {"period_label": lambda period: period_label(locale, period)}


def period_label(locale: Locale, period: str) -> str:
    """Return the length of a period such as 24h or 90d in words."""
    return locale.text(f"duration.{PERIOD_UNITS[period[-1]]}", count=int(period[:-1]))


def _rows(cells: Iterable[str]) -> Markup:
    rows = "\n".join(f"<tr><td>{row}</td></tr>" for row in cells)
    return Markup(rows)  # noqa: S704  contains only numbers and our own texts


def state_bar(state: str | None) -> Markup:
    return draw_uptime_bars([{"state": state}])


def section_id(title: str) -> str:
    """Return the id of a section on the page of its collection."""
    return re.sub(r"\W+", "-", title.lower()).strip("-") or "section"


def _web_address(target: str) -> str | None:
    return target if link_target(target) in OUTSIDE else None


def _by_name(*functions: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    return {function.__name__: function for function in functions}


# Those whose result is the same in every language.
FILTERS = _by_name(isolate, section_id, state_bar)
