"""Compare what was entered in a form with what somebody else has saved meanwhile."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from api.console.differences import DiffLine, text_difference
from api.console.forms.fields import Field, Option
from api.console.forms.labels import option_text

if TYPE_CHECKING:
    from api.console.forms.form import Form


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
        return _local_moment(str(value))
    if field.kind == "json":
        return json.dumps(value, indent=2, ensure_ascii=False)
    return str(value)


def _local_moment(text: str) -> str:
    """Return a moment without its offset, which a control for date and time lacks."""
    text = text.removesuffix("Z")
    # Seconds stay, so that saving a form changes nothing by itself.
    return re.sub(r"(:\d\d)(:00(\.0+)?)$", r"\1", text)


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
