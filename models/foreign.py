"""What other programs write: read for what is needed of it, whatever else it says."""

from datetime import UTC, date, datetime
from typing import Annotated, Any, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    TypeAdapter,
    ValidationError,
)
from pydantic.alias_generators import to_camel

from models.errors import ValidationFailed
from models.words import read_moment

T = TypeVar("T")


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


def read_foreign_moment(value: Any) -> datetime:
    """Read a time as others write it; without an offset it is UTC."""
    if isinstance(value, str):
        value = datetime.fromisoformat(value.strip())
    elif isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)  # noqa: DTZ001  see below
    if not isinstance(value, datetime):
        raise ValueError("Must be a date and time.")
    at = value if value.tzinfo else value.replace(tzinfo=UTC)
    return read_moment(at.isoformat())


ForeignMoment = Annotated[datetime, BeforeValidator(read_foreign_moment)]
# Some write nothing where there is no time.
AnyMoment = Annotated[ForeignMoment | None, BeforeValidator(lambda said: said or None)]


def read(kind: type[T], text: str | bytes, what: str) -> T:
    """Read JSON as this kind; refuse in a sentence that begins with what it is."""
    try:
        return TypeAdapter(kind).validate_json(text)
    except ValidationError as error:
        raise ValidationFailed(f"{what}: {wrong_in(error)}") from None


def shaped(kind: type[T], value: Any, what: str) -> T:
    """Do the same with what was read already."""
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        raise ValidationFailed(f"{what}: {wrong_in(error)}") from None


def wrong_in(error: ValidationError) -> str:
    """Return the first mistake as a sentence that says where it is."""
    wrong = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in wrong["loc"])
    said = str(wrong["msg"]).removeprefix("Value error, ").rstrip(".")
    return f"{place}: {said}." if place else f"{said}."
