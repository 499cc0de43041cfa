"""Read what a browser sends for a form, as the JSON or the query of its operation."""

import json
import re
from collections.abc import Iterable
from typing import Any

from werkzeug.datastructures import MultiDict

from api.console.forms.fields import Field
from api.operation import Operation

# Fields of the form itself. The names of an operation's fields never begin with this.
IDEMPOTENCY_KEY = "_key"
# A field whose value is to be null has another one of this prefix.
NULL = "_null."
# A list of checkboxes of which none is ticked sends nothing, so it is announced.
LISTED = "_list."

# What a control for date and time sends; the form says that it is in UTC.
_LOCAL_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?", re.ASCII)
_INTEGER = re.compile(r"-?[0-9]{1,15}", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,9})?", re.ASCII)

Sent = MultiDict[str, str]


def read_fields(
    operation: Operation, fields: Iterable[Field], sent: Sent, *, is_prefilled: bool
) -> dict[str, Any]:
    """
    Return the request's fields by name.

    What cannot be read is passed on as it was sent, and refused by the operation, so
    that nothing is ruled here. An empty field is left out; in a form that shows the
    present values, it becomes null or an empty text.
    """
    is_query = operation.method == "GET" or bool(operation.read_upload)
    values: dict[str, Any] = {}
    for field in fields:
        if sent.get(NULL + field.name):
            values[field.name] = None
            continue
        read = _read_query if is_query else _read_json
        value = read(field, sent, is_prefilled)
        if value is not None:
            values[field.name] = None if value is _NULL else value
    return values


_NULL = object()


def _read_query(field: Field, sent: Sent, is_prefilled: bool) -> Any:
    """Return the text of a parameter; several values are joined by commas."""
    value = _read_json(field, sent, is_prefilled=False)
    if isinstance(value, list):
        return ",".join(map(str, value)) or None
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def _read_json(field: Field, sent: Sent, is_prefilled: bool) -> Any:
    """Return the value, None if the field is left out, _NULL for null."""
    if field.kind == "choices":
        chosen = [value for value in sent.getlist(field.name) if value]
        is_sent = bool(chosen) or LISTED + field.name in sent
        return chosen if chosen or (is_sent and is_prefilled) else None
    if field.kind == "flag":
        return _read_flag(field, sent)
    if field.name not in sent:
        return None
    # Browsers send line breaks as CRLF.
    text = sent[field.name].replace("\r\n", "\n")
    if not text.strip():
        return _empty(field, is_prefilled)
    return _READERS.get(field.kind, _same)(field, text)


def _empty(field: Field, is_prefilled: bool) -> Any:
    if field.is_required or (is_prefilled and not field.is_nullable):
        # The operation says what it lacks.
        return "" if field.kind in ("text", "textarea") else None
    return _NULL if is_prefilled and field.is_nullable else None


def _read_flag(field: Field, sent: Sent) -> Any:
    value = sent.get(field.name)
    if value in ("true", "false"):
        return value == "true"
    # A checkbox that is not ticked sends nothing.
    return False if LISTED + field.name in sent else value or None


def _read_moment(_: Field, text: str) -> str:
    match = _LOCAL_MOMENT.fullmatch(text.strip())
    return f"{match[1]}T{match[2]}{match[3] or ':00'}Z" if match else text.strip()


def _read_number(field: Field, text: str) -> Any:
    text = text.strip()
    if field.is_integer:
        return int(text) if _INTEGER.fullmatch(text) else text
    return float(text) if _NUMBER.fullmatch(text) else text


def _read_lines(_: Field, text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _read_object(_: Field, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _same(_: Field, text: str) -> str:
    return text


_READERS = {
    "json": _read_object,
    "lines": _read_lines,
    "moment": _read_moment,
    "number": _read_number,
}
