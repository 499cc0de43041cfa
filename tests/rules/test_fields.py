"""Field types that the areas share: accepted, rejected and returned values."""

from datetime import timedelta, timezone
from typing import Annotated
from uuid import RFC_4122, UUID

import pytest
from pydantic import ValidationError

from models.base import Schema, canonical_json, epoch_ms, from_epoch_ms, new_id
from models.fields import (
    Id,
    MayOmit,
    Moment,
    QueryBoolean,
    QueryInteger,
    SingleLine,
    Slug,
    StatusSlug,
    WholeNumber,
    format_moment,
    parse_moment,
)
from tests.conftest import NOON


class Words(Schema):
    moment: MayOmit[Moment] = None
    id: MayOmit[Id] = None
    whole: MayOmit[WholeNumber] = None
    digits: MayOmit[QueryInteger] = None
    flag: MayOmit[QueryBoolean] = None
    slug: MayOmit[Slug] = None
    status_slug: MayOmit[StatusSlug] = None
    line: MayOmit[Annotated[str, SingleLine]] = None
    lines: MayOmit[list[str]] = None


ID = "0190b6a0-0000-7000-8000-00000000000a"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-01T12:00:00Z", "2026-03-01T12:00:00.000Z"),
        ("2026-03-01t12:00:00z", "2026-03-01T12:00:00.000Z"),
        ("2026-03-01T14:00:00.5+02:00", "2026-03-01T12:00:00.500Z"),
        ("2026-03-01T00:00:00.123456789-00:00", "2026-03-01T00:00:00.123Z"),
        ("2026-03-01T12:00:00.9999Z", "2026-03-01T12:00:00.999Z"),
        ("2024-02-29T23:59:59Z", "2024-02-29T23:59:59.000Z"),
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"),
    ],
)
def test_moment(text, expected):
    """Any offset is accepted; UTC with milliseconds is returned."""
    assert format_moment(parse_moment(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("", "now", "2026-03-01", "2026-03-01T12:00:00", "2026-03-01 12:00:00Z"),
        *("2026-03-01T12:00Z", "20260301T120000Z", "2026-03-01T12:00:00,5Z"),
        *("2026-02-29T12:00:00Z", "2026-03-01T24:00:00Z", "2026-03-01T12:00:60Z"),
        *("2026-03-01T12:00:00+0200", "2026-03-01T12:00:00+24:00"),
        *("1969-12-31T23:59:59Z", "0001-01-01T00:00:00+23:59"),
        *("٢٠٢٦-03-01T12:00:00Z", "2026-03-01T12:00:00Z\n", 1772366400, None, True),
    ],
)
def test_no_moment(text):
    """A date-time is RFC 3339 with an offset, valid, and after 1970."""
    with pytest.raises(ValueError, match="Must be"):
        parse_moment(text)


def test_moment_of_another_zone():
    """A time is returned in UTC, whatever its zone."""
    there = NOON.astimezone(timezone(timedelta(hours=5, minutes=45)))

    assert format_moment(there) == "2026-03-01T12:00:00.000Z"
    assert from_epoch_ms(epoch_ms(there)) == NOON


@pytest.mark.parametrize(
    ("name", "value", "stored"),
    [
        ("id", ID, ID),
        ("whole", 5.0, 5),
        ("whole", -3, -3),
        ("digits", "007", 7),
        ("flag", "true", True),
        ("flag", False, False),
        ("slug", "a1-b", "a1-b"),
        ("slug", "1", "1"),
        ("statusSlug", "a--b-", "a--b-"),
        ("line", "ünï 🎉", "ünï 🎉"),
    ],
)
def test_word(name, value, stored):
    """A valid value is stored as what it means."""
    words = Words.model_validate({name: value}, by_name=False)

    assert list(words.sent_fields().values()) == [stored]
    assert list(words.to_json().values()).count(stored) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("id", ID.upper()), ("id", f"{{{ID}}}"), ("id", f"urn:uuid:{ID}")),
        *(("id", ID.replace("-", "")), ("id", ID + "\n"), ("id", 5), ("id", None)),
        *(("whole", "5"), ("whole", 5.5), ("whole", True), ("whole", float("nan"))),
        *(("digits", "+5"), ("digits", "5.0"), ("digits", " 5"), ("digits", "٣")),
        *(("digits", ""), ("digits", "1" * 16)),
        *(("flag", "True"), ("flag", "1"), ("flag", 1), ("flag", "")),
        *(("slug", ""), ("slug", "a--b"), ("slug", "-a"), ("slug", "A")),
        *(("slug", "a\n"), ("slug", "x" * 65)),
        *(("statusSlug", "1a"), ("statusSlug", "a_b"), ("statusSlug", "a\n")),
        *(("line", "a\nb"), ("line", "a\x7fb"), ("line", "a\x85b")),
        *(("line", "a\x9bb"), ("line", "a\u2028b"), ("line", "a\x00")),
        *(("lines", ["a", "b\x00"]), ("lines", None), ("status_slug", "a")),
        ("unknown", 1),
    ],
)
def test_no_word(name, value):
    """Validation is strict: nothing is guessed, and NUL is rejected everywhere."""
    with pytest.raises(ValidationError):
        Words.model_validate({name: value}, by_name=False)


def test_ids_sort_by_time():
    """Ids are UUIDs of version 7: a later one is greater."""
    ids = [new_id(NOON + timedelta(milliseconds=n)) for n in range(100)]

    assert ids == sorted(ids)
    assert all(UUID(each).version == 7 for each in ids)
    assert all(UUID(each).variant == RFC_4122 for each in ids)
    assert len({new_id(NOON) for _ in range(1000)}) == 1000


def test_canonical():
    """Equal JSON has equal bytes, whatever the order of its members."""
    assert (
        canonical_json({"b": [1, "é"], "a": None}) == '{"a":null,"b":[1,"é"]}'.encode()
    )
    assert canonical_json({"a": None, "b": [1, "é"]}) == canonical_json(
        {"b": [1, "é"], "a": None}
    )


def test_left_out_is_not_null():
    """A schema knows which fields were sent, so that an update changes nothing else."""
    assert Words().sent_fields() == {}
    assert Words(whole=0).sent_fields() == {"whole": 0}
