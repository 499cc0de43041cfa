"""Show moments as elements, of which scripts make local times and ages."""

from functools import lru_cache

from markupsafe import Markup

from models.locales import Locale


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
