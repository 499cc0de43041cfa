"""Keyset pagination: complete, in order, and never shifted."""

import base64
from datetime import timedelta
from typing import Literal

import pytest

from models.base import epoch_ms
from models.errors import InvalidCursor
from models.instance import InstanceRow
from models.pagination import (
    CursorQuery,
    OffsetQuery,
    ascending,
    cursor_page,
    descending,
    offset_page,
)
from models.platform.keys import KeyRow
from tests.conftest import NOON

pytestmark = pytest.mark.both_engines


class ListThings(CursorQuery):
    status: Literal["active", "revoked"] | None = None


class ListOthers(CursorQuery):
    status: Literal["active", "revoked"] | None = None


def add(number, at=NOON):
    KeyRow.create(
        id=f"{number:03}",
        prefix=f"p{number}",
        hash=f"h{number}",
        name="x",
        scopes=[],
        created_at=at,
        issuer="x",
        lineage="x",
    )


@pytest.fixture
def rows(store):
    """Nine rows, three for each instant."""
    for number in range(9):
        add(number, NOON + timedelta(milliseconds=number // 3))


def page(query, *sorts):
    found = cursor_page(
        KeyRow.select(),
        query,
        *(sorts or (descending(KeyRow.created_at), descending(KeyRow.id))),
    )
    return [row.id for row in found.items], found.meta["cursor"]


def walked(limit, *sorts):
    """Return the ids of all pages, one page after the other."""
    ids, cursor = page(ListThings(limit=limit), *sorts)
    while cursor:
        more, cursor = page(ListThings(limit=limit, cursor=cursor), *sorts)
        ids += more
    return ids


@pytest.mark.parametrize("limit", range(1, 11))
def test_pages_are_complete(limit, rows):
    """For any limit each row is returned once, also with equal instants."""
    assert walked(limit) == [f"{number:03}" for number in range(8, -1, -1)]


def test_two_ways_of_sorting(rows):
    """One sort key may descend while the next ascends."""
    ids = walked(2, descending(KeyRow.created_at), ascending(KeyRow.id))

    assert ids == [f"{n:03}" for n in (6, 7, 8, 3, 4, 5, 0, 1, 2)]


def test_last_page(rows):
    """A page that is exactly full is the last, and says so."""
    ids, cursor = page(ListThings(limit=9))

    assert len(ids) == 9
    assert cursor is None


def test_rows_added_meanwhile(rows):
    """Rows that are added before the cursor shift nothing after it."""
    _, cursor = page(ListThings(limit=3))
    add(500, NOON + timedelta(days=1))

    ids, _ = page(ListThings(limit=3, cursor=cursor))

    assert ids == ["005", "004", "003"]


def test_row_of_the_cursor_is_gone(rows):
    """A cursor has values, not a row, so it outlives the row."""
    _, cursor = page(ListThings(limit=3))
    KeyRow.delete().where(KeyRow.id == "006").execute()

    assert page(ListThings(limit=1, cursor=cursor))[0] == ["005"]


def test_limit_may_change(rows):
    """A page of another size continues at the same place."""
    _, cursor = page(ListThings(limit=1))

    assert page(ListThings(limit=2, cursor=cursor))[0] == ["007", "006"]


@pytest.mark.parametrize(
    "body", [ListThings(status="active"), ListOthers(), CursorQuery()]
)
def test_cursor_of_another_question(body, rows):
    """A cursor is rejected with other filters or for another list."""
    _, cursor = page(ListThings(limit=1))

    with pytest.raises(InvalidCursor):
        page(body.model_copy(update={"cursor": cursor}))


def test_cursor_of_another_installation(rows):
    """A cursor is valid only for the installation that issued it."""
    _, cursor = page(ListThings(limit=1))
    InstanceRow.update(value="00" * 32).execute()

    with pytest.raises(InvalidCursor):
        page(ListThings(cursor=cursor))


def test_cursor_has_one_text(rows):
    """Text that only a lenient decoder would accept is no cursor."""
    _, cursor = page(ListThings(limit=1))
    raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    texts = {cursor + "=", cursor + "====", " " + cursor, cursor + "\n"}
    texts.add(base64.b64encode(raw + b"\xff\xff\xff").decode())

    for text in texts:
        with pytest.raises(InvalidCursor):
            page(ListThings(cursor=text))


def test_cursor_keeps_values_as_stored(rows):
    """The instant in a cursor is the number in the database."""
    _, cursor = page(ListThings(limit=1))
    raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))

    assert str(epoch_ms(NOON) + 2).encode() in raw


@pytest.mark.parametrize(
    ("offset", "limit", "ids", "more"),
    [
        (0, 4, ["000", "001", "002", "003"], True),
        (5, 4, ["005", "006", "007", "008"], False),
        (8, 100, ["008"], False),
        (2**53, 1, [], False),
    ],
)
def test_offset(offset, limit, ids, more, rows):
    """Pages by offset say whether there are more."""
    found = offset_page(
        KeyRow.select().order_by(KeyRow.id), OffsetQuery(offset=offset, limit=limit)
    )

    assert [row.id for row in found.items] == ids
    assert found.meta == {"offset": offset, "limit": limit, "more": more}
