"""
Compare what was entered in a form with what somebody else has saved meanwhile.

Where an operation expects no version, the form has a mark of each value that it showed.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from api.console.differences import DiffLine, text_difference
from api.console.forms.fields import Field, Option
from api.console.forms.labels import option_text
from api.console.forms.submission import LISTED, Sent

if TYPE_CHECKING:
    from api.console.forms.form import Form

MARK_LENGTH = 12
# A list of marks that is longer was not written here.
MAX_MARKS_LENGTH = 4096


@dataclass(frozen=True)
class FieldConflict:
    """A field whose value is another one now; long texts are compared by line."""

    name: str
    present: str
    entered: str
    lines: tuple[DiffLine, ...]


def field_conflicts(form: "Form", present: Mapping[str, Any]) -> list[FieldConflict]:
    """Return the fields in which the form differs from what is present."""
    found = []
    for name, field in form.fields.items():
        if name not in present:
            continue
        entered, saved = _entered(form, field), _present(form, field, present[name])
        if entered == saved:
            continue
        lines = text_difference(saved, entered) if field.kind == "textarea" else []
        found.append(FieldConflict(name, saved, entered, tuple(lines)))
    return found


def shown_value(field: Field, value: Any) -> str:
    """Return a value of the request as its control shows it."""
    if value is None:
        return ""
    if field.kind == "lines":
        return "\n".join(value)
    if field.kind == "moment":
        # A control for date and time has no offset. Seconds stay, so that saving a
        # form changes nothing by itself.
        return re.sub(r"(:\d\d)(:00(\.0+)?)$", r"\1", str(value).removesuffix("Z"))
    if field.kind == "json":
        return json.dumps(value, indent=2, ensure_ascii=False)
    return str(value)


def _entered(form: "Form", field: Field) -> str:
    if field.kind == "choices":
        chosen = [o for o in field.options if form.is_chosen(field, o.value)]
        return _joined(form, chosen)
    text = form.text(field).replace("\r\n", "\n")
    return _option_label(form, field, text)


def _present(form: "Form", field: Field, value: Any) -> str:
    if field.kind == "choices":
        return _joined(form, [o for o in field.options if o.value in (value or ())])
    return _option_label(form, field, shown_value(field, value))


def _joined(form: "Form", options: list[Option]) -> str:
    return form.locale.join_list(option_text(form.locale, option) for option in options)


def _option_label(form: "Form", field: Field, text: str) -> str:
    if field.kind == "flag" and text:
        return form.locale.text("form.yes" if text.lower() == "true" else "form.no")
    for option in field.options:
        if option.value == text:
            return option_text(form.locale, option)
    return text


def write_marks(marks: Mapping[str, str]) -> str:
    return " ".join(f"{name}={mark}" for name, mark in marks.items())


def read_marks(text: str) -> dict[str, str]:
    """Return the mark of each field by name; none of what is no list of marks."""
    pairs = (part.partition("=") for part in text[:MAX_MARKS_LENGTH].split())
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
