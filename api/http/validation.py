"""Parse JSON and validate requests within bounds; describe what is wrong with them."""

import re
from collections.abc import Iterable
from itertools import islice
from typing import Any, Literal, TypeVar

import jiter
from pydantic import ValidationError

from models.base import MAX_ERRORS, ErrorCount, Schema
from models.errors import MalformedRequest, ValidationFailed
from models.fields import SHA256_HEX, SLUG, STATUS_SLUG, NotAMoment

MIB = 1024 * 1024
# A value of JSON takes up to 200 bytes of memory, and an unknown field a kilobyte. No
# valid body, or item of a lazy list, has as many.
MAX_VALUES = 300_000
MAX_FIELDS = 10_000
# What the text of a body may take in memory: four bytes a character, unless all are
# ASCII.
MAX_TEXT_BYTES = 32 * MIB

# The longest name of a field that an error quotes.
MAX_QUOTED_NAME = 64

# A string of JSON; it may be cut off.
STRING = rb'"[^"\\]*+(?:\\.?[^"\\]*+)*+"?'
# Strings, and what each other value has before it.
_TOKENS = re.compile(STRING + rb"|[,\[{]", re.DOTALL)
_REPEATED = re.compile(r'Detected duplicate key "(.*)" at line ', re.DOTALL)

# The field of a validation error that says where it is: RFC 6901 pointer or parameter.
Locator = Literal["pointer", "parameter"]
Location = tuple[str | int, ...]
# A validation error of pydantic.
Failure = Any
AnySchema = TypeVar("AnySchema", bound=Schema)


def parse_json(text: bytes, location: Location = ()) -> Any:
    """
    Parse JSON that is part of a body at this location.

    Raise MalformedRequest if it is not JSON or an object in it has a field twice, or
    ValidationFailed if it would take far more memory than its bytes.
    """
    is_ascii = text.isascii() and b"\\u" not in text
    if len(text) * (1 if is_ascii else 4) > MAX_TEXT_BYTES:
        raise too_long(location, MAX_TEXT_BYTES // 4, "bytes")
    # How many values it has at most: some of these bytes may be in strings.
    values = sum(map(text.count, (b",", b"[", b"{")))
    if values > MAX_VALUES and _has_many_values(text):
        raise too_long(location, MAX_VALUES, "values")
    try:
        value = jiter.from_json(text, cache_mode="keys", catch_duplicate_keys=True)
    except ValueError as error:
        raise _malformed(str(error)) from None
    if values > MAX_FIELDS:
        _refuse_many_fields(value, location)
    return value


def too_long(location: Location, limit: int, noun: str) -> ValidationFailed:
    pointer, detail = (
        _location(location, "pointer"),
        f"Must have at most {limit:,} {noun}.",
    )
    error = {"pointer": pointer, "code": "too_long", "detail": detail}
    return ValidationFailed(f"{pointer or 'The body'}: {detail}", error)


def validate(schema: type[AnySchema], value: Any, locator: Locator) -> AnySchema:
    """Validate a request; raise ValidationFailed with its first errors."""
    try:
        return schema.model_validate(
            value, by_alias=True, by_name=False, context=ErrorCount()
        )
    except ValidationError as error:
        raise validation_failed(failures_of(error), locator) from None


def failures_of(error: ValidationError) -> list[Failure]:
    return list(error.errors(include_url=False, include_input=False))


def validation_failed(
    failures: Iterable[Failure], locator: Locator
) -> ValidationFailed:
    """Return the refusal for the first of these errors; it quotes no values."""
    errors = [
        {
            locator: _location(failure["loc"], locator),
            "code": failure["type"],
            "detail": _message(failure, locator),
        }
        for failure in islice(failures, MAX_ERRORS)
    ]
    first = errors[0]
    subject = first[locator] or ("The body" if locator == "pointer" else "The query")
    return ValidationFailed(f"{subject}: {first['detail']}", *errors)


def _has_many_values(text: bytes) -> bool:
    tokens = (token[0] for token in _TOKENS.finditer(text))
    values = (token for token in tokens if token in b",[{")
    return next(islice(values, MAX_VALUES, None), None) is not None


def _refuse_many_fields(value: Any, location: Location) -> None:
    """Raise ValidationFailed for an object whose errors would take much memory."""
    items: Iterable[tuple[str | int, Any]]
    if isinstance(value, dict):
        if len(value) > MAX_FIELDS:
            raise too_long(location, MAX_FIELDS, "fields")
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    else:
        return
    for name, item in items:
        _refuse_many_fields(item, (*location, name))


def _malformed(error: str) -> MalformedRequest:
    repeated = _REPEATED.match(error)
    if repeated is None:
        return MalformedRequest("The body is not JSON in UTF-8.")
    name = repeated[1]
    is_quotable = name.isascii() and name.isprintable() and len(name) <= MAX_QUOTED_NAME
    subject = f"The field {name}" if is_quotable else "A field"
    return MalformedRequest(f"{subject} is repeated in an object of the body.")


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
        error = context["error"]
        # In a query, a plus sign that is not encoded is a space.
        is_query_moment = isinstance(error, NotAMoment) and locator == "parameter"
        hint = " In a query, write a plus sign as %2B." if is_query_moment else ""
        return f"{error}{hint}"
    if kind == "too_long":
        return f"Must have at most {_items(context['max_length'])}."
    if kind == "too_short":
        return f"Must have at least {_items(context['min_length'])}."
    if kind == "string_pattern_mismatch" and context["pattern"] in _PATTERN_MESSAGES:
        return _PATTERN_MESSAGES[context["pattern"]]
    message = str(failure["msg"]).replace("Input should", "Must")
    return message.replace("String should", "Must") + "."


def _items(count: int) -> str:
    return "1 item" if count == 1 else f"{count} items"
