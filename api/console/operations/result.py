"""Prepare what an operation has answered for a page that people read."""

import json
from dataclasses import dataclass
from typing import Any, Self

from api.console.console_request import OperationResult
from api.console.operations.curl import escape_unprintable
from api.operation import Operation
from models.locales import Locale

# Beyond these, JSON reads better than a table.
MAX_COLUMNS = 12
MAX_CELL = 200


@dataclass(frozen=True)
class Table:
    columns: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Result:
    """A response: its data as JSON, and as a table if it is a list of flat objects."""

    json: str
    table: Table | None
    # Shown once, and not part of the JSON.
    secret: str | None
    is_dry: bool
    is_replayed: bool

    @classmethod
    def of(
        cls,
        operation: Operation,
        found: OperationResult,
        locale: Locale,
        *,
        is_dry: bool = False,
    ) -> Self:
        data, secret = found.data, None
        if operation.secret_field and data.get(operation.secret_field):
            secret = data[operation.secret_field]
            data = data | {operation.secret_field: "…"}
        return cls(
            json=escape_unprintable(json.dumps(data, indent=2, ensure_ascii=False)),
            table=_table(data, locale),
            # What a dry run has made opens nothing.
            secret=None if is_dry else secret,
            is_dry=is_dry,
            is_replayed=found.is_replayed,
        )


def _table(data: Any, locale: Locale) -> Table | None:
    """Return a table of a list of flat objects; columns without values are left out."""
    if not isinstance(data, list) or not data:
        return None
    if not all(isinstance(row, dict) for row in data):
        return None
    rows = [{name: _cell(value, locale) for name, value in row.items()} for row in data]
    if any(cell is None for row in rows for cell in row.values()):
        return None
    names = {name: True for row in rows for name in row}
    columns = [name for name in names if any(row.get(name) for row in rows)]
    if not columns or len(columns) > MAX_COLUMNS:
        return None
    return Table(columns, [[row.get(c) or "" for c in columns] for row in rows])


def _cell(value: Any, locale: Locale) -> str | None:
    """Return the text of a cell, None for what is not flat or too long."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return locale.text("form.yes" if value else "form.no")
    if isinstance(value, list):
        parts = [_cell(part, locale) for part in value if not isinstance(part, list)]
        is_flat = None not in parts and len(parts) == len(value)
        value = locale.join_list(filter(None, parts)) if is_flat else {}
    if isinstance(value, dict):
        return None
    text = str(value)
    return None if len(text) > MAX_CELL or "\n" in text else text
