"""What every shape and every row has in common."""

import json
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from peewee import BigIntegerField, Model, TextField
from pydantic import BaseModel, ConfigDict, field_validator
from pydantic.alias_generators import to_camel

from models.storage.database import database

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


# What a member was and what it became.
Change = tuple[Any, Any]


class Schema(BaseModel):
    """
    Words in or out: snake_case inside, camelCase outside.

    Strict: a number in quotes, an unknown member and a NUL are refused.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        allow_inf_nan=False,
        extra="forbid",
        from_attributes=True,
        frozen=True,
        hide_input_in_errors=True,
        strict=True,
        validate_by_alias=True,
        validate_by_name=True,
    )

    @field_validator("*", mode="after")
    @classmethod
    def _without_nul(cls, value: Any) -> Any:
        # A batch has hundreds of members: what is no text is let through at once.
        if isinstance(value, str):
            found = "\x00" in value
        elif isinstance(value, list | tuple):
            found = any(isinstance(part, str) and "\x00" in part for part in value)
        else:
            return value
        if found:
            raise ValueError("Must not contain the NUL character.")
        return value

    def told(self) -> dict[str, Any]:
        """Return the shape as JSON would say it."""
        return self.model_dump(mode="json", by_alias=True)

    def members(self) -> dict[str, Any]:
        """Return every member, sent or by default, by its inside name."""
        return {name: getattr(self, name) for name in type(self).model_fields}

    def given(self) -> dict[str, Any]:
        """Return the members that were sent, by their inside names."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class MomentField(BigIntegerField):
    """A time, kept as milliseconds since 1970: compact, and it sorts and divides."""

    def db_value(self, value: Any) -> int | None:
        return milliseconds(value) if isinstance(value, datetime) else value

    def python_value(self, value: Any) -> datetime | None:
        return None if value is None else moment(value)


class ListField(TextField):
    """A short list of words, kept as JSON."""

    def db_value(self, value: Any) -> Any:
        return value if isinstance(value, str) else json.dumps(list(value))

    def python_value(self, value: Any) -> Any:
        return json.loads(value)


class JsonField(TextField):
    """An object that no query looks into, kept as JSON."""

    def db_value(self, value: Any) -> Any:
        return None if value is None else canonical(value).decode()

    def python_value(self, value: Any) -> Any:
        return None if value is None else json.loads(value)


class Row(Model):
    """A row of a table; tables are named in the singular."""

    updated_at: Any

    class Meta:
        database = database
        legacy_table_names = False
        only_save_dirty = True

    def change(self, wanted: dict[str, Any], now: datetime) -> dict[str, Change]:
        """Set the members that differ and the time of the change; return them."""
        found = {n: (getattr(self, n), v) for n, v in wanted.items()}
        changes = {n: pair for n, pair in found.items() if _differ(*pair)}
        for name, (_, new) in changes.items():
            setattr(self, name, new)
        if changes:
            self.touch(now)
        return changes

    def touch(self, now: datetime) -> None:
        """Save with a new updated_at, which never stands still or goes back."""
        self.updated_at = max(now, self.updated_at + MILLISECOND)
        self.save()


def _differ(old: Any, new: Any) -> bool:
    # In Python 1 is True and 1.0; in the JSON of an object they are three things.
    if isinstance(old, dict) and isinstance(new, dict):
        return canonical(old) != canonical(new)
    return bool(old != new)


def table_name(model: type[Model]) -> str:
    """ServiceRow is kept in `service`: the table has the noun's name."""
    words = model.__name__.removesuffix("Row")
    return "".join("_" + c.lower() if c.isupper() else c for c in words).lstrip("_")


Row._meta.table_function = table_name


def milliseconds(at: datetime) -> int:
    return (at - EPOCH) // MILLISECOND


def moment(value: int) -> datetime:
    return EPOCH + value * MILLISECOND


def new_id(now: datetime) -> str:
    """Return a UUID of version 7: ids sort by the time they were made."""
    stamp = milliseconds(now) << 80
    version, variant = 7 << 76, 2 << 62
    noise = secrets.randbits(74)
    high, low = noise >> 62 << 64, noise & ((1 << 62) - 1)
    return str(UUID(int=stamp | version | high | variant | low))


def canonical(value: Any) -> bytes:
    """Return equal bytes for equal JSON, whatever the order of its members."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    ).encode()
