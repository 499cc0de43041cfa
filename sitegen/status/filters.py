"""Template filters of the status pages: days, services and reasons in a language."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from markupsafe import Markup, escape

from models.display_text import balance_directions, isolate
from models.locales import Locale
from sitegen.status.charts import draw_bar, draw_bars, draw_sparkline

# An incident or a maintenance window: its address, and its title.
Event = tuple[str, str]
# How many days fit on a phone; the styles have this number too.
DAYS_ON_PHONES = 30
# How many services of an incident are named where its own page is a link away.
MAX_NAMED = 8


def status_filters(locale: Locale) -> dict[str, Callable[..., Any]]:
    """Return the filters whose result depends on the language."""

    def percent(value: float | None) -> str:
        """Format a percentage; without samples there is none."""
        return locale.text("uptime.no-data") if value is None else locale.percent(value)

    def state_label(state: str | None) -> str:
        """Return the label of a state, a severity or a status."""
        return locale.text(f"state.{state or 'no-data'}")

    def overall_label(state: str) -> str:
        return locale.text(f"overall.{state}")

    @lru_cache
    def checked_state_label(state: str) -> Markup:
        """Return the label of a state, and hidden how an out-of-date page says it."""
        label = state_label(state)
        old_label = escape(locale.text("state.when-last-checked", state=label))
        return Markup(  # noqa: S704  both are escaped
            f'<span class="when-fresh">{escape(label)}</span>'
            f'<span class="when-old" hidden>{old_label}</span>'
        )

    def days_summary(days: Iterable[Mapping[str, str | None]]) -> str:
        """Summarise uptime bars for screen readers: how many days had which state."""
        counts = Counter(state_label(day["state"]) for day in days)
        # By label where counts are equal, so that equal days always give equal text.
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        parts = [
            locale.text("bars.days-of-state", state=state, count=count)
            for state, count in ranked
        ]
        return "; ".join(parts)

    def describe(state: str | None, uptime_pct: float | None) -> str:
        """Describe a day by its state and its uptime."""
        label = state_label(state)
        if uptime_pct is None:
            return label
        uptime = locale.percent(uptime_pct)
        return locale.text("bars.day", state=label, percent=uptime)

    # Nearly all services have the same days with the same figures.
    @lru_cache(maxsize=4096)
    def bar(
        date: str,
        state: str | None,
        uptime_pct: float | None,
        events: tuple[Event, ...],
    ) -> str:
        label = describe(state, uptime_pct)
        label = locale.text("bars.dated", date=locale.short_date(date), day=label)
        return draw_bar(date, state, label, events)

    def uptime_bars(days: Sequence[Mapping[str, Any]], slug: str, name: str) -> Markup:
        """Return the bars of a service's days; `slug` is the name of the choice."""
        label = locale.text(
            "bars.label",
            name=isolate(name),
            count=len(days),
            summary=days_summary(days),
        )
        bars = [
            bar(day["date"], day["state"], day["uptimePct"], day["events"])
            for day in days
        ]
        return draw_bars(slug, balance_directions(label), bars)

    @lru_cache
    def bars_start(days: int) -> Markup:
        """Say how long ago the bars start, of which a phone shows the last in rows."""
        wide = locale.text("bars.days-ago", count=days)
        narrow = locale.text("bars.last-days", count=DAYS_ON_PHONES)
        return Markup(
            '<span class="is-wide">{}</span><span class="is-narrow">{}</span>'
        ).format(wide, narrow)

    @lru_cache(maxsize=1024)
    def uptime_figure(uptime_pct: float | None, measured: str | None) -> str:
        """Say an uptime, and of which part of its period there are data."""
        if uptime_pct is None:
            return locale.text("uptime.no-data")
        uptime = locale.percent(uptime_pct)
        if measured is None:
            return locale.text("uptime.percent", percent=uptime)
        return locale.text("uptime.percent-of-part", percent=uptime, part=measured)

    def sparkline(times: Mapping[str, Any]) -> Markup:
        """Return the response times of the latest hours as a small chart."""
        mean = milliseconds(times["meanMs"])
        label = locale.text("response.spark", count=times["hours"], mean=mean)
        return draw_sparkline(times["line"], label, mean)

    # Rows of tables have few texts, many times.
    @lru_cache(maxsize=4096)
    def cell(text: str) -> Markup:
        return escape(text)

    def uptime_rows(days: Sequence[Mapping[str, Any]]) -> Markup:
        """Return the table rows of the days, newest first; too many for a template."""
        return _rows(
            f"{time(day['date'])}</td><td>{cell(state_label(day['state']))}</td>"
            f"<td>{cell(percent(day['uptimePct']))}</td>"
            f"<td>{cell(locale.number(day['samples']))}</td>"
            f"<td>{cell(locale.number(day['excluded']))}"
            for day in reversed(days)
        )

    def response_time_rows(points: Sequence[Mapping[str, Any]]) -> Markup:
        """Return the table rows of mean response times, newest first."""
        none = cell(locale.text("response.not-measured"))
        return _rows(
            f"{time(point['at'])}</td><td>"
            f"{none if point['ms'] is None else cell(milliseconds(point['ms']))}"
            for point in reversed(points)
        )

    def milliseconds(value: int) -> str:
        return locale.text("response.milliseconds", value=value)

    @lru_cache(maxsize=1024)
    def time(text: str) -> str:
        """Return a date or a moment as an element; all services have the same."""
        shown = locale.date_time(text) if "T" in text else locale.short_date(text)
        return f'<time datetime="{text}">{escape(shown)}</time>'

    def join_markup(items: Iterable[str]) -> Markup:
        """Join the items as a list in a sentence, each escaped unless it is markup."""
        return Markup(locale.join_list([str(escape(item)) for item in items]))  # noqa: S704

    def service_names(
        services: Iterable[Mapping[str, Any]], href: str | None = None
    ) -> Markup:
        """Join the names of services; `href` is the page that has all, if not this."""
        names = [_isolated(service["name"]) for service in services]
        return join_markup(limit_names(names, href))

    def service_links(
        services: Iterable[Mapping[str, Any]], href: str | None = None
    ) -> Markup:
        """Join the names of services; those with a page are links."""
        return join_markup(limit_names([*map(_service_link, services)], href))

    def limit_names(names: list[Markup], href: str | None) -> list[Markup]:
        """Return the first names, and how many more are on the page at `href`."""
        if href is None or len(names) <= MAX_NAMED:
            return names
        others = locale.text("status.more-services", count=len(names) - MAX_NAMED)
        link = Markup('<a href="{}">{}</a>').format(href, others)
        return [*names[:MAX_NAMED], link]

    def join_links(hrefs: Mapping[str, str | None]) -> Markup:
        """Join links by their texts, without those that lead nowhere."""
        return join_markup(
            Markup('<a href="{}">{}</a>').format(href, text)
            for text, href in hrefs.items()
            if href
        )

    def affected_services(affected: Mapping[str, Any]) -> Markup:
        """Join the services that are not operational, each with its state."""
        text, more = escape(locale.pattern("status.affected-service")), []
        if affected["others"]:
            more = [locale.text("status.more-services", count=affected["others"])]
        named = [
            text.format(
                service=_service_link(service), state=state_label(service["state"])
            )
            for service in affected["services"]
        ]
        return join_markup([*named, *more])

    def missing_services(missing: Mapping[str, Any]) -> Markup:
        """Join the services without data, each with the time since when."""
        never = escape(locale.pattern("status.service-never"))
        since = escape(locale.pattern("status.service-since"))
        more = []
        if missing["others"]:
            more = [locale.text("status.more-services", count=missing["others"])]
        named = [
            since.format(service=_service_link(service), time=moment(service["since"]))
            if service["since"]
            else never.format(service=_service_link(service))
            for service in missing["services"]
        ]
        return join_markup([*named, *more])

    def moment(text: str, shown: str = "") -> Markup:
        """Return a moment as an element that a script shows in local time."""
        shown, style = (shown, "time") if shown else (locale.date_time(text), "")
        return Markup('<time datetime="{}" data-utc="{}">{}</time>').format(
            text, style, shown
        )

    def moment_with_age(text: str) -> Markup:
        """Return a moment to which a script adds how long ago it was."""
        return Markup('<time datetime="{}" data-utc="" data-ago>{}</time>').format(
            text, locale.date_time(text)
        )

    def short_moment(text: str, at: str | None) -> Markup:
        """Return a moment, without its date if that is the UTC date of `at`."""
        is_same_day = at is not None and text[:10] == at[:10]
        return moment(text, locale.clock_time(text)) if is_same_day else moment(text)

    filters: tuple[Callable[..., Any], ...] = (
        *(affected_services, bars_start, checked_state_label),
        *(join_markup, milliseconds, missing_services, moment, overall_label, percent),
        *(
            join_links,
            response_time_rows,
            service_links,
            moment_with_age,
            service_names,
            short_moment,
            sparkline,
        ),
        *(state_label, uptime_bars, uptime_figure, uptime_rows),
    )
    return {function.__name__: function for function in filters}


def _isolated(name: str) -> Markup:
    return Markup("<bdi>{}</bdi>").format(balance_directions(name))


def _service_link(service: Mapping[str, Any]) -> Markup:
    name = _isolated(service["name"])
    if not service["href"]:
        return name
    return Markup('<a href="{}">{}</a>').format(service["href"], name)


def _rows(cells: Iterable[str]) -> Markup:
    rows = "\n".join(f"<tr><td>{row}</td></tr>" for row in cells)
    return Markup(rows)  # noqa: S704  the cells are escaped
