"""
Leave our own texts in a rendered body to the language of the page that shows it.

A body is rendered and stored once, whatever the language. Where a text of ours belongs,
it has a mark with the name of the text and what stands in its place `{value}`.
"""

from functools import lru_cache
from html import escape

from models.locales import Locale

# The source of a document cannot contain it: it is replaced before rendering.
TEXT_MARK = "\x03"


def text_mark(name: str, value: object = "") -> str:
    """Return the mark for a text; the value is text, and is escaped here."""
    return f"{TEXT_MARK}{name} {escape(str(value))}{TEXT_MARK}"


def insert_texts(html: str, locale: Locale) -> str:
    """Return the HTML with the texts in a language instead of the marks."""
    parts = html.split(TEXT_MARK)
    for index in range(1, len(parts), 2):
        name, _, value = parts[index].partition(" ")
        before, after = _pattern(name, locale)
        parts[index] = f"{before}{value}{after}"
    return "".join(parts)


@lru_cache(maxsize=256)
def _pattern(name: str, locale: Locale) -> tuple[str, str]:
    """Return the text before and after its value, as HTML."""
    before, _, after = escape(locale.pattern(name)).partition("{value}")
    return before, after
