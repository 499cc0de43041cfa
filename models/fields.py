"""Define the field types that all areas share: times, ids, slugs, lines of text."""

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
    ValidationError,
)
from pydantic_core import CoreSchema, core_schema

T = TypeVar("T")

# Pattern P of spec.md; status slugs have a pattern of their own.
SLUG = r"^[a-z0-9]+(?:-[a-z0-9]+)*$"
STATUS_SLUG = r"^[a-z][a-z0-9-]*$"
SLUG_LENGTH = 64
SHA256_HEX = r"^[0-9a-f]{64}$"

_RFC3339 = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)
UUID_TEXT = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
EARLIEST_YEAR = 1970


class NotAMoment(ValueError):
    """The text is not a date-time with an offset."""


def parse_moment(value: Any) -> datetime:
    """Parse RFC 3339 text with an offset, to milliseconds; pass a datetime."""
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str) or not _RFC3339.fullmatch(value):
        raise NotAMoment(
            "Must be a date-time with an offset, such as 2026-03-01T12:00:00Z."
        )
    try:
        moment = datetime.fromisoformat(value.upper())
        if moment.tzinfo is not UTC:
            moment = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("Must be a date and time that exist.") from None
    if moment.year < EARLIEST_YEAR:
        raise ValueError("Must be a time from the year 1970 to 9999.")
    return truncate_to_ms(moment)


def truncate_to_ms(moment: datetime) -> datetime:
    """Truncate to milliseconds, the precision that is stored and shown."""
    excess = moment.microsecond % 1000
    return moment - timedelta(microseconds=excess) if excess else moment


def format_moment(moment: datetime) -> str:
    if moment.tzinfo is not UTC:
        moment = moment.astimezone(UTC)
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def parse_whole_number(value: Any) -> Any:
    # JSON has one kind of number: 5.0 is the integer 5.
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _parse_digits(value: Any) -> Any:
    if isinstance(value, str):
        if not re.fullmatch(r"[0-9]{1,15}", value):
            raise ValueError("Must be a whole number of at most 15 digits.")
        return int(value)
    return value


def parse_boolean(value: Any) -> Any:
    if isinstance(value, str):
        if value not in ("true", "false"):
            raise ValueError("Must be true or false.")
        return value == "true"
    return value


def parse_uuid(value: Any) -> str:
    if isinstance(value, UUID):
        return str(value)
    if not isinstance(value, str) or not UUID_TEXT.fullmatch(value):
        raise ValueError("Must be a UUID in lower case with its hyphens.")
    return value


def _require_single_line(value: str) -> str:
    if any(category(char) in ("Cc", "Zl", "Zp") for char in value):
        raise ValueError("Must be a single line without control characters.")
    return value


def slugify(name: str) -> str:
    """Return the name as a slug, which may begin with a digit or be empty."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def first_error(error: ValidationError) -> tuple[str, str]:
    """Return where the first error is, parts joined by '.', and its words."""
    first = error.errors(include_url=False, include_input=False)[0]
    location = ".".join(map(str, first["loc"]))
    return location, str(first["msg"]).removeprefix("Value error, ").rstrip(".")


def unique_slug(slug: str, taken: AbstractSet[str], after: int = 1) -> str:
    """
    Return the slug, with -2, -3, … appended if it is taken.

    Numbers up to `after` are known to be taken.
    """
    candidate, count = slug, after
    while candidate in taken:
        count += 1
        suffix = f"-{count}"
        candidate = slug[: SLUG_LENGTH - len(suffix)].rstrip("-") + suffix
    return candidate


def null_if_empty(value: str | None) -> str | None:
    return value or None


Moment = Annotated[
    datetime,
    BeforeValidator(parse_moment),
    PlainSerializer(format_moment, return_type=str),
    Field(json_schema_extra={"format": "date-time"}),
]
Id = Annotated[
    str,
    BeforeValidator(parse_uuid),
    Field(json_schema_extra={"format": "uuid"}),
]
WholeNumber = Annotated[int, BeforeValidator(parse_whole_number)]
# Values of a query string, which are text.
QueryInteger = Annotated[int, BeforeValidator(_parse_digits)]
QueryBoolean = Annotated[bool, BeforeValidator(parse_boolean)]
Slug = Annotated[str, Field(min_length=1, max_length=SLUG_LENGTH, pattern=SLUG)]
StatusSlug = Annotated[
    str, Field(min_length=1, max_length=SLUG_LENGTH, pattern=STATUS_SLUG)
]

# For lists.
WithoutDuplicates = AfterValidator(lambda values: list(dict.fromkeys(values)))

# A name or title is one line; it is trimmed before its length is checked.
TRIMMED = StringConstraints(strip_whitespace=True)
SingleLine = AfterValidator(_require_single_line)


class NotNull:
    """Marks a field that may be left out but must not be null."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(_not_null, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        json_schema = handler(schema)
        choices = json_schema.pop("anyOf", [])
        choices = [choice for choice in choices if choice != {"type": "null"}]
        return json_schema | (choices[0] if len(choices) == 1 else {"anyOf": choices})


def _not_null(value: Any) -> Any:
    if value is None:
        raise ValueError("Must not be null; leave it out instead.")
    return value


MayOmit = Annotated[T | None, NotNull()]

# What the examples of the API show.
EXAMPLE_ID = "0199d6c1-3b6a-7a10-8d5f-3f2a5f1c9b01"
OTHER_ID = "0199d6c1-3b6a-7a10-8d5f-3f2a5f1c9b02"
# What fields of every area mean.
ID = Field(description="The ID.", examples=[EXAMPLE_ID])
TARGET_ID = Field(
    description="The ID of the object that was changed.", examples=[EXAMPLE_ID]
)
STATUS = Field(description="The status.")
LIMIT = Field(description="The maximum number of entries on a page.")
RANGE_START = Field(
    description="The start of the time range; entries that end before it are omitted."
)
CreatedAt = Annotated[Moment, Field(description="When it was created.")]
UpdatedAt = Annotated[Moment, Field(description="When it was last changed.")]
ChangeDetail = Annotated[
    str, Field(description="Details of the change.", examples=[None])
]
ChangedAt = Annotated[Moment, Field(description="When the change was made.")]
RangeEnd = Annotated[
    Moment,
    Field(
        description="The end of the time range; entries that begin after it are"
        " omitted."
    ),
]
ACTION = Field(description="The action that was recorded.")
TARGET_TYPE = Field(description="The type of the object that was changed.")
ACTOR = Field(description="Who made the change.", examples=["ada@example.com"])
