"""Parse a request: its body or query into the declared schema, and its headers."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Literal

from pydantic import ValidationError
from werkzeug.datastructures import LanguageAccept, MultiDict

from api.http.messages import Request
from api.operation import Operation, UploadedBody
from models.base import Schema
from models.errors import (
    IdempotencyKeyInvalid,
    IdempotencyKeyMissing,
    MalformedRequest,
    PayloadTooLarge,
    Refusal,
    UnsupportedMediaType,
    ValidationFailed,
)
from models.fields import SHA256_HEX, SLUG, STATUS_SLUG, NotAMoment

MAX_ERRORS = 20

# An Idempotency-Key without quotation marks, and as the quoted string of the IETF
# draft, in which a backslash escapes a quotation mark and itself.
BARE_KEY = r"[!#-+\--\[\]-~]{1,255}"
QUOTED_KEY = r'"((?:[ !#-\[\]-~]|\\["\\]){1,255})"'

JSON_SPACE = b" \t\n\r"

# The longest name of a field that an error quotes.
MAX_QUOTED_NAME = 64

# The field of a validation error that says where it is: RFC 6901 pointer or parameter.
Locator = Literal["pointer", "parameter"]


def read_limited_body(request: Request, max_bytes: int) -> bytes:
    """Return the body, or raise PayloadTooLarge if it is longer than `max_bytes`."""
    if request.content_length > max_bytes:
        raise body_too_large(max_bytes)
    return request.read_body()


def uploaded_body(request: Request, max_bytes: int) -> UploadedBody:
    """Return the body, which nobody has read; raise PayloadTooLarge if it is longer."""
    if request.content_length > max_bytes:
        raise body_too_large(max_bytes)
    stream, length = request.environ["wsgi.input"], request.content_length
    return UploadedBody(stream, length, request.media_type)


def body_too_large(max_bytes: int) -> PayloadTooLarge:
    return PayloadTooLarge(
        f"The body may have at most {max_bytes} bytes.", limitBytes=max_bytes
    )


def parse_request(operation: Operation, request: Request, body: bytes) -> Schema:
    """
    Parse the query of a GET, or the body of a POST, which may have no query.

    If the body is a file, the query describes it.
    """
    schema = operation.request or Schema
    if operation.method == "GET" or operation.read_upload:
        return parse_query(schema, request.query)
    if request.query_string:
        parse_query(Schema, request.query)
    return parse_body(schema, body, request.media_type)


def parse_query(schema: type[Schema], query: MultiDict[str, str]) -> Schema:
    """
    Parse query parameters.

    Raise MalformedRequest if one is repeated, ValidationFailed if one is unknown
    or invalid.
    """
    repeated = [name for name, values in query.lists() if len(values) > 1]
    if repeated:
        raise MalformedRequest(f"The parameter {repeated[0]} is repeated.")
    return _validate(schema, query.to_dict(), "parameter")


def parse_body(schema: type[Schema], body: bytes, media_type: str | None) -> Schema:
    """
    Parse a JSON body.

    Raise UnsupportedMediaType, MalformedRequest if it is not JSON or an object in it
    has a field twice, or ValidationFailed if it does not match the schema.
    """
    if media_type not in (None, "", "application/json"):
        raise UnsupportedMediaType(
            "Send the body with the header Content-Type: application/json."
        )
    try:
        request = _validate(schema, body, "pointer")
    except Refusal:
        # Which of two equal fields is wrong would be misleading.
        _refuse_repeated_fields(body)
        raise
    if request.count_fields() != _max_fields(body):
        _refuse_repeated_fields(body)
    return request


def accepted_languages(header: LanguageAccept) -> list[str]:
    """Return the tags of the languages that a browser asks for, the preferred first."""
    # A quality of zero refuses a language.
    return [tag for tag, quality in header if quality > 0]


def _max_fields(body: bytes) -> int:
    """Return how many fields the objects of the JSON have at most."""
    # Between the name and the colon may be space. In a text is no bare quote.
    return body.translate(None, JSON_SPACE).count(b'":')


def _refuse_repeated_fields(body: bytes) -> None:
    """
    Raise MalformedRequest if an object has a field twice.

    Pydantic would take the last one, while a proxy or an auditor may read the first.
    """
    try:
        _FIELDS.decode(body.decode())
    except (ValueError, RecursionError):
        # It is not JSON, which pydantic reports.
        return


def _refuse_repeated(fields: list[tuple[str, None]]) -> None:
    """Check the fields of one object; its value is not needed for those around it."""
    if len(dict(fields)) == len(fields):
        return
    name, _ = Counter(name for name, _ in fields).most_common(1)[0]
    is_quotable = name.isascii() and name.isprintable() and len(name) <= MAX_QUOTED_NAME
    subject = f"The field {name}" if is_quotable else "A field"
    raise MalformedRequest(f"{subject} is repeated in an object of the body.")


# Numbers need not be read: len takes their text, however long.
_FIELDS = json.JSONDecoder(
    object_pairs_hook=_refuse_repeated, parse_int=len, parse_float=len
)


def parse_idempotency_key(operation: Operation, header: str | None) -> str | None:
    """Return the key without quotation marks; None if it is optional and missing."""
    if header is None:
        if operation.idempotent == "required":
            raise IdempotencyKeyMissing(
                "This operation requires the header Idempotency-Key."
            )
        return None
    if re.fullmatch(BARE_KEY, header):
        return header
    if quoted := re.fullmatch(QUOTED_KEY, header):
        return re.sub(r"\\(.)", r"\1", quoted[1])
    raise IdempotencyKeyInvalid(
        "Idempotency-Key must be 1 to 255 visible ASCII characters other than"
        ' ", comma and \\, or a quoted string.'
    )


def parse_dry_run(header: str | None) -> bool:
    """Return whether the change is to be rolled back; raise if it is not a boolean."""
    if header in (None, "false"):
        return False
    if header != "true":
        detail = "Must be true or false."
        error = {"header": "Dry-Run", "code": "value_error", "detail": detail}
        raise ValidationFailed(f"Dry-Run: {detail}", error)
    return True


def _validate(schema: type[Schema], source: Any, locator: Locator) -> Schema:
    """Validate a body (bytes) or a query (a dictionary); errors quote no values."""
    try:
        if isinstance(source, bytes):
            return schema.model_validate_json(source, by_alias=True, by_name=False)
        return schema.model_validate(source, by_alias=True, by_name=False)
    except ValidationError as error:
        failures = error.errors(include_url=False, include_input=False)
    if failures[0]["type"] == "json_invalid":
        raise MalformedRequest("The body is not JSON in UTF-8.")
    errors = [
        {
            locator: _location(failure["loc"], locator),
            "code": failure["type"],
            "detail": _message(failure, locator),
        }
        for failure in failures[:MAX_ERRORS]
    ]
    first = errors[0]
    subject = first[locator] or ("The body" if locator == "pointer" else "The query")
    raise ValidationFailed(f"{subject}: {first['detail']}", *errors)


def _location(loc: Iterable[str | int], locator: Locator) -> str:
    parts = [str(part) for part in loc]
    if locator == "parameter":
        return parts[0] if parts else ""
    escaped = (part.replace("~", "~0").replace("/", "~1") for part in parts)
    return "".join(f"/{part}" for part in escaped)


# Patterns in words, so that callers need not read regular expressions.
_PATTERN_MESSAGES = {
    SLUG: "Must be lower-case letters and digits, in words joined by single hyphens.",
    STATUS_SLUG: (
        "Must be lower-case letters, digits and hyphens, beginning with a letter."
    ),
    SHA256_HEX: "Must be 64 hexadecimal digits in lower case.",
}


def _message(failure: Any, locator: Locator) -> str:
    kind, context = failure["type"], failure.get("ctx", {})
    if kind == "extra_forbidden":
        return f"Unknown {'field' if locator == 'pointer' else 'parameter'}."
    if kind == "missing":
        return "Is required."
    if kind == "value_error":
        return _describe_value_error(context["error"], locator)
    if kind == "too_long":
        return f"Must have at most {_items(context['max_length'])}."
    if kind == "too_short":
        return f"Must have at least {_items(context['min_length'])}."
    if kind == "string_pattern_mismatch" and context["pattern"] in _PATTERN_MESSAGES:
        return _PATTERN_MESSAGES[context["pattern"]]
    message = str(failure["msg"]).replace("Input should", "Must")
    return message.replace("String should", "Must") + "."


def _describe_value_error(error: ValueError, locator: Locator) -> str:
    # In a query, a plus sign that is not encoded is a space.
    if isinstance(error, NotAMoment) and locator == "parameter":
        return f"{error} In a query, write a plus sign as %2B."
    return str(error)


def _items(count: int) -> str:
    return "1 item" if count == 1 else f"{count} items"
