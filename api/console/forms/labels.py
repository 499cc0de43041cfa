"""Name fields and their values as the manual does, in the language of the page."""

from typing import Protocol

from models.locales import Locale


class Named(Protocol):
    """An option, with the name of its text and a label for want of one."""

    @property
    def name(self) -> str: ...

    @property
    def label(self) -> str: ...


def field_text(locale: Locale, name: str) -> str:
    """Return the label of a field; a name without a text stays as it is."""
    return locale.find(f"field.{name}") or name


def option_text(locale: Locale, option: Named) -> str:
    """Return the label of an option, which is a text of ours or somebody's own."""
    return (option.name and locale.find(option.name)) or option.label


def value_text(locale: Locale, value: str) -> str:
    """Return the label of a value, such as a status; codes stay as they are."""
    return locale.find(value_name(value)) or value


def value_name(value: str) -> str:
    """Return the name of the text for a value."""
    return f"value.{value.replace('_', '-')}"
