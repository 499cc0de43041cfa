"""The words that the areas share: times, ids, slugs and lines of text."""

import re
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, TypeVar
from unicodedata import category
from uuid import UUID

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    StringConstraints,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, core_schema

T = TypeVar("T")

# Pattern P of spec.md; the status slugs have a pattern of their own.
SLUG = r"^[a-z0-9]+(?:-[a-z0-9]+)*$"
STATUS_SLUG = r"^[a-z][a-z0-9-]*$"
SLUG_LENGTH = 64
SHA256 = r"^[0-9a-f]{64}$"

_RFC3339 = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)


def parse_moment(value: Any) -> datetime:
    """Return a time of ours as it is, or read RFC 3339 text with an offset."""
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str) or not _RFC3339.fullmatch(value):
        raise ValueError(
            "Must be a date-time with an offset, such as 2026-03-01T12:00:00Z;"
            " in a query a plus sign is written %2B."
        )
    try:
        moment = datetime.fromisoformat(value.upper())
        if moment.tzinfo is not UTC:
            moment = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("Must be a date and time that exist.") from None
    if not _EARLIEST <= moment <= _LATEST:
        raise ValueError("Must be a time from the year 1970 to 9999.")
    return to_milliseconds(moment)


def to_milliseconds(moment: datetime) -> datetime:
    """Cut to the precision that is kept and shown."""
    beyond = moment.microsecond % 1000
    return moment - timedelta(microseconds=beyond) if beyond else moment


def format_moment(moment: datetime) -> str:
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.removesuffix("+00:00") + "Z"


def _read_whole(value: Any) -> Any:
    # JSON has one kind of number: 5.0 is the integer 5.
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _read_digits(value: Any) -> Any:
    if isinstance(value, str):
        if not re.fullmatch(r"[0-9]{1,15}", value):
            raise ValueError("Must be a whole number of at most 15 digits.")
        return int(value)
    return value


def read_flag(value: Any) -> Any:
    if isinstance(value, str):
        if value not in ("true", "false"):
            raise ValueError("Must be true or false.")
        return value == "true"
    return value


def read_id(value: Any) -> str:
    if isinstance(value, UUID):
        return str(value)
    if not isinstance(value, str) or not _UUID.fullmatch(value):
        raise ValueError("Must be a UUID in lower case with its hyphens.")
    return value


def _single_line(value: str) -> str:
    if any(category(char) in ("Cc", "Zl", "Zp") for char in value):
        raise ValueError("Must be a single line without control characters.")
    return value


def slugged(name: str) -> str:
    """Return a name in the letters of a slug; it may begin with a digit or be empty."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def free_slug(slug: str, taken: AbstractSet[str]) -> str:
    """Return the slug, counted up if it is taken."""
    found, count = slug, 1
    while found in taken:
        count += 1
        ending = f"-{count}"
        found = slug[: SLUG_LENGTH - len(ending)].rstrip("-") + ending
    return found


def null_if_empty(value: str | None) -> str | None:
    return value or None


Moment = Annotated[
    datetime,
    BeforeValidator(parse_moment),
    PlainSerializer(format_moment, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
Id = Annotated[
    str,
    BeforeValidator(read_id),
    WithJsonSchema({"type": "string", "format": "uuid"}),
]
Whole = Annotated[int, BeforeValidator(_read_whole)]
# What a query says in text.
Digits = Annotated[int, BeforeValidator(_read_digits)]
Flag = Annotated[bool, BeforeValidator(read_flag)]
Slug = Annotated[str, Field(min_length=1, max_length=SLUG_LENGTH, pattern=SLUG)]
StatusSlug = Annotated[
    str, Field(min_length=1, max_length=SLUG_LENGTH, pattern=STATUS_SLUG)
]

# A name or title is one line, trimmed before it is measured.
TRIMMED = StringConstraints(strip_whitespace=True)
SingleLine = AfterValidator(_single_line)


class NotNull:
    """Marks what may be left out but not be null: null would be a value unsaid."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(_not_null, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        told = handler(schema)
        choices = [c for c in told.pop("anyOf", []) if c != {"type": "null"}]
        return told | choices[0] if len(choices) == 1 else told | {"anyOf": choices}


def _not_null(value: Any) -> Any:
    if value is None:
        raise ValueError("Must not be null; leave it out instead.")
    return value


MayOmit = Annotated[T | None, NotNull()]
