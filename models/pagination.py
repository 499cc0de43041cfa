"""
Pages of a list by keyset: rows added meanwhile never shift a page.

A cursor is base64url of an HMAC tag and what it continues: the question, its
filters and the last row's sort values. Nothing else is accepted.
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

from models.base import Schema, canonical
from models.errors import InvalidCursor
from models.fields import Digits
from models.instance import cursor_secret

VERSION = 1
TAG_BYTES = 16
PAGE_BYTES = 4 * 1024 * 1024

T = TypeVar("T")
Limit = Annotated[Digits, Field(ge=1, le=100)]


class CursorQuery(Schema):
    """The question of a list in pages; `limit` may change between pages."""

    cursor: str | None = None
    limit: Limit = 20

    def place(self) -> str:
        """Name the question and its filters, which a cursor is bound to."""
        filters = self.model_dump(mode="json", exclude={"cursor", "limit"})
        content = canonical([type(self).__name__, filters])
        return hashlib.sha256(content).hexdigest()[:16]

    def last(self) -> list[Any] | None:
        """Return what the page comes after; refuse a cursor that is not of here."""
        return None if self.cursor is None else _read(self.cursor, self.place())


class OffsetQuery(Schema):
    offset: Annotated[Digits, Field(ge=0, le=2**53)] = 0
    limit: Limit = 50


@dataclass(frozen=True)
class Page(Generic[T]):
    """Some rows, and what stands beside them in the answer's `meta`."""

    items: list[T]
    meta: dict[str, Any]


@dataclass(frozen=True)
class Sort:
    """One level of an order: what SQL sorts by, and its value in a row."""

    by: Any
    value: Callable[[Any], Any]
    descending: bool = False

    def after(self, last: Any) -> Any:
        return self.by < last if self.descending else self.by > last

    def not_before(self, last: Any) -> Any:
        return self.by <= last if self.descending else self.by >= last

    def order(self) -> Any:
        return self.by.desc() if self.descending else self.by.asc()


@dataclass(frozen=True)
class NullsLast(Sort):
    """A level at which what has no value comes last, either way."""

    def after(self, last: Any) -> Any:
        if last is None:
            return SQL("1 = 0")
        return super().after(last) | self.by.is_null()

    def not_before(self, last: Any) -> Any:
        is_null = self.by.is_null()
        return is_null if last is None else super().not_before(last) | is_null

    def order(self) -> Any:
        way = self.by.desc if self.descending else self.by.asc
        return way(nulls="last")


def nulls_last(field: Any, *, descending: bool) -> Sort:
    return NullsLast(field, _stored(field), descending)


def ascending(field: Any) -> Sort:
    return Sort(field, _stored(field))


def descending(field: Any) -> Sort:
    return Sort(field, _stored(field), descending=True)


def _stored(field: Any) -> Callable[[Any], Any]:
    return lambda row: field.db_value(getattr(row, field.name))


def page_of(
    select: "ModelSelect[Any]",
    query: CursorQuery,
    *sorts: Sort,
    weight: Callable[[Any], int] = lambda _: 0,
) -> Page[Any]:
    """
    Return the page that follows the cursor; the last sort must be unique.

    A page also ends once its rows weigh PAGE_BYTES: the cursor continues.
    """
    last = query.last()
    if last is not None:
        select = select.where(_beyond(sorts, last))
    ordered = select.order_by(*(sort.order() for sort in sorts))
    rows = list(ordered.limit(query.limit + 1))
    page = _until_full(rows[: query.limit], weight)
    more = len(rows) > len(page)
    ends = [sort.value(page[-1]) for sort in sorts] if more else None
    return Page(page, {"cursor": continued(query, ends) if ends else None})


def _until_full(rows: list[Any], weight: Callable[[Any], int]) -> list[Any]:
    total = 0
    for count, row in enumerate(rows, 1):
        total += weight(row)
        if total >= PAGE_BYTES:
            return rows[:count]
    return rows


def continued(query: CursorQuery, last: list[Any]) -> str:
    """Return the cursor of the page after what `last` says of this one's end."""
    return _write(query.place(), last)


def offset_page(select: "ModelSelect[Any]", query: OffsetQuery) -> Page[Any]:
    rows = list(select.offset(query.offset).limit(query.limit + 1))
    more = len(rows) > query.limit
    meta = {"offset": query.offset, "limit": query.limit, "more": more}
    return Page(rows[: query.limit], meta)


def _beyond(sorts: tuple[Sort, ...], last: list[Any]) -> Any:
    """
    Rows after the last one: greater at the first level at which they differ.

    That none stands before it at the first level follows; said, it lets an index
    begin where the page does.
    """
    if len(last) != len(sorts):
        raise _invalid()
    levels = []
    for depth, sort in enumerate(sorts):
        same = [s.by == v for s, v in zip(sorts[:depth], last, strict=False)]
        levels.append(reduce(and_, [*same, sort.after(last[depth])]))
    return sorts[0].not_before(last[0]) & reduce(or_, levels)


def _write(place: str, last: list[Any]) -> str:
    content = canonical([VERSION, place, last])
    return _encoded(_tag(content) + content)


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _read(cursor: str, place: str) -> list[Any]:
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True)
    except ValueError:
        raise _invalid() from None
    tag, content = raw[:TAG_BYTES], raw[TAG_BYTES:]
    # One text for each cursor: the decoder forgives what we do not write.
    if _encoded(raw) != cursor:
        raise _invalid()
    if not hmac.compare_digest(tag, _tag(content)):
        raise _invalid()
    version, of, last = json.loads(content)
    if version != VERSION or of != place:
        raise _invalid()
    return list(last)


def _tag(content: bytes) -> bytes:
    return hmac.digest(cursor_secret(), content, "sha256")[:TAG_BYTES]


def _invalid() -> InvalidCursor:
    return InvalidCursor(
        "The cursor is damaged, or belongs to another list or other filters."
        " Start again without a cursor."
    )
