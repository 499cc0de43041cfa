"""
Paginate lists: by keyset with signed cursors, or by offset.

Rows that are added in the meantime never shift a page. A cursor is base64url of an
HMAC tag and what it continues: the operation's query, its filters, and the sort values
of the last row. Nothing else is accepted.
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import Annotated, Any, Generic, TypeVar

from peewee import SQL, ModelSelect
from pydantic import Field

from models.base import Schema, canonical_json
from models.errors import InvalidCursor
from models.fields import LIMIT, QueryInteger
from models.instance import cursor_secret

VERSION = 1
TAG_BYTES = 16
MAX_PAGE_BYTES = 4 * 1024 * 1024

T = TypeVar("T")
Limit = Annotated[QueryInteger, Field(ge=1, le=100)]


class CursorQuery(Schema):
    """The query of a list with cursors; `limit` may change between pages."""

    cursor: str | None = Field(
        default=None,
        description="The cursor from the previous page. Omit it for the first page.",
        examples=["AQIDBAUGBwgJCgsMDQ4PEA"],
    )
    limit: Annotated[Limit, LIMIT] = 20

    def fingerprint(self) -> str:
        """Return a digest of the query and its filters, to which a cursor is bound."""
        filters = self.model_dump(mode="json", exclude={"cursor", "limit"})
        content = canonical_json([type(self).__name__, filters])
        return hashlib.sha256(content).hexdigest()[:16]

    def decode_cursor(self) -> list[Any] | None:
        """
        Return the sort values after which the page begins, None for the first page.

        Raise InvalidCursor for a cursor that is damaged or belongs to another query.
        """
        return None if self.cursor is None else _decode(self.cursor, self.fingerprint())


class RankedQuery(CursorQuery):
    """
    The query of a list that can be sorted by relevance.

    The `meta` of a page has `sortedBy` if its rows are sorted by time instead, because
    too many match to rank them all.
    """


class OffsetQuery(Schema):
    offset: Annotated[QueryInteger, Field(ge=0, le=2**53)] = Field(
        default=0, description="The number of entries to skip."
    )
    limit: Annotated[Limit, LIMIT] = 50


@dataclass(frozen=True)
class Page(Generic[T]):
    """Some rows of a list, and the `meta` of the response."""

    items: list[T]
    meta: dict[str, Any]


@dataclass(frozen=True)
class Sort:
    """One level of an order: the SQL expression, and its value in a row."""

    expression: Any
    value: Callable[[Any], Any]
    descending: bool = False

    def after(self, last: Any) -> Any:
        return self.expression < last if self.descending else self.expression > last

    def at_or_after(self, last: Any) -> Any:
        return self.expression <= last if self.descending else self.expression >= last

    def order(self) -> Any:
        return self.expression.desc() if self.descending else self.expression.asc()


@dataclass(frozen=True)
class NullsLast(Sort):
    """A level at which nulls come last in both directions."""

    def after(self, last: Any) -> Any:
        if last is None:
            return SQL("1 = 0")
        return super().after(last) | self.expression.is_null()

    def at_or_after(self, last: Any) -> Any:
        is_null = self.expression.is_null()
        return is_null if last is None else super().at_or_after(last) | is_null

    def order(self) -> Any:
        column = self.expression
        return (column.desc if self.descending else column.asc)(nulls="last")


def nulls_last(field: Any, *, descending: bool) -> Sort:
    return NullsLast(field, _db_value(field), descending)


def ascending(field: Any) -> Sort:
    return Sort(field, _db_value(field))


def descending(field: Any) -> Sort:
    return Sort(field, _db_value(field), descending=True)


def _db_value(field: Any) -> Callable[[Any], Any]:
    return lambda row: field.db_value(getattr(row, field.name))


def cursor_page(
    select: "ModelSelect[Any]",
    query: CursorQuery,
    *sorts: Sort,
    weight: Callable[[Any], int] = lambda _: 0,
) -> Page[Any]:
    """
    Return the page after the query's cursor; the last sort must be unique.

    `weight` returns the size of a row in bytes. A page also ends once its rows have
    MAX_PAGE_BYTES; the cursor continues after them.
    """
    last = query.decode_cursor()
    if last is not None:
        select = select.where(_rows_after(sorts, last))
    ordered = select.order_by(*(sort.order() for sort in sorts))
    rows = list(ordered.limit(query.limit + 1))
    page = _limit_weight(rows[: query.limit], weight)
    has_more = len(rows) > len(page)
    last = [sort.value(page[-1]) for sort in sorts] if has_more else None
    return Page(page, {"cursor": next_cursor(query, last) if last else None})


def _limit_weight(rows: list[Any], weight: Callable[[Any], int]) -> list[Any]:
    total = 0
    for count, row in enumerate(rows, 1):
        total += weight(row)
        if total >= MAX_PAGE_BYTES:
            return rows[:count]
    return rows


def next_cursor(query: CursorQuery, last: list[Any]) -> str:
    """Return the cursor of the page after a row with these sort values."""
    return _encode(query.fingerprint(), last)


def filter_rows(
    rows: "ModelSelect[Any]", model: Any, query: Any, *names: str
) -> "ModelSelect[Any]":
    """
    Restrict the rows by those of the parameters that were sent.

    A row has the value of each, or one of the values if they are a list.
    """
    for name in names:
        column, value = getattr(model, name), getattr(query, name)
        if value is not None:
            is_list = isinstance(value, list)
            rows = rows.where(column.in_(value) if is_list else column == value)
    return rows


def offset_page(select: "ModelSelect[Any]", query: OffsetQuery) -> Page[Any]:
    rows = list(select.offset(query.offset).limit(query.limit + 1))
    has_more = len(rows) > query.limit
    meta = {"offset": query.offset, "limit": query.limit, "more": has_more}
    return Page(rows[: query.limit], meta)


def _rows_after(sorts: tuple[Sort, ...], last: list[Any]) -> Any:
    """
    Return the condition for rows that sort after the last one.

    They are greater at the first level at which they differ. The condition on the
    first level is redundant, but lets an index start at the page.
    """
    if len(last) != len(sorts):
        raise invalid_cursor()
    levels = []
    for depth, sort in enumerate(sorts):
        pairs = zip(sorts[:depth], last, strict=False)
        equal = [outer.expression == value for outer, value in pairs]
        levels.append(reduce(and_, [*equal, sort.after(last[depth])]))
    return sorts[0].at_or_after(last[0]) & reduce(or_, levels)


def _encode(fingerprint: str, last: list[Any]) -> str:
    content = canonical_json([VERSION, fingerprint, last])
    return _to_base64(_tag(content) + content)


def _to_base64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _decode(cursor: str, fingerprint: str) -> list[Any]:
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True)
    except ValueError:
        raise invalid_cursor() from None
    tag, content = raw[:TAG_BYTES], raw[TAG_BYTES:]
    # The decoder also accepts encodings that we do not write.
    if _to_base64(raw) != cursor:
        raise invalid_cursor()
    if not hmac.compare_digest(tag, _tag(content)):
        raise invalid_cursor()
    version, bound_to, last = json.loads(content)
    if version != VERSION or bound_to != fingerprint:
        raise invalid_cursor()
    return list(last)


def _tag(content: bytes) -> bytes:
    return hmac.digest(cursor_secret(), content, "sha256")[:TAG_BYTES]


def invalid_cursor() -> InvalidCursor:
    """Return the refusal of a cursor that this query did not return."""
    return InvalidCursor(
        "The cursor is damaged, or belongs to another list or other filters."
        " Start again without a cursor."
    )
