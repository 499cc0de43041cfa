"""
Say texts, dates, numbers and lists in the language of their readers.

The texts of a language are in `templates/locales/<tag>.json`, one flat object of names.
A text has placeholders in braces. If it depends on a number, it is an object with the
plural forms of the language by their names in CLDR, which `count` chooses from:

    "front.pages": {"one": "{count} page", "other": "{count} pages"}

The texts of the console are in the folder `console` there, in files of the same form.

English has every text, and stands in for what another language lacks. Everything else
about a language comes from CLDR, by Babel.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

from babel import Locale as CldrLocale
from babel import UnknownLocaleError
from babel.core import get_global
from babel.dates import format_date, format_skeleton
from babel.lists import format_list
from babel.numbers import format_decimal

from models.settings import SettingError

FOLDER = Path(__file__).parents[1] / "templates" / "locales"
FALLBACK = "en"
# English that readers of all countries understand: days stand before their months.
_CLDR_TAGS = {"en": "en-001"}
# Never rounded: figures have at most three decimals, truncated where they are computed.
_DECIMALS = "#,##0.###"
_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_PERIOD_UNITS = {"h": "hours", "d": "days"}

# A text, or its plural forms by their names.
Message = str | Mapping[str, str]


class Locale:
    """A language, with everything that is said in it."""

    def __init__(self, tag: str, messages: Mapping[str, Message]) -> None:
        self.tag = tag
        self._messages = messages
        self._cldr = CldrLocale.parse(_CLDR_TAGS.get(tag, tag), sep="-")
        self.direction = self._cldr.text_direction
        self._date_and_time = self._cldr.datetime_formats["medium"]

    @property
    def sentence_gap(self) -> str:
        """Return what stands between two sentences: in some scripts, nothing."""
        return "" if self._cldr.language in ("ja", "zh") else " "

    @property
    def own_name(self) -> str:
        """Return the name of the language in the language itself, as in a menu."""
        name = CldrLocale.parse(self.tag, sep="-").get_display_name() or self.tag
        return name[0].upper() + name[1:]

    def message(self, name: str) -> Message:
        """Return a text, or its plural forms, with the placeholders as they are."""
        return self._messages[name]

    def find(self, name: str) -> str | None:
        """Return a text without placeholders, or None."""
        message = self._messages.get(name)
        return message if isinstance(message, str) else None

    def pattern(self, name: str, count: Any = None) -> str:
        """
        Return a text with its placeholders as they are.

        A text with plural forms needs `count`, which chooses one of them.
        """
        message = self._messages[name]
        if isinstance(message, str):
            return message
        return message.get(self._cldr.plural_form(count)) or message["other"]

    def text(self, name: str, /, **values: Any) -> str:
        """
        Return a text with the values in its placeholders; numbers are formatted.

        A text with plural forms needs `count` among the values. Without any values,
        placeholders stay as they are; with some, each must have one.
        """
        pattern = self.pattern(name, values.get("count"))
        return pattern.format_map(self.display(values)) if values else pattern

    def display(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of placeholders, with their numbers as text."""
        return {
            name: self.number(value) if isinstance(value, int | float) else value
            for name, value in values.items()
        }

    def number(self, value: float) -> str:
        form = _DECIMALS if isinstance(value, float) else None
        return format_decimal(value, form, self._cldr)

    def percent(self, value: float) -> str:
        return self.text("number.percent", value=self.number(float(value)))

    def long_date(self, text: str) -> str:
        """Format the day of an ISO 8601 moment in UTC, or of a date."""
        return _format_date(text[:10], "long", self._cldr)

    def short_date(self, text: str) -> str:
        return _format_date(text[:10], "medium", self._cldr)

    def month_name(self, month: str) -> str:
        """Format a month such as 2026-03."""
        return format_skeleton("yMMMM", parse_utc(f"{month}-01"), locale=self._cldr)

    def short_month_name(self, month: str) -> str:
        """Format a month as part of its year: "Mar"."""
        # As in dates: Babel may take the form that stands alone from another language.
        return format_date(parse_utc(f"{month}-01"), "MMM", self._cldr)

    def short_day(self, text: str) -> str:
        """Format a day without its year: "1 Mar"."""
        return format_skeleton("MMMd", parse_utc(text), locale=self._cldr)

    def clock_time(self, text: str) -> str:
        """Format the time of a moment, which stays in UTC."""
        time = format_skeleton("Hm", parse_utc(text), locale=self._cldr)
        return self.text("time.utc", time=time)

    def date_time(self, text: str) -> str:
        form = self._date_and_time.replace("{1}", self.short_date(text))
        return form.replace("{0}", self.clock_time(text))

    def duration(self, start: str, end: str) -> str:
        """Format the time from one moment to another, in its two largest units."""
        seconds = int((parse_utc(end) - parse_utc(start)).total_seconds())
        if seconds < _MINUTE:
            return self.text("duration.less-than-a-minute")
        days, hours, minutes = (
            seconds // _DAY,
            seconds % _DAY // _HOUR,
            seconds % _HOUR // _MINUTE,
        )
        units = (
            [("duration.d", days), ("duration.h", hours)]
            if days
            else [("duration.h", hours), ("duration.min", minutes)]
        )
        parts = [self.text(name, count=count) for name, count in units if count]
        if len(parts) == 1:
            return parts[0]
        return self.text("duration.two", first=parts[0], second=parts[1])

    def rough_duration(self, seconds: float) -> str:
        """Format a duration in whole days, hours or minutes, rounded down."""
        for unit, length in (("days", _DAY), ("hours", _HOUR), ("minutes", _MINUTE)):
            if count := int(seconds // length):
                return self.text(f"duration.{unit}", count=count)
        return self.text("duration.less-than-a-minute")

    def period(self, period: str) -> str:
        """Format the length of a period such as 24h or 90d in words."""
        unit = _PERIOD_UNITS[period[-1]]
        return self.text(f"duration.{unit}", count=int(period[:-1]))

    def join_list(self, items: Iterable[str]) -> str:
        """Join the items as a list in a sentence: "A, B and C"."""
        return format_list(list(items), locale=self._cldr)


# All services of a page have the same days.
@lru_cache(maxsize=4096)
def _format_date(day: str, style: Literal["long", "medium"], cldr: CldrLocale) -> str:
    return format_date(parse_utc(day), style, cldr)


def is_known_language(tag: str) -> bool:
    """Return whether CLDR knows the language of a tag."""
    try:
        CldrLocale.parse(tag, sep="-")
    except (UnknownLocaleError, ValueError):
        return False
    return True


@lru_cache
def text_direction(tag: str) -> str:
    """Return "rtl" for a language that is written from right to left, else "ltr"."""
    try:
        return CldrLocale.parse(tag, sep="-").text_direction
    except (UnknownLocaleError, ValueError):
        return "ltr"


def parse_utc(text: str) -> datetime:
    """Parse an ISO 8601 moment in UTC; a date is its midnight."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC)


# Every mail and every page of a subscription asks for it.
@cache
def available_languages(own_folder: str = "", part: str = "") -> tuple[str, ...]:
    """
    Return the tags of the languages that have a file, in alphabetical order.

    A part, such as the console, needs a file of its own besides that of the site.
    """
    tags = _tags_of(_folders(own_folder))
    return tuple(sorted(tags & _tags_of(_folders(own_folder, part))))


def _tags_of(folders: Iterable[Path]) -> set[str]:
    return {file.stem for folder in folders for file in folder.glob("*.json")}


def _folders(own_folder: str, part: str = "") -> list[Path]:
    own = [Path(own_folder) / "locales"] if own_folder else []
    return [folder / part for folder in (FOLDER, *own)]


@cache
def load_locale(tag: str, own_folder: str = "", part: str = "") -> Locale:
    """
    Return the locale of a language with a file; `own_folder` has templates to prefer.

    `part` adds the texts of a part, such as the console.

    Texts in `own_folder` replace those of the same name, so that an operator can
    reword some of them or add a language.
    """
    messages: dict[str, Message] = {}
    parts = dict.fromkeys(("", part))
    folders = [folder for name in parts for folder in _folders(own_folder, name)]
    # All of English first: what an operator rewords in it replaces no translation.
    for name in dict.fromkeys((FALLBACK, tag)):
        for folder in folders:
            file = folder / f"{name}.json"
            if file.is_file():
                messages |= read_messages(file)
    return Locale(tag, messages)


def read_messages(file: Path) -> dict[str, Message]:
    """Return the texts of a file, or raise SettingError if it has no object."""
    try:
        messages = json.loads(file.read_bytes())
    except OSError as error:
        raise SettingError(
            f"MASTHEAD_TEMPLATES: {file} cannot be read: {error.strerror}."
        ) from None
    except ValueError as error:
        raise SettingError(
            f"MASTHEAD_TEMPLATES: {file} is not valid JSON: {error}."
        ) from None
    if not isinstance(messages, dict):
        raise SettingError(
            f"MASTHEAD_TEMPLATES: {file} must contain an object with texts by names,"
            ' such as {"overall.operational": "Everything works"}.'
        )
    return messages


def forget_languages() -> None:
    """Have the files of all languages read again when they are needed."""
    available_languages.cache_clear()
    load_locale.cache_clear()


def match_language(wanted: Iterable[str], languages: Iterable[str]) -> str | None:
    """
    Return the first available language that one of the wanted tags asks for.

    A tag asks for exactly its language first, and then for it in any country: `de-AT`
    is served by `de`, and `pt` by `pt-BR`. Chinese is told apart by its script.
    """
    # Of several countries the first, and the language without a country before all.
    available = sorted(languages, reverse=True)
    exact = {_normalise(tag): tag for tag in available}
    by_language = {_significant(tag): tag for tag in available}
    for tag in wanted:
        found = exact.get(_normalise(tag)) or by_language.get(_significant(tag))
        if found:
            return found
    return None


def _normalise(tag: str) -> str:
    return tag.lower().replace("_", "-")


def _significant(tag: str) -> tuple[str, str]:
    """Return the language of a tag, and for Chinese its script."""
    language, *rest = _normalise(tag).split("-")
    # Old tags, which some browsers and systems send: "iw" is Hebrew, "he" today.
    language, *_ = get_global("language_aliases").get(language, language).split("_")
    if language != "zh":
        return language, ""
    if scripts := {"hans", "hant"} & set(rest):
        return language, scripts.pop()
    is_traditional = {"tw", "hk", "mo"} & set(rest)
    return language, "hant" if is_traditional else "hans"
