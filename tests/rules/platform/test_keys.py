"""Keys: how long they are active, and the initial one."""

from datetime import timedelta

import pytest

from models.errors import KeyNotActive
from models.platform.keys import (
    CreateKey,
    KeyRow,
    add_bootstrap_key,
    issue_key,
    require_active,
    revoke_key,
    status_at,
)
from models.platform.secrets import hash_secret
from models.platform.verification import (
    VerifiedKeyRecord,
    VerifyKey,
    key_by_hash,
    verify_key,
)
from tests.conftest import NOON

TICK = timedelta(milliseconds=1)


@pytest.fixture
def key(store):
    request = CreateKey(name="probe", scopes=["a:*", "b"], expires_in_days=1)
    return issue_key(request, NOON, issuer="ada@example.com")


@pytest.mark.parametrize(
    ("revoked_at", "expires_at", "status"),
    [
        (None, None, "active"),
        (None, NOON + TICK, "active"),
        (None, NOON, "revoked"),
        (None, NOON - TICK, "revoked"),
        (NOON, None, "revoked"),
        (NOON, NOON + TICK, "revoked"),
    ],
)
def test_status(revoked_at, expires_at, status):
    """A key that is revoked or expired is not active."""
    assert status_at(NOON, revoked_at, expires_at) == status


def test_issued(key):
    """A new key is the first of its lineage, and its secret is not stored."""
    row, secret = key

    assert row.lineage == row.id
    assert row.hash == secret.hash
    assert row.expires_at == NOON + timedelta(days=1)
    assert secret.text not in str(list(KeyRow.select().dicts()))


def test_revoked_once(key):
    """A second revocation changes nothing, including the time of the first."""
    row, _ = key

    assert revoke_key(row, NOON)
    assert not revoke_key(row, NOON + TICK)
    assert KeyRow.get().revoked_at == NOON


def test_held(key):
    """The look-up by hash returns the values of the row."""
    row, secret = key
    revoke_key(row, NOON)

    record = key_by_hash(hash_secret(secret.text))

    for name in VerifiedKeyRecord._fields:
        stored = getattr(KeyRow.get(), name)
        assert getattr(record, name) == (tuple(stored) if name == "scopes" else stored)
    assert verify_key(VerifyKey(hash=row.hash)) == record


def test_not_active(key):
    """An expired key can no longer be changed."""
    row, _ = key
    require_active(row, NOON)

    with pytest.raises(KeyNotActive):
        require_active(row, NOON + timedelta(days=1))


def test_adopted(store):
    """
    The initial key is created once from its hash, and has all scopes but acting for
    others.
    """
    add_bootstrap_key("a" * 64, NOON)
    add_bootstrap_key("b" * 64, NOON)

    (row,) = KeyRow.select()
    assert (row.hash, row.scopes, row.issuer) == ("a" * 64, ["*"], "the environment")


def test_adopted_never_beside_others(key):
    """If a key exists already, the environment creates no other."""
    add_bootstrap_key("a" * 64, NOON)

    assert KeyRow.select().count() == 1
