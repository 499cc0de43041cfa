"""Repeated requests over HTTP: the same response, and nothing is done twice."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from models.platform.keys import KeyRow
from models.platform.scopes import ASSERT_ACTORS
from models.storage import database

pytestmark = pytest.mark.both_engines

ADD = "POST /platform/v1/keys/add"
REMOVE = "POST /platform/v1/keys/remove"
NEW_KEY = {"name": "probe", "scopes": ["status:services:list"]}


@pytest.fixture
def add(api):
    """Add a key under this Idempotency-Key."""

    def added(text, body=NEW_KEY, key=None, **headers):
        return api(ADD, body, key=key, headers={"Idempotency-Key": text, **headers})

    return added


def made():
    return KeyRow.select().where(KeyRow.name == NEW_KEY["name"]).count()


def test_repeat(add):
    """A replay returns the secret byte for byte."""
    first, second = add("abc"), add("abc")

    assert second.data == first.data
    assert "secret" in second.json["data"]
    assert second.headers["Idempotent-Replayed"] == "true"
    assert second.headers["Cache-Control"] == "no-store"
    assert "Idempotent-Replayed" not in first.headers
    assert made() == 1


@pytest.mark.parametrize(
    ("bare", "quoted"),
    [("abc", '"abc"'), ("a'b", '"a\'b"'), ("x" * 255, f'"{"x" * 255}"')],
)
def test_bare_and_quoted(bare, quoted, add):
    """Both forms of one text are the same Idempotency-Key."""
    assert add(quoted).data == add(bare).data


@pytest.mark.parametrize("text", ['"a, b"', r'"a\"b"', r'"a\\b"', '" "'])
def test_quoted_string(text, add):
    """The quoted string of the draft may have characters that a bare key may not."""
    assert add(text).status_code == 200
    assert add(text).headers["Idempotent-Replayed"] == "true"


@pytest.mark.parametrize(
    "text",
    [
        *("", '""', "x" * 256, f'"{"x" * 256}"', "a b", "a,b", 'a"b', "a\\b"),
        *('"a', "é", "a, a", '"a", "a"', r'"a\b"', '"a\tb"'),
    ],
)
def test_key_out_of_shape(text, add, refusal):
    """A key has 1 to 255 visible characters; a duplicate header is invalid."""
    response = add(text)

    assert response.status_code == 400
    assert len(text) < 3 or text not in response.json["detail"]
    refusal(response, "idempotency-key-invalid")
    assert made() == 0


def test_missing(app, issue, refusal):
    """The header is required where a repeat would do harm."""
    headers = {"Authorization": f"Bearer {issue('*')}"}

    response = app.test_client().post(ADD.split()[1], json=NEW_KEY, headers=headers)

    assert response.status_code == 400
    refusal(response, "idempotency-key-missing")
    assert made() == 0


def test_other_body(add, refusal):
    """One Idempotency-Key for two different requests is rejected."""
    add("abc")

    response = add("abc", NEW_KEY | {"rateCapacity": 5})

    assert response.status_code == 422
    assert "abc" not in response.json["detail"]
    refusal(response, "idempotency-key-reused")
    assert made() == 1


def test_same_body_in_other_words(add):
    """Requests are compared by content: order, spaces and 5.0 for 5 do not count."""
    first = add("abc", NEW_KEY | {"rateCapacity": 5})
    body = (
        b'{ "rateCapacity" : 5.0, "scopes" : ["status:services:list"],'
        b' "name" : " probe " }'
    )

    assert add("abc", body).data == first.data


def test_other_callers(add, issue):
    """A stored response is returned only to its caller and actor."""
    asserting = issue("*", ASSERT_ACTORS)
    answers = [
        add("abc"),
        add("abc", key=issue("*")),
        add("abc", key=asserting),
        add("abc", key=asserting, **{"Act-As-Email": "grace@example.com"}),
    ]

    assert len({each.data for each in answers}) == 4
    assert made() == 4


def test_other_operation(add, api):
    """One Idempotency-Key may be used for two operations."""
    key = add("abc").json["data"]

    response = api(REMOVE, {"id": key["id"]}, headers={"Idempotency-Key": "abc"})

    assert response.json["data"]["status"] == "revoked"


def test_after_a_day(add, clock):
    """For 24 hours a repeat adds no record; afterwards it is a new request."""
    first = add("abc")
    clock.pass_(hours=24, milliseconds=-1)
    assert add("abc").data == first.data

    clock.pass_(milliseconds=1)

    assert add("abc").data != first.data
    assert made() == 2


def test_after_a_rotation(add, issue, api, refusal):
    """
    The replacement of a key gets the responses of its predecessor, and creates nothing
    again; a secret that is sealed under the earlier key is not returned to it.
    """
    old = issue("*")
    first = add("abc", key=old)
    body = {"slug": "api", "name": "API"}
    service = api("POST /status/v1/admin/services/add", body, key=old)
    id = KeyRow.get(KeyRow.name == "test").id
    rotated = api("POST /platform/v1/keys/rotate", {"id": id}, key=old)
    new = rotated.json["data"]["secret"]

    refused = add("abc", key=new)
    repeated = api("POST /status/v1/admin/services/add", body, key=new)

    assert refused.status_code == 409
    assert old[:11] in refused.json["detail"]
    refusal(refused, "idempotency-secret-sealed")
    assert made() == 1
    assert repeated.data == service.data
    assert repeated.headers["Idempotent-Replayed"] == "true"
    assert add("abc", key=old).data == first.data


def test_refusal_is_not_stored(add, issue, api):
    """A rejected request can be corrected under the same Idempotency-Key."""
    key = issue("platform:keys:add")

    refused = add("abc", NEW_KEY | {"scopes": ["*"]}, key=key)
    corrected = add("abc", key=key)

    assert (refused.status_code, corrected.status_code) == (403, 200)


def test_repeat_of_what_was_undone(add, api):
    """A repeat gets the stored response, even if the key was revoked since."""
    first = add("abc")
    api(REMOVE, {"id": first.json["data"]["id"]})

    assert add("abc").data == first.data


def test_at_once(app, issue):
    """Twenty concurrent requests create one key, and all return the same secret."""
    headers = {"Authorization": f"Bearer {issue('*')}", "Idempotency-Key": "abc"}

    def post(_):
        try:
            return app.test_client().post(ADD.split()[1], json=NEW_KEY, headers=headers)
        finally:
            database.database.close()

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(post, range(20)))

    assert {each.status_code for each in answers} == {200}
    assert len({each.data for each in answers}) == 1
    assert sum("Idempotent-Replayed" not in each.headers for each in answers) == 1
    assert made() == 1


def test_storage_is_taken(add, raw_database, issue, refusal):
    """A request that cannot get the write lock in time gets 503 with Retry-After."""
    key = issue("*")
    with raw_database.writing_elsewhere():
        response = add("abc", key=key)

    assert response.status_code == 503
    assert response.headers["Retry-After"] == "2"
    refusal(response, "storage-busy")
    assert add("abc", key=key).status_code == 200


def test_nothing_secret_is_kept(add, api, raw_database, issue):
    """Neither secret, Idempotency-Key nor the caller's key is stored anywhere."""
    key = issue("*")
    secret = add("find-me-nowhere", key=key).json["data"]["secret"]
    add("find-me-nowhere", key=key)

    stored = raw_database.stored_bytes()

    assert b"probe" in stored
    for text in (secret, secret[12:], key, key[12:], "find-me-nowhere"):
        assert text.encode() not in stored
    listed = api("GET /platform/v1/keys/list").text
    assert secret not in listed
    assert KeyRow.get(KeyRow.name == "probe").hash not in listed
