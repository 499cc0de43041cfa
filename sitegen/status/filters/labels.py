"""Say states and figures in words, and show moments as elements."""

from functools import lru_cache

from markupsafe import Markup

from models.locales import Locale


class StateLabels:
    """The labels of states, and figures with their units, in a language."""

    def __init__(self, locale: Locale) -> None:
        self.locale = locale
        # Nearly all services have one of few uptimes.
        self.uptime_figure = lru_cache(maxsize=1024)(self._uptime_figure)

    def state_label(self, state: str | None) -> str:
        """Return the label of a state, a severity or a status."""
        return self.locale.text(f"state.{state or 'no-data'}")

    def overall_label(self, state: str) -> str:
        return self.locale.text(f"overall.{state}")

    def checked_state_label(self, state: str) -> Markup:
        """Return the label of a state, and hidden how an out-of-date page says it."""
        label = self.state_label(state)
        old_label = self.locale.text("state.when-last-checked", state=label)
        return Markup(
            '<span class="when-fresh">{}</span><span class="when-old" hidden>{}</span>'
        ).format(label, old_label)

    def percent(self, value: float | None) -> str:
        """Format a percentage; without samples there is none."""
        if value is None:
            return self.locale.text("uptime.no-data")
        return self.locale.percent(value)

    def milliseconds(self, value: int) -> str:
        return self.locale.text("response.milliseconds", value=value)

    def _uptime_figure(self, uptime_pct: float | None, measured: str | None) -> str:
        """Say an uptime, and of which part of its period there are data."""
        percent = self.percent(uptime_pct)
        if uptime_pct is None:
            return percent
        if measured is None:
            return self.locale.text("uptime.percent", percent=percent)
        return self.locale.text(
            "uptime.percent-of-part", percent=percent, part=measured
        )


class Moments:
    """The elements of moments in a language."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale
        # The tables of all services have the same days and hours.
        self.utc_time = lru_cache(maxsize=1024)(self._utc_time)

    def moment(self, text: str) -> Markup:
        """Return a moment as an element that a script shows in local time."""
        return _local_time(text, self._locale.date_time(text))

    def moment_with_age(self, text: str) -> Markup:
        """Return a moment to which a script adds how long ago it was."""
        return Markup('<time datetime="{}" data-utc="" data-ago>{}</time>').format(
            text, self._locale.date_time(text)
        )

    def short_moment(self, text: str, at: str | None) -> Markup:
        """Return a moment, without its date if that is the UTC date of `at`."""
        if at is None or text[:10] != at[:10]:
            return self.moment(text)
        return _local_time(text, self._locale.clock_time(text), "time")

    def _utc_time(self, text: str) -> Markup:
        """Return a date or a moment as an element that stays in UTC."""
        locale = self._locale
        shown = locale.date_time(text) if "T" in text else locale.short_date(text)
        return Markup('<time datetime="{}">{}</time>').format(text, shown)


def _local_time(text: str, shown: str, style: str = "") -> Markup:
    return Markup('<time datetime="{}" data-utc="{}">{}</time>').format(
        text, style, shown
    )
