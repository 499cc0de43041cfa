"""Define the base classes of schemas and rows, and how values are encoded."""

import json
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, TypeVar
from uuid import UUID

from peewee import AutoField, BigIntegerField, Model, TextField
from pydantic import (
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, core_schema

from models.storage.database import database
from models.storage.schema import Table

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)
LATEST = datetime(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)

# The old and the new value of a field.
Change = tuple[Any, Any]

# The errors that a refusal lists at most.
MAX_ERRORS = 20


class ErrorCount:
    """The context of a validation whose lists skip the rest after MAX_ERRORS errors."""

    def __init__(self) -> None:
        self.errors = 0


class Schema(BaseModel):
    """
    The base of request and response schemas: snake_case in Python, camelCase in JSON.

    It is strict: a number in quotes, an unknown field and a NUL are rejected.

    What validates a schema is built when it is first used: building all of them takes
    longer than most commands do, which use few.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        allow_inf_nan=False,
        defer_build=True,
        extra="forbid",
        from_attributes=True,
        frozen=True,
        hide_input_in_errors=True,
        strict=True,
        validate_by_alias=True,
        validate_by_name=True,
    )

    # Of its optional fields, those that the example of a request has.
    example_fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, example: tuple[str, ...] = (), **config: Any) -> None:
        super().__init_subclass__(**config)
        cls.example_fields = example

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        json_schema = handler(schema)
        handler.resolve_ref_schema(json_schema)["exampleFields"] = cls.example_fields
        return json_schema

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema = handler(source)
        _limit_errors(handler.resolve_ref_schema(schema))
        return schema

    @field_validator("*", mode="after")
    @classmethod
    def _reject_nul(cls, value: Any) -> Any:
        # A batch has hundreds of fields, so values that are not text return early.
        if isinstance(value, str):
            has_nul = "\x00" in value
        elif isinstance(value, list | tuple):
            has_nul = any(isinstance(part, str) and "\x00" in part for part in value)
        else:
            return value
        if has_nul:
            raise ValueError("Must not contain the NUL character.")
        return value

    def canonical_bytes(self) -> bytes:
        """
        Return the same bytes for the same request, whatever the order of its fields.

        An omitted field and null are two requests: updates distinguish them.
        """
        return canonical_json(self.model_dump(mode="json", exclude_unset=True))

    def to_json(self) -> dict[str, Any]:
        """Return a dict that is ready for JSON, with camelCase keys."""
        return self.model_dump(mode="json", by_alias=True)

    def all_fields(self) -> dict[str, Any]:
        """Return every field, sent or by default, by its Python name."""
        return {name: getattr(self, name) for name in type(self).model_fields}

    def sent_fields(self) -> dict[str, Any]:
        """Return the fields that were sent, by their Python names."""
        return {name: getattr(self, name) for name in self.model_fields_set}


def _limit_errors(node: Any) -> None:
    """
    Limit the errors of all lists in a schema, but not in the schemas it refers to.

    An error takes a kilobyte, and an item of three bytes can have ten. A list of
    limited length, as requests have, goes on until there are MAX_ERRORS.
    """
    if isinstance(node, dict):
        if node.get("type") == "list":
            if "max_length" in node:
                node["items_schema"] = core_schema.with_info_wrap_validator_function(
                    _validate_item, node["items_schema"]
                )
            else:
                node["fail_fast"] = True
        for part in node.values():
            _limit_errors(part)
    elif isinstance(node, list):
        for part in node:
            _limit_errors(part)


def _validate_item(
    value: Any, validate: ValidatorFunctionWrapHandler, info: ValidationInfo
) -> Any:
    count: Any = info.context
    if not isinstance(count, ErrorCount):
        return validate(value)
    if count.errors >= MAX_ERRORS:
        return value
    try:
        return validate(value)
    except ValidationError as error:
        count.errors += error.error_count()
        raise


class MomentField(BigIntegerField):
    """A time, stored as milliseconds since 1970: compact, sortable and divisible."""

    def db_value(self, value: Any) -> int | None:
        return epoch_ms(value) if isinstance(value, datetime) else value

    def python_value(self, value: Any) -> datetime | None:
        return None if value is None else from_epoch_ms(value)


class ListField(TextField):
    """A short list of strings, stored as JSON."""

    def db_value(self, value: Any) -> Any:
        return value if isinstance(value, str) else json.dumps(list(value))

    def python_value(self, value: Any) -> Any:
        # In an outer join, a row may be missing.
        return None if value is None else json.loads(value)


class JsonField(TextField):
    """An object that no query looks into, stored as JSON."""

    def db_value(self, value: Any) -> Any:
        return None if value is None else canonical_json(value).decode()

    def python_value(self, value: Any) -> Any:
        return None if value is None else json.loads(value)


class Row(Model):
    """The base of all rows; a table is named after its class, in the singular."""

    updated_at: Any

    class Meta:
        database = database
        legacy_table_names = False
        only_save_dirty = True

    def change(self, values: dict[str, Any], now: datetime) -> dict[str, Change]:
        """Save the values that differ, with a new updated_at; return the changes."""
        changes = self.assign(values)
        if changes:
            self.touch(now)
        return changes

    def assign(self, values: dict[str, Any]) -> dict[str, Change]:
        """Set the values that differ, and return the changes; nothing is saved."""
        pairs = {name: (getattr(self, name), new) for name, new in values.items()}
        changes = {name: pair for name, pair in pairs.items() if _differ(*pair)}
        for name, (_, new) in changes.items():
            setattr(self, name, new)
        return changes

    def touch(self, now: datetime) -> None:
        """Save with a new updated_at, which increases with every call."""
        self.date_update(now)
        self.save()

    def date_update(self, now: datetime) -> None:
        """Set a new updated_at, which increases with every call."""
        # An imported row may be of the last millisecond that there is.
        next_time = min(self.updated_at, LATEST - MILLISECOND) + MILLISECOND
        self.updated_at = max(now, next_time)


def _differ(old: Any, new: Any) -> bool:
    # In Python 1 == True == 1.0; in the JSON of an object the three differ.
    if isinstance(old, dict) and isinstance(new, dict):
        return canonical_json(old) != canonical_json(new)
    return bool(old != new)


AnyRow = TypeVar("AnyRow", bound=Row)


def row_with_id(
    model: type[AnyRow], id: str | None, not_found: type[Exception], noun: str
) -> AnyRow:
    """Return the row with the id; raise the error, with a sentence that names it."""
    rows: Any = model
    row: AnyRow | None = rows.get_or_none(rows.id == id)
    if row is None:
        raise not_found(f"No {noun} has the id '{id}'.")
    return row


def insert_all(rows: Sequence[Row]) -> None:
    """
    Insert many new rows of one table, in their order.

    It bypasses Peewee, which takes ten times as long to build the statement as the
    engine to run it. Numbers that the database assigns are not set on the rows.
    """
    if not rows:
        return
    fields = [
        field
        for field in type(rows[0])._meta.sorted_fields
        if not isinstance(field, AutoField)
    ]
    columns = tuple(field.column_name for field in fields)
    table = Table(table_name(type(rows[0])), columns, key=(), booleans=frozenset())
    values = (
        tuple(field.db_value(row.__data__.get(field.name)) for field in fields)
        for row in rows
    )
    database.insert_rows(table, values)


def table_name(model: type[Model]) -> str:
    """Return the name of the row's table: `stored_response` for StoredResponseRow."""
    noun = model.__name__.removesuffix("Row")
    return "".join("_" + c.lower() if c.isupper() else c for c in noun).lstrip("_")


Row._meta.table_function = table_name


def epoch_ms(at: datetime) -> int:
    return (at - EPOCH) // MILLISECOND


def from_epoch_ms(value: int) -> datetime:
    return EPOCH + value * MILLISECOND


def new_id(now: datetime) -> str:
    """Return a UUID of version 7: ids sort by the time of their creation."""
    stamp = epoch_ms(now) << 80
    version, variant = 7 << 76, 2 << 62
    noise = secrets.randbits(74)
    high, low = noise >> 62 << 64, noise & ((1 << 62) - 1)
    return str(UUID(int=stamp | version | high | variant | low))


def canonical_json(value: Any) -> bytes:
    """Return the same bytes for equal JSON values, whatever the order of their keys."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    ).encode()
