"""The list of keys on the command line."""

from datetime import timedelta

import pytest

from models.platform.key_inventory import (
    COLUMNS,
    all_keys,
    diagnose_secret,
    key_table,
    stale_keys,
)
from models.platform.keys import KeyRow, revoke_key
from models.platform.secrets import generate_secret
from tests.conftest import NOON

DAY, TICK = timedelta(days=1), timedelta(milliseconds=1)


OPERATIONS = ("status:services:list", "status:services:get")


@pytest.fixture
def key(issue):
    return issue("a:*", "b", expires_in_days=30)


def parsed(keys):
    head, *rest = key_table(keys, OPERATIONS)
    assert head.split("\t") == list(COLUMNS)
    return [dict(zip(COLUMNS, line.split("\t"), strict=True)) for line in rest]


def test_listed(key):
    """A key is listed on one line, without secret and hash."""
    assert parsed(all_keys(NOON)) == [
        {
            "prefix": key[:11],
            "status": "active",
            "created": "2026-03-01T12:00:00.000Z",
            "expires": "2026-03-31T12:00:00.000Z",
            "last used": "never",
            "name": "test",
            "scopes": "a:*,b",
        }
    ]


def test_scopes_that_open_nothing(issue):
    """A scope that matches no operation is marked; one of another product is not."""
    issue("status:service:list", "status:services:*", "other:product")

    assert parsed(all_keys(NOON))[0]["scopes"].split(",") == [
        *("status:service:list (opens no operation)", "status:services:*"),
        "other:product",
    ]


@pytest.mark.parametrize(
    ("used_at", "is_stale"),
    [
        (None, True),
        (NOON + DAY - TICK, True),
        (NOON + DAY, False),
        (NOON + 9 * DAY, False),
    ],
)
def test_stale(used_at, is_stale, key):
    """A key is stale if it was last used before the given time, or never."""
    KeyRow.update(last_used_at=used_at).execute()

    found = parsed(stale_keys(NOON + 9 * DAY, NOON + DAY))

    assert [each["prefix"] for each in found] == ([key[:11]] if is_stale else [])


def test_longest_unused_first(issue):
    """Never-used keys come first, then those used longest ago."""
    used = {issue(name)[:11]: at for name, at in zip("abc", (7, None, 3), strict=True)}
    for prefix, at in used.items():
        at = None if at is None else NOON + at * TICK
        KeyRow.update(last_used_at=at).where(KeyRow.prefix == prefix).execute()

    found = parsed(stale_keys(NOON + 9 * DAY, NOON + DAY))

    assert [used[each["prefix"]] for each in found] == [None, 3, 7]


def test_not_stale_yet(key):
    """A key that is younger than the given time is not stale."""
    assert parsed(stale_keys(NOON + DAY, NOON)) == []


@pytest.mark.parametrize("over", ["revoked", "expired"])
def test_over_is_not_stale(over, key):
    """A key that is no longer active is not stale."""
    now = NOON + 9 * DAY
    if over == "revoked":
        revoke_key(KeyRow.get(), now)

    found = parsed(
        stale_keys(now if over == "revoked" else NOON + 30 * DAY, NOON + DAY)
    )

    assert found == []


def test_looked_at(key):
    """A secret is described by form, checksum and database record, but not shown."""
    opens, key_table = diagnose_secret(key, NOON)

    assert opens
    assert key_table[:3] == ["form: valid", "checksum: valid", "database: active"]
    assert key_table[-1] == "scopes: a:*, b"
    assert key[12:] not in "".join(key_table)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda key: key[:-1], "form: invalid"),
        (lambda key: key + "0", "form: invalid"),
        (lambda key: "", "form: invalid"),
        (lambda key: key[:-1] + ("1" if key[-1] == "0" else "0"), "checksum: invalid"),
        (lambda key: generate_secret().text, "no key has this secret"),
    ],
)
def test_looked_at_what_opens_nothing(change, words, key):
    """The last line says why a secret is not valid."""
    opens, key_table = diagnose_secret(change(key), NOON)

    assert not opens
    assert words in key_table[-1]


def test_looked_at_at_the_end(key):
    """An expired key is known, and not valid."""
    opens, key_table = diagnose_secret(key, NOON + 30 * DAY)

    assert not opens
    assert "database: revoked" in key_table
