"""Rules for the body or the query of every operation."""

import logging

import pytest

from api.operation import MIB, OPERATIONS
from tests.nightly import one_of_each_kind

# The body of an upload is a file, to which these rules do not apply.
POSTS = [o for o in OPERATIONS if o.method == "POST" and o.read_upload is None]
every = one_of_each_kind(OPERATIONS)
posts = one_of_each_kind(POSTS)

SECRETIVE = "do-not-echo-7f3a"


@posts
def test_unknown_member(operation, send, issue, refusal):
    """An unknown member is rejected by name, without its value."""
    body = {"expiresInDay": SECRETIVE, "a/b~c": SECRETIVE}

    response = send(operation, issue("*"), json=body)

    assert response.status_code == 422
    errors = refusal(response, "validation-failed")["errors"]
    pointers = {each["pointer"] for each in errors}
    assert {"/expiresInDay", "/a~1b~0c"} <= pointers
    assert SECRETIVE not in response.text


@posts
def test_query_of_a_post(operation, send, issue, refusal):
    """A POST takes its input in the body: a query parameter is rejected by name."""
    response = send(operation, issue("*"), query_string={"id": SECRETIVE}, json={})

    assert response.status_code == 422
    (error,) = refusal(response, "validation-failed")["errors"]
    assert error["parameter"] == "id"
    assert SECRETIVE not in response.text


@posts
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[" * 100_000,
        b'{"a":' * 40_000,
        b'{"name": "\xff"}',
        b'{"name": "\\ud800"}',
        b"{} {}",
        b"\xef\xbb\xbf{}",
        b"9" * 5_000 + b"x",
    ],
    ids=["empty", "deep", "deep-object", "not-utf8", "half", "two", "bom", "number"],
)
def test_body_that_is_no_json(operation, body, send, issue, refusal):
    """A body that is not JSON is rejected, however deep or broken it is."""
    response = send(operation, issue("*"), data=body)

    assert response.status_code == 400
    refusal(response, "malformed-request")


@posts
@pytest.mark.parametrize(
    "body",
    [
        b'{"id": 1, "id": 1}',
        b'{"a": [{"b": {"id": 1, "\\u0069d": 2}}]}',
    ],
    ids=["top", "deep"],
)
def test_field_that_is_repeated(operation, body, send, issue, refusal):
    """
    A member that occurs twice in an object is rejected, at any depth and in any
    spelling.
    """
    response = send(operation, issue("*"), data=body)

    assert response.status_code == 400
    assert (
        "The field id is repeated" in refusal(response, "malformed-request")["detail"]
    )


@posts
def test_many_fields(operation, send, issue, refusal):
    """An object with very many unknown fields is a single error."""
    body = {f"a{number}": 1 for number in range(10_001)}

    response = send(operation, issue("*"), json=body)

    assert response.status_code == 422
    (error,) = refusal(response, "validation-failed")["errors"]
    assert error["pointer"] == ""
    assert error["detail"] == "Must have at most 10,000 fields."


@one_of_each_kind([o for o in POSTS if o.max_body_bytes >= MIB])
def test_many_values(operation, send, issue, refusal):
    """The number of values in a body is limited, whatever they are."""
    body = {"a": [[0] * 150_000, [0] * 150_001]}

    response = send(operation, issue("*"), json=body)

    assert response.status_code == 422
    (error,) = refusal(response, "validation-failed")["errors"]
    assert error["pointer"] == ""
    assert "Must have at most" in error["detail"]


@posts
@pytest.mark.parametrize("body", [b"null", b"[]", b'"x"', b"1", b"NaN"])
def test_body_that_is_no_object(operation, body, send, issue, refusal):
    """A body that is not an object is rejected with the empty pointer."""
    response = send(operation, issue("*"), data=body)

    assert response.status_code == 422
    assert refusal(response, "validation-failed")["errors"][0]["pointer"] == ""


@posts
@pytest.mark.parametrize(
    "media_type",
    ["text/plain", "application/x-www-form-urlencoded", "application/json5", "x"],
)
def test_wrong_media_type(operation, media_type, send, issue, refusal):
    """A body is JSON, and its Content-Type says so or is absent."""
    response = send(operation, issue("*"), data=b"{}", content_type=media_type)

    assert response.status_code == 415
    refusal(response, "unsupported-media-type")


@posts
def test_json_with_a_charset(operation, send, issue):
    """A parameter of the media type is accepted."""
    media_type = "application/json; charset=utf-8"

    response = send(operation, issue("*"), data=b"{}", content_type=media_type)

    assert response.status_code != 415


@posts
def test_body_that_is_too_large(operation, send, refusal):
    """A body over the limit is rejected unread; one at the limit is read."""
    limit = operation.max_body_bytes

    beyond = send(operation, data=b" " * (limit + 1))
    within = send(operation, data=b" " * limit)

    assert beyond.status_code == 413
    assert refusal(beyond, "payload-too-large")["limitBytes"] == limit
    assert within.status_code == 401


@every
def test_rejected_values_are_not_repeated(operation, send, issue, caplog):
    """Rejected values are reported by their place only, because they may be secrets."""
    caplog.set_level(logging.DEBUG)
    shape = (
        operation.request.model_json_schema(by_alias=True) if operation.request else {}
    )
    request = dict.fromkeys(shape.get("properties", ["none"]), f"{SECRETIVE}\x00")
    how = "query_string" if operation.method == "GET" else "json"

    response = send(operation, issue("*"), **{how: request})

    assert response.status_code == 422
    assert SECRETIVE not in response.text
    assert SECRETIVE not in caplog.text
