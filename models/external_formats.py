"""What other programs write: read for what is needed of it, whatever else it says."""

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

from models.errors import ValidationFailed
from models.fields import parse_moment

T = TypeVar("T")
_HOUR = re.compile(r"^(\d{4}-\d\d-\d\d[T ])(\d):")
_OFFSET = re.compile(r"\s+(?:(?:UTC|GMT|Z)$|([+-]\d\d:?\d\d)(?:\s+[A-Z]{1,5})?$)")


class Foreign(BaseModel):
    """Words of another program: unknown members are its own business."""

    model_config = ConfigDict(
        coerce_numbers_to_str=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
        validate_by_alias=True,
        validate_by_name=True,
    )


class ForeignCamel(Foreign):
    """The same, where its members are written in camelCase."""

    model_config = ConfigDict(alias_generator=to_camel)


def read_foreign_moment(value: Any, zone: tzinfo = UTC) -> datetime:
    """Read a time as others write it; without an offset it is of the zone."""
    if isinstance(value, str):
        value = _read_text(value.strip())
    elif isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)  # noqa: DTZ001  see below
    if not isinstance(value, datetime):
        raise ValueError("Must be a date and time.")
    at = value if value.tzinfo else value.replace(tzinfo=zone)
    return parse_moment(at.isoformat())


def _read_text(text: str) -> datetime:
    """
    Read ISO 8601 as people write it: an hour may have one digit.

    A space may stand before the offset, which may be a word.
    """
    spelled = _HOUR.sub(r"\g<1>0\2:", _OFFSET.sub(_offset, text), count=1)
    try:
        return datetime.fromisoformat(spelled)
    except ValueError:
        raise ValueError(f"'{text}' is no date and time.") from None


def _offset(found: re.Match[str]) -> str:
    return found[1] or "+00:00"


def _in_zone(value: Any, info: ValidationInfo) -> datetime:
    return read_foreign_moment(value, info.context or UTC)


ForeignMoment = Annotated[datetime, BeforeValidator(_in_zone)]
# Some write nothing where there is no time.
AnyMoment = Annotated[ForeignMoment | None, BeforeValidator(lambda said: said or None)]


def read(kind: type[T], text: str | bytes, what: str) -> T:
    """Read JSON as this kind; refuse in a sentence that begins with what it is."""
    try:
        return TypeAdapter(kind).validate_json(text)
    except ValidationError as error:
        raise ValidationFailed(f"{what}: {wrong_in(error)}") from None


def shaped(kind: type[T], value: Any, what: str, zone: tzinfo = UTC) -> T:
    """Do the same with what was read already; times without an offset are of a zone."""
    try:
        return TypeAdapter(kind).validate_python(value, context=zone)
    except ValidationError as error:
        raise ValidationFailed(f"{what}: {wrong_in(error)}") from None


def wrong_in(error: ValidationError) -> str:
    """Return the first mistake as a sentence that says where it is."""
    wrong = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in wrong["loc"])
    said = str(wrong["msg"]).removeprefix("Value error, ").rstrip(".")
    return f"{place}: {said}." if place else f"{said}."
