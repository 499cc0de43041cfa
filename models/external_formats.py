"""Read the formats of other programs: leniently, ignoring unknown fields."""

import re
from datetime import UTC, date, datetime, tzinfo
from typing import Annotated, Any, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
)
from pydantic.alias_generators import to_camel

from models import fields
from models.errors import ValidationFailed
from models.fields import parse_moment

T = TypeVar("T")
_HOUR = re.compile(r"^(\d{4}-\d\d-\d\d[T ])(\d):")
_OFFSET = re.compile(
    r"(?<!\s)\s++(?:(?:UTC|GMT|Z)$|([+-]\d\d:?\d\d)(?:\s+[A-Z]{1,5})?$)"
)


class ExternalModel(BaseModel):
    """The base of schemas of other programs: unknown fields are ignored."""

    model_config = ConfigDict(
        coerce_numbers_to_str=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
        validate_by_alias=True,
        validate_by_name=True,
    )


class ExternalCamelModel(ExternalModel):
    """The same, with field names in camelCase."""

    model_config = ConfigDict(alias_generator=to_camel)


def parse_external_moment(value: Any, zone: tzinfo = UTC) -> datetime:
    """Parse a time of another program; without an offset it is in `zone`."""
    if isinstance(value, str):
        value = _parse_text(value.strip())
    elif isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)  # noqa: DTZ001  see below
    if not isinstance(value, datetime):
        raise ValueError("Must be a date and time.")
    at = value if value.tzinfo else value.replace(tzinfo=zone)
    return parse_moment(at.isoformat())


def external_moment_or_none(text: str, zone: tzinfo = UTC) -> datetime | None:
    """Parse a time of another program; return None if it is not one."""
    try:
        return parse_external_moment(text, zone)
    except ValueError:
        return None


def _parse_text(text: str) -> datetime:
    """
    Parse ISO 8601 as people write it.

    An hour may have one digit; a space may precede the offset, which may be a name.
    """
    normalized = _OFFSET.sub(lambda match: match[1] or "+00:00", text)
    normalized = _HOUR.sub(r"\g<1>0\2:", normalized, count=1)
    try:
        return datetime.fromisoformat(normalized)
    except ValueError:
        raise ValueError(f"'{text}' is not a date and time.") from None


def _parse_in_zone(value: Any, info: ValidationInfo) -> datetime:
    return parse_external_moment(value, info.context or UTC)


ExternalMoment = Annotated[datetime, BeforeValidator(_parse_in_zone)]
# Some programs write an empty string if there is no time.
OptionalExternalMoment = Annotated[
    ExternalMoment | None, BeforeValidator(lambda value: value or None)
]


def parse_json(type_: type[T], text: str | bytes, name: str) -> T:
    """Parse JSON as this type; raise ValidationFailed, which begins with `name`."""
    try:
        return TypeAdapter(type_).validate_json(text)
    except ValidationError as error:
        raise ValidationFailed(f"{name}: {first_error(error)}") from None


def validate_as(type_: type[T], value: Any, name: str, zone: tzinfo = UTC) -> T:
    """Validate a parsed value as this type; times without an offset are in `zone`."""
    try:
        return TypeAdapter(type_).validate_python(value, context=zone)
    except ValidationError as error:
        raise ValidationFailed(f"{name}: {first_error(error)}") from None


def first_error(error: ValidationError) -> str:
    """Return the first error as a sentence that begins with its location."""
    location, message = fields.first_error(error)
    return f"{location}: {message}." if location else f"{message}."
