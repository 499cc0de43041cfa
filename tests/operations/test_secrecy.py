"""What no file, no log and no answer may tell of a key."""

import logging
from pathlib import Path

import pytest

from models.platform.secrets import hash_of

KEYS, OWN = "/platform/v1/keys", "/platform/v1/developer/keys"
ASKED = {"name": "probe", "scopes": ["status:services:list"]}
TEXT = "find-me-nowhere"


@pytest.fixture
def key(issue):
    return issue("*")


@pytest.fixture
def post(app, key):
    """Post twice under one idempotency text, as whoever lost the first answer."""
    client = app.test_client()

    def posted(path, body):
        headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": TEXT + path}
        first, second = (client.post(path, json=body, headers=headers) for _ in "ab")
        assert first.data == second.data
        return first.json["data"]

    return posted


@pytest.fixture
def secrets(post, key):
    """The secrets of every way that a key comes into the world."""
    added, own = post(f"{KEYS}/add", ASKED), post(f"{OWN}/create", ASKED)
    rotated = post(f"{KEYS}/rotate", {"id": added["id"]})
    own_rotated = post(f"{OWN}/rotate", {"id": own["id"]})
    return [key, *(each["secret"] for each in (added, own, rotated, own_rotated))]


def test_files(secrets, settings):
    """Neither secret nor idempotency text is in the database or its log."""
    files = Path(settings.database).parent.glob("masthead.db*")
    kept = b"".join(each.read_bytes() for each in files)

    assert b"probe" in kept
    assert TEXT.encode() not in kept
    for secret in secrets:
        assert secret[12:].encode() not in kept


@pytest.fixture
def logged(caplog):
    caplog.set_level(logging.DEBUG)
    return caplog


def test_log(logged, secrets):
    """Neither secret nor hash nor idempotency text is logged, however much is."""
    told = "\n".join(each.getMessage() for each in logged.get_records("setup"))

    assert told.count("operation=platform:") == 8
    assert TEXT not in told
    for secret in secrets:
        assert secret[12:] not in told
        assert hash_of(secret) not in told


@pytest.mark.parametrize(
    "route",
    [
        *("GET /platform/v1/keys/list", "GET /platform/v1/audit/list"),
        "GET /platform/v1/developer/keys/list",
    ],
)
def test_lists(route, secrets, key, ask):
    """No list tells a secret, a hash or an idempotency text."""
    told = ask(route, key=key).text

    assert "probe" in told
    assert TEXT not in told
    for secret in secrets:
        assert secret[12:] not in told
        assert hash_of(secret) not in told
