"""Name fields and their values as the manual does, in the language of the page."""

import re
from typing import Protocol

from models.locales import Locale

# Where the name of a field is not what the manual calls it.
_LABELS = {
    "body": "Message",
    "endsAt": "Ends",
    "expectedUpdatedAt": "Changed last at",
    "expectedVersion": "Version",
    "id": "ID",
    "notify": "Notify subscribers",
    "q": "Search",
    "startsAt": "Starts",
    "type": "Type",
    "url": "URL",
}
_ABBREVIATIONS = {
    "id": "ID",
    "ids": "IDs",
    "ms": "ms",
    "url": "URL",
    "sha256": "SHA-256",
}
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")


def field_label(name: str) -> str:
    """Return `Started at` for `startedAt`."""
    if label := _LABELS.get(name):
        return label
    words = [word.lower() for word in _WORD.findall(name)] or [name]
    text = " ".join(_ABBREVIATIONS.get(word, word) for word in words)
    return text[:1].upper() + text[1:]


def value_label(value: str) -> str:
    """Return `Partial outage` for `partial-outage`; codes stay as they are."""
    if "." in value or ":" in value:
        return value
    text = value.replace("-", " ").replace("_", " ")
    return text[:1].upper() + text[1:]


class Named(Protocol):
    """An option, with the name of its text and an English label."""

    @property
    def name(self) -> str: ...

    @property
    def label(self) -> str: ...


def field_text(locale: Locale, name: str) -> str:
    """Return the label of a field; English stands in for what has no text."""
    return locale.find(f"field.{name}") or field_label(name)


def option_text(locale: Locale, option: Named) -> str:
    """Return the label of an option, which is a text of ours or somebody's own."""
    return (option.name and locale.find(option.name)) or option.label


def value_text(locale: Locale, value: str) -> str:
    """Return the label of a value, such as a status."""
    return locale.find(value_name(value)) or value_label(value)


def value_name(value: str) -> str:
    """Return the name of the text for a value."""
    return f"value.{value.replace('_', '-')}"
