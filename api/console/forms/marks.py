"""Marks of the values that a form showed, where an operation expects no version."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from api.console.forms.conflicts import shown_value
from api.console.forms.fields import Field
from api.console.forms.submission import LISTED, Sent

MARK_LENGTH = 12
# A field that is longer was not written here.
LONGEST = 4096


def write_marks(marks: Mapping[str, str]) -> str:
    return " ".join(f"{name}={mark}" for name, mark in marks.items())


def read_marks(text: str) -> dict[str, str]:
    """Return the mark of each field by name; none of what is no list of marks."""
    pairs = (part.partition("=") for part in text[:LONGEST].split())
    return {name: mark for name, _, mark in pairs if len(mark) == MARK_LENGTH}


def is_of_empty(mark: str) -> bool:
    return mark == _mark("")


def mark_of_value(field: Field, value: Any) -> str:
    """Return the mark of a value that a form shows."""
    if field.kind == "choices":
        return _mark("\n".join(sorted(value or ())))
    return _mark(_normalized(field, shown_value(field, value)))


def mark_of_sent(field: Field, sent: Sent) -> str | None:
    """Return the mark of what was sent; None if the form did not have the field."""
    is_shown = LISTED + field.name in sent
    if field.kind == "choices":
        values = {value for value in sent.getlist(field.name) if value}
        return _mark("\n".join(sorted(values))) if values or is_shown else None
    if field.name in sent:
        return _mark(_normalized(field, sent[field.name]))
    # Only a box that is not ticked is announced and not sent.
    return _mark("false") if is_shown else None


def _normalized(field: Field, text: str) -> str:
    """Return a text without what a browser changes by itself."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if field.kind == "flag":
        return text.lower()
    if field.kind == "moment":
        text = text.replace(" ", "T")
        return text.rstrip("0") if "." in text else text
    return text


def _mark(text: str) -> str:
    # A half of a surrogate pair is no text, and is refused later.
    content = text.encode(errors="surrogatepass")
    return sha256(content).hexdigest()[:MARK_LENGTH]
