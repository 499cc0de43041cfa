"""Removing and verifying keys over HTTP."""

import hashlib

import pytest

from tests.operations.platform.test_keys import ADD, GET, NEW_KEY, REMOVE, VERIFY


@pytest.fixture
def created(api):
    return api(ADD, NEW_KEY | {"expiresInDays": 2}).json["data"]


@pytest.fixture
def verify(api, created):
    def verified(secret=created["secret"]):
        return api(VERIFY, {"hash": hashlib.sha256(secret.encode()).hexdigest()})

    return verified


def test_remove(api, created, audited):
    """A removed key is revoked, keeps its record and is audited once."""
    first = api(REMOVE, {"id": created["id"]})
    second = api(REMOVE, {"id": created["id"]})

    assert first.json["data"]["status"] == "revoked"
    assert second.data == first.data
    assert api(GET, {"id": created["id"]}).json["data"] == first.json["data"]
    assert audited() == ["add", "remove"]


def test_remove_what_has_expired(api, created, audited, clock):
    """An expired key is inactive already, so removing it leaves no audit record."""
    clock.pass_(days=2)

    response = api(REMOVE, {"id": created["id"]})

    assert response.json["data"]["status"] == "revoked"
    assert audited() == ["add"]


def test_verify(verify, created):
    """A gateway gets all it needs of a key, and may cache it for a minute."""
    response = verify()

    members = ("id", "prefix", "name", "scopes", "status")
    expected = {name: created[name] for name in members}
    assert response.json["data"] == expected | {
        "rateCapacity": None,
        "rateRefill": None,
    }
    assert response.headers["Cache-Control"] == "private, max-age=60"


def test_verify_shortly_before_the_end(verify, clock):
    """The response may not be cached beyond the expiry of the key."""
    clock.pass_(days=2, seconds=-8.5)

    assert verify().headers["Cache-Control"] == "private, max-age=8"


def test_verify_at_the_end(verify, clock):
    """An expired key has the status revoked, like a removed one."""
    clock.pass_(days=2)

    response = verify()

    assert response.json["data"]["status"] == "revoked"
    assert response.headers["Cache-Control"] == "private, max-age=5"


def test_verify_removed(verify, api, created):
    """A removed key still resolves, so that a gateway can report why it rejects it."""
    api(REMOVE, {"id": created["id"]})

    assert verify().json["data"]["status"] == "revoked"


def test_verify_stranger(verify, refusal):
    """An unknown hash is a 404 that does not repeat it."""
    response = verify("stranger")

    assert response.status_code == 404
    assert hashlib.sha256(b"stranger").hexdigest() not in response.text
    refusal(response, "key-not-found")


@pytest.mark.parametrize("text", ["", "0" * 63, "0" * 65, "A" * 64, "0" * 64 + "\n"])
def test_verify_what_is_no_hash(text, api):
    """A hash is exactly 64 lower-case hexadecimal digits."""
    assert api(VERIFY, {"hash": text}).status_code == 422
