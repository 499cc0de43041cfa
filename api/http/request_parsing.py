"""What a request asks: its body or query, read into the declared shape or refused."""

import re
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError
from werkzeug.datastructures import MultiDict

from api.operation import Operation
from models.base import Schema
from models.errors import (
    IdempotencyKeyInvalid,
    IdempotencyKeyMissing,
    MalformedRequest,
    UnsupportedMediaType,
    ValidationFailed,
)
from models.fields import SHA256_HEX, SLUG, STATUS_SLUG

# Bare, or quoted as in the IETF draft, where a backslash escapes " and itself.
# An Idempotency-Key as it stands, and as the draft's quoted string.
BARE_KEY = r"[!#-+\--\[\]-~]{1,255}"
QUOTED_KEY = r'"((?:[ !#-\[\]-~]|\\["\\]){1,255})"'


def read_query(shape: type[Schema], query: MultiDict[str, str]) -> Schema:
    """Read the query; every parameter at most once, none unknown."""
    repeated = [name for name, values in query.lists() if len(values) > 1]
    if repeated:
        raise MalformedRequest(f"The parameter {repeated[0]} is repeated.")
    return _read(shape, query.to_dict(), "parameter")


def read_body(shape: type[Schema], body: bytes, media_type: str | None) -> Schema:
    """Read the body from its bytes: what is not JSON is 400, a wrong shape 422."""
    if media_type not in (None, "", "application/json"):
        raise UnsupportedMediaType(
            "Send the body with the header Content-Type: application/json."
        )
    return _read(shape, body, "pointer")


def read_idempotency_key(operation: Operation, header: str | None) -> str | None:
    """Return the text of Idempotency-Key; bare and quoted it is the same text."""
    if header is None:
        if operation.idempotent == "required":
            raise IdempotencyKeyMissing(
                "This operation needs the header Idempotency-Key."
            )
        return None
    if re.fullmatch(BARE_KEY, header):
        return header
    if quoted := re.fullmatch(QUOTED_KEY, header):
        return re.sub(r"\\(.)", r"\1", quoted[1])
    raise IdempotencyKeyInvalid(
        "Idempotency-Key must be 1 to 255 visible ASCII characters without"
        ' " , and \\, or a quoted string of them.'
    )


def read_dry_run(header: str | None) -> bool:
    """Tell whether the change is only to be rehearsed."""
    if header in (None, "false"):
        return False
    if header != "true":
        detail = "Must be true or false."
        error = {"header": "Dry-Run", "code": "value_error", "detail": detail}
        raise ValidationFailed(f"Dry-Run: {detail}", error)
    return True


def _read(shape: type[Schema], given: Any, where: str) -> Schema:
    try:
        if isinstance(given, bytes):
            return shape.model_validate_json(given, by_alias=True, by_name=False)
        return shape.model_validate(given, by_alias=True, by_name=False)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
    if found[0]["type"] == "json_invalid":
        raise MalformedRequest("The body is not JSON in UTF-8.")
    errors = [
        {
            where: _place(each["loc"], where),
            "code": each["type"],
            "detail": _sentence(each, where),
        }
        for each in found[:20]
    ]
    first, whole = errors[0], "The body" if where == "pointer" else "The query"
    raise ValidationFailed(f"{first[where] or whole}: {first['detail']}", *errors)


def _place(loc: Iterable[str | int], where: str) -> str:
    parts = [str(part) for part in loc]
    if where == "parameter":
        return parts[0] if parts else ""
    return "".join("/" + p.replace("~", "~0").replace("/", "~1") for p in parts)


# Patterns in words: who meets one should not have to read it.
_PATTERNS = {
    SLUG: "Must be lower-case letters and digits, in words joined by single hyphens.",
    STATUS_SLUG: (
        "Must be lower-case letters, digits and hyphens, beginning with a letter."
    ),
    SHA256_HEX: "Must be 64 hexadecimal digits in lower case.",
}


def _sentence(error: Any, where: str) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return f"There is no such {'member' if where == 'pointer' else where}."
    if kind == "missing":
        return "Is required."
    if kind == "value_error":
        return str(context["error"])
    if kind == "too_long":
        return f"Must have at most {context['max_length']} items."
    if kind == "too_short":
        return f"Must have at least {context['min_length']} items."
    if kind == "string_pattern_mismatch" and context["pattern"] in _PATTERNS:
        return _PATTERNS[context["pattern"]]
    sentence = str(error["msg"]).replace("Input should", "Must")
    return sentence.replace("String should", "Must") + "."
