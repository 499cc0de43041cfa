"""Show what was measured: as bars of days, as small charts, and as rows of tables."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from markupsafe import Markup, escape

from models.display_text import balance_directions, isolate
from sitegen.status.charts import draw_bar, draw_bars, draw_sparkline
from sitegen.status.filters.labels import Moments, StateLabels

# How many days fit on a phone; the styles have this number too.
DAYS_ON_PHONES = 30


class DayBars:
    """The days and the response times of services."""

    def __init__(self, labels: StateLabels, moments: Moments) -> None:
        self._labels, self._locale = labels, labels.locale
        self._utc_time = moments.utc_time
        # Nearly all services have the same days with the same figures, but each has
        # events of its own.
        self._label = lru_cache(maxsize=4096)(self._create_label)
        # Rows of tables have few texts, many times.
        self._cell = lru_cache(maxsize=4096)(escape)
        self.bars_start = lru_cache(self._bars_start)

    def uptime_bars(
        self, days: Sequence[Mapping[str, Any]], slug: str, name: str
    ) -> Markup:
        """Return the bars of a service's days; `slug` is the name of the choice."""
        label = self._locale.text(
            "bars.label",
            name=isolate(name),
            count=len(days),
            summary=self._summarise(days),
        )
        bars = [
            draw_bar(
                day["date"],
                day["state"],
                self._label(day["date"], day["state"], day["uptimePct"]),
                day["events"],
            )
            for day in days
        ]
        return draw_bars(slug, balance_directions(label), bars)

    def sparkline(self, times: Mapping[str, Any]) -> Markup:
        """Return the response times of the latest hours as a small chart."""
        mean = self._labels.milliseconds(times["meanMs"])
        label = self._locale.text("response.spark", count=times["hours"], mean=mean)
        return draw_sparkline(times["line"], label, mean)

    def uptime_rows(self, days: Sequence[Mapping[str, Any]]) -> Markup:
        """Return the table rows of the days, newest first; too many for a template."""
        cell, labels, number = self._cell, self._labels, self._locale.number
        return _rows(
            (
                self._utc_time(day["date"]),
                cell(labels.state_label(day["state"])),
                cell(labels.percent(day["uptimePct"])),
                cell(number(day["samples"])),
                cell(number(day["excluded"])),
            )
            for day in reversed(days)
        )

    def response_time_rows(self, points: Sequence[Mapping[str, Any]]) -> Markup:
        """Return the table rows of mean response times, newest first."""
        none = self._locale.text("response.not-measured")
        milliseconds = self._labels.milliseconds
        return _rows(
            (
                self._utc_time(point["at"]),
                self._cell(none if point["ms"] is None else milliseconds(point["ms"])),
            )
            for point in reversed(points)
        )

    def _bars_start(self, days: int) -> Markup:
        """Say how long ago the bars start, of which a phone shows the last in rows."""
        wide = self._locale.text("bars.days-ago", count=days)
        narrow = self._locale.text("bars.last-days", count=DAYS_ON_PHONES)
        return Markup(
            '<span class="is-wide">{}</span><span class="is-narrow">{}</span>'
        ).format(wide, narrow)

    def _summarise(self, days: Iterable[Mapping[str, str | None]]) -> str:
        """Say for screen readers how many days had which state."""
        counts = Counter(self._labels.state_label(day["state"]) for day in days)
        # By label where counts are equal, so that equal days always give equal text.
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return "; ".join(
            self._locale.text("bars.days-of-state", state=state, count=count)
            for state, count in ranked
        )

    def _create_label(
        self, date: str, state: str | None, uptime_pct: float | None
    ) -> str:
        """Describe a day by its date, its state and its uptime."""
        text, day = self._locale.text, self._labels.state_label(state)
        if uptime_pct is not None:
            percent = self._locale.percent(uptime_pct)
            day = text("bars.day", state=day, percent=percent)
        return text("bars.dated", date=self._locale.short_date(date), day=day)


def _rows(rows: Iterable[Iterable[Markup]]) -> Markup:
    cells = ("</td><td>".join(row) for row in rows)
    rendered = "\n".join([f"<tr><td>{row}</td></tr>" for row in cells])
    return Markup(rendered)  # noqa: S704  the cells are escaped
