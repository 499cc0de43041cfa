"""Read what a browser sends for a form, as the JSON or the query of its operation."""

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from enum import Enum
from typing import Any

from werkzeug.datastructures import MultiDict

from api.console.forms.fields import Field, is_query
from api.operation import Operation

# Fields of the form itself. The names of an operation's fields never begin with this.
IDEMPOTENCY_KEY = "_key"
# The version from which a form for a change was made.
SEEN = "_seen"
# The mark of whoever has filled in a form.
FILLED_IN_BY = "_by"
# What is sent for a field that is empty: `null`, or `empty` for an empty text or list.
IF_EMPTY = "_empty."
# A box that is not ticked sends nothing, so it is announced.
LISTED = "_list."

# What a control for date and time sends; the form says that it is in UTC.
_LOCAL_MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(\.\d{1,6})?)?", re.ASCII
)
_INTEGER = re.compile(r"-?[0-9]{1,100}", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,100}(\.[0-9]{1,100})?([eE][+-]?[0-9]{1,3})?", re.ASCII)

_TEXTS, _LISTS = ("text", "textarea"), ("lines", "choices")

Sent = MultiDict[str, str]


class _Marker(Enum):
    # The control was left empty.
    EMPTY = "empty"
    # The field is not part of the request.
    OMITTED = "omitted"


def read_fields(
    operation: Operation,
    fields: Iterable[Field],
    sent: Sent,
    *,
    present: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """
    Return the request's fields by name.

    What cannot be read is passed on as it was sent, and refused by the operation, so
    that nothing is ruled here. An empty field is left out, unless the form says what it
    is. `present` are the values of what a form changes, by name: a field that had one
    and is emptied becomes null, or an empty text or list.
    """
    is_parameter = is_query(operation)
    values: dict[str, Any] = {}
    for field in fields:
        value = _read(field, sent, is_parameter)
        if value is _Marker.EMPTY:
            was = (present or {}).get(field.name)
            choice = sent.get(IF_EMPTY + field.name, "")
            value = _empty(field, choice, is_emptied=was not in (None, "", [], {}))
        if value is _Marker.OMITTED or (is_parameter and value in (None, "", [])):
            continue
        values[field.name] = parameter(value) if is_parameter else value
    return values


def parameter(value: Any) -> str:
    """Return a value as the text of a parameter; several are joined by commas."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value)


def chosen(field: Field, sent: Sent, *, is_parameter: bool) -> list[str]:
    """Return the values of the boxes that are ticked; a link may join them."""
    values = [value for value in sent.getlist(field.name) if value]
    if not is_parameter:
        return values
    return [part for value in values for part in value.split(",") if part]


def _read(field: Field, sent: Sent, is_parameter: bool) -> Any:
    """Return the value, or that it is empty or left out."""
    if field.kind == "choices":
        if values := chosen(field, sent, is_parameter=is_parameter):
            return values
        is_shown = LISTED + field.name in sent or IF_EMPTY + field.name in sent
        return _Marker.EMPTY if is_shown else _Marker.OMITTED
    if field.name not in sent:
        if IF_EMPTY + field.name in sent:
            return _Marker.EMPTY
        # Only a box that is not ticked is announced and not sent.
        return False if LISTED + field.name in sent else _Marker.OMITTED
    # Browsers send line breaks as CRLF.
    text = sent[field.name].replace("\r\n", "\n")
    if field.kind in _TEXTS:
        # A text of spaces is not the same as none.
        return text or _Marker.EMPTY
    return _read_text(field, text) if text.strip() else _Marker.EMPTY


def _read_text(field: Field, text: str) -> Any:
    """Return the value of what was typed or chosen; the text if it is none."""
    stripped = text.strip()
    match field.kind:
        case "flag":
            return {"true": True, "false": False}.get(text, text)
        case "lines":
            return [line.strip() for line in text.split("\n") if line.strip()]
        case "moment":
            at = _LOCAL_MOMENT.fullmatch(stripped)
            return f"{at[1]}T{at[2]}{at[3] or ':00'}Z" if at else stripped
        case "number" if _INTEGER.fullmatch(stripped):
            return int(stripped)
        case "number":
            is_float = not field.is_integer and _NUMBER.fullmatch(stripped)
            return float(stripped) if is_float else stripped
        case "json":
            with suppress(NotJson):
                return read_json(text)
    return text


def _empty(field: Field, choice: str, *, is_emptied: bool) -> Any:
    if choice == "null":
        return None
    is_text, is_list = field.kind in _TEXTS, field.kind in _LISTS
    nothing: Any = [] if is_list else ""
    if choice == "empty":
        return nothing
    if is_emptied:
        # Where it can be neither null nor empty, the operation says so.
        return None if field.is_nullable else nothing
    # The operation says what it lacks.
    return nothing if field.is_required and is_text else _Marker.OMITTED


class NotJson(ValueError):
    """
    A text is no JSON; `name` is that of the text that says why.

    `detail` is what the parser says of it, in English.
    """

    def __init__(self, name: str, detail: str = "", **values: Any) -> None:
        super().__init__(name)
        self.name, self.detail, self.values = name, detail, values


def read_json(text: str) -> Any:
    """Return the value of JSON; raise NotJson."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        place = {"line": error.lineno, "column": error.colno}
        raise NotJson("form.no-json", f"{error.msg}.", **place) from None
    except RecursionError:
        raise NotJson("form.nested-too-deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; of a field that is repeated, the operation would see one."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise NotJson("form.field-repeated")
    return fields


def read_version(text: str) -> int | str:
    """Return a version as a number; the operation refuses what is none."""
    return int(text) if _INTEGER.fullmatch(text) else text
