"""What no file, log or response may reveal about a key."""

import io
import logging
import re

import pytest

from models.logs import LogfmtFormatter
from models.platform.secrets import REDACTED_PATTERN, generate_secret, hash_secret
from tests.conftest import ROUTES

KEYS, OWN = "/platform/v1/keys", "/platform/v1/developer/keys"
NEW_KEY = {"name": "probe", "scopes": ["status:services:list"]}
TEXT = "find-me-nowhere"


@pytest.fixture
def key(issue):
    return issue("*")


@pytest.fixture
def post(app, key):
    """
    Post twice under one Idempotency-Key, as a client that lost the first response.
    """
    client = app.test_client()

    def posted(path, body):
        headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": TEXT + path}
        first, second = (client.post(path, json=body, headers=headers) for _ in "ab")
        assert first.data == second.data
        return first.json["data"]

    return posted


@pytest.fixture
def secrets(post, key):
    """The secrets of every way to create a key."""
    added, own = post(f"{KEYS}/add", NEW_KEY), post(f"{OWN}/create", NEW_KEY)
    rotated = post(f"{KEYS}/rotate", {"id": added["id"]})
    own_rotated = post(f"{OWN}/rotate", {"id": own["id"]})
    return [key, *(each["secret"] for each in (added, own, rotated, own_rotated))]


def test_files(secrets, raw_database):
    """Neither secret nor Idempotency-Key is in the database or its log."""
    stored = raw_database.stored_bytes()

    assert b"probe" in stored
    assert TEXT.encode() not in stored
    for secret in secrets:
        assert secret[12:].encode() not in stored


@pytest.fixture
def logged(caplog):
    caplog.set_level(logging.DEBUG)
    return caplog


def test_log(logged, secrets):
    """Neither secret, hash nor Idempotency-Key is logged at any level."""
    result = "\n".join(each.getMessage() for each in logged.get_records("setup"))

    assert result.count("operation=platform:") == 8
    assert TEXT not in result
    for secret in secrets:
        assert secret[12:] not in result
        assert hash_secret(secret) not in result


@pytest.mark.parametrize(
    "route",
    [
        *("GET /platform/v1/keys/list", "GET /platform/v1/audit/list"),
        "GET /platform/v1/developer/keys/list",
    ],
)
def test_lists(route, secrets, key, api):
    """No list returns a secret, a hash or an Idempotency-Key."""
    result = api(route, key=key).text

    assert "probe" in result
    assert TEXT not in result
    for secret in secrets:
        assert secret[12:] not in result
        assert hash_secret(secret) not in result


@pytest.fixture
def written():
    """The log as written at the most verbose level."""
    stream, root = io.StringIO(), logging.getLogger()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LogfmtFormatter(REDACTED_PATTERN))
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield lambda: stream.getvalue()
    root.removeHandler(handler)
    root.setLevel(level)


def places(secret):
    """Return requests with the secret in the right place, and in wrong ones."""
    verify = "/platform/v1/keys/verify"
    body, bearer = {"hash": hash_secret(secret)}, {"Authorization": f"Bearer {secret}"}
    return [
        {"path": verify, "json": body, "headers": bearer},
        {"path": verify, "json": {"hash": secret}, "headers": bearer},
        {"path": verify, "json": body | {secret: 1}, "headers": bearer},
        {"path": verify, "data": secret, "headers": bearer},
        {"path": f"{verify}?key={secret}", "json": body, "headers": bearer},
        {"path": f"/nowhere/{secret}?key={secret}"},
        {"path": f"/{'x' * 60}/{secret}"},
        {"path": f"/nowhere/{secret.replace('_', '%255F')}"},
        {"path": f"/nowhere/{secret.replace('_', '%25255F')}"},
        {"path": f"/status/{secret}/", "headers": {"Referer": f"https://x/{secret}"}},
        {"path": verify, "json": body, "headers": {"Authorization": secret}},
        {"path": verify, "json": body, "headers": bearer | {"X-Request-Id": secret}},
        {"path": verify, "json": body, "headers": bearer | {"Idempotency-Key": secret}},
        {"path": verify, "json": body, "headers": bearer | {"Act-As-Email": secret}},
        {"path": verify, "json": body, "headers": {"Cookie": f"key={secret}"}},
    ]


@pytest.mark.parametrize("is_known", [True, False])
def test_written_log(is_known, app, issue, written):
    """Neither a secret nor its hash is logged, wherever it is sent, valid or not."""
    secret = issue("*") if is_known else generate_secret().text
    client = app.test_client()

    for request in places(secret):
        client.post(**request)
        client.get(**request)

    assert written().count("operation=") == 2 * len(places(secret))
    assert secret[12:20] not in written()
    assert hash_secret(secret) not in written()


@pytest.mark.parametrize("verb", ["add", "verify"])
def test_written_log_of_a_mistake(verb, app, issue, written, monkeypatch):
    """A logged stack trace has no value of the request or of the response."""
    secret, operation = issue("*"), ROUTES[f"POST {KEYS}/{verb}"]
    body = NEW_KEY if verb == "add" else {"hash": hash_secret(secret)}
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": TEXT}
    another = ROUTES["GET /platform/v1/audit/list"]
    monkeypatch.setitem(vars(operation), "response_adapter", another.response_adapter)

    response = app.test_client().post(operation.path, json=body, headers=headers)

    assert response.status_code == 500
    result, line = written().splitlines()[-2:]
    assert "ValidationError" in result
    assert "status=500" in line
    assert not re.search(r"mh_\w{8}_\w", result)
    assert hash_secret(secret) not in result
