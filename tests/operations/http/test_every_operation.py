"""Rules for every operation, which follow from its declaration."""

import pytest
from pydantic import ValidationError

from api.operation import OPERATIONS
from models.pagination import CursorQuery, _encode
from models.platform.scopes import covers
from models.platform.secrets import generate_secret
from tests.conftest import ROUTES
from tests.nightly import one_of_each_kind
from tests.samples.openapi_document import DESCRIBED

every = one_of_each_kind(OPERATIONS)


def only(condition):
    return one_of_each_kind([each for each in OPERATIONS if condition(each)])


reads = only(lambda each: each.method == "GET")
paged = only(lambda each: each.pagination == "cursor")
required = only(lambda each: each.idempotent == "required")

# Lists that need one of several parameters, each by itself optional.
ONE_OF = {"projects:specifications:coverage": ["projectId"]}

SECRETIVE = "do-not-echo-7f3a"


def wildcards(scope):
    """Return the wildcards that cover a scope, from * to the narrowest."""
    parts = scope.split(":")
    return ["*", *(":".join(parts[:n]) + ":*" for n in range(1, len(parts)))]


@every
def test_scope_is_the_address(operation):
    """In areas B and C, the scope is the path in another notation."""
    area, _, *rest = operation.path.strip("/").split("/")

    if area in ("platform", "status"):
        assert operation.scope == ":".join([area, *rest])


def test_no_two_operations_share_a_name():
    """
    Operation names are unique, because responses are stored and requests logged by
    name.
    """
    assert len({each.name for each in OPERATIONS}) == len(OPERATIONS)
    assert len(ROUTES) == len(OPERATIONS)


@every
@pytest.mark.parametrize(
    "header", [None, "", "Basic YWRhOmFkYQ==", "Bearer", "Bearer "]
)
def test_no_key(operation, header, send, refusal):
    """Without a bearer key the response is a challenge and nothing else."""
    headers = {} if header is None else {"Authorization": header}

    response = send(operation, headers=headers)

    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert "RateLimit" not in response.headers
    refusal(response, "missing-credentials")


@every
def test_key_that_is_none_of_ours(operation, send, issue, refusal):
    """Garbage, a mistyped key, an unknown key and two keys at once are all invalid."""
    key = issue("*")
    mistyped = key[:-7] + ("1" if key[-7] == "0" else "0") + key[-6:]
    for bearer in (
        "garbage",
        mistyped,
        generate_secret().text,
        f"{key}, Bearer {key}",
        "é",
    ):
        response = send(operation, bearer)

        assert response.status_code == 401
        assert 'error="invalid_token"' in response.headers["WWW-Authenticate"]
        assert bearer not in response.text
        refusal(response, "invalid-key")


@every
def test_key_that_has_expired(operation, send, issue, clock, refusal):
    """A key expires exactly at its end, not after it."""
    key = issue("*", expires_in_days=1)
    clock.pass_(days=1, milliseconds=-1)
    assert send(operation, key).status_code != 401

    clock.pass_(milliseconds=1)

    response = send(operation, key)
    assert response.status_code == 401
    refusal(response, "key-expired")


@every
def test_key_that_was_revoked(operation, send, issue, api, clock, refusal):
    """A revocation applies to the next request."""
    key = issue("*")
    listed = api("GET /platform/v1/keys/list").json["data"]
    id = next(each["id"] for each in listed if each["prefix"] == key[:11])
    assert send(operation, key).status_code != 401

    api("POST /platform/v1/keys/remove", {"id": id})

    response = send(operation, key)
    assert response.status_code == 401
    refusal(response, "key-revoked")


@every
def test_wrong_scope(operation, send, issue, refusal):
    """The problem names the scope that the key would need, and the headers its rate."""
    others = [each.scope for each in OPERATIONS if each is not operation]
    key = issue(*others[:50], operation.scope + ":*", operation.scope + ":more")

    response = send(operation, key)

    assert response.status_code == 403
    assert refusal(response, "insufficient-scope")["requiredScope"] == operation.scope
    assert f'scope="{operation.scope}"' in response.headers["WWW-Authenticate"]
    assert "RateLimit" in response.headers


@every
def test_covering_scopes(operation, send, issue):
    """The exact scope and each wildcard above it are sufficient."""
    for scope in [operation.scope, *wildcards(operation.scope)]:
        assert covers(scope, operation.scope)
        assert send(operation, issue(scope)).status_code not in (401, 403), scope


@every
def test_rate_is_told(operation, send, issue):
    """Every authenticated response has the remaining rate of the key."""
    response = send(operation, issue("*", rate_capacity=7, rate_refill=2))

    assert response.headers["RateLimit-Policy"] == '"key";q=7;w=4'
    assert response.headers["RateLimit"] == '"key";r=6;t=1'


@every
@pytest.mark.parametrize("sent", ["trace-1.A_b", "x" * 64])
def test_request_id_is_kept(operation, sent, send):
    """The caller's own request id is returned."""
    response = send(operation, headers={"X-Request-Id": sent})

    assert response.headers["X-Request-Id"] == sent
    assert response.json["requestId"] == sent


@every
@pytest.mark.parametrize("sent", ["", "x" * 65, "a b", "a\tb", "é"])
def test_request_id_is_made(operation, sent, send):
    """A malformed request id is replaced and not repeated."""
    response = send(operation, headers={"X-Request-Id": sent})

    assert response.headers["X-Request-Id"] == response.json["requestId"]
    assert response.headers["X-Request-Id"] != sent


@reads
def test_unknown_parameter(operation, send, issue, refusal):
    """An unknown parameter is rejected by name, without its value."""
    response = send(operation, issue("*"), query_string={"expiresInDay": SECRETIVE})

    assert response.status_code == 422
    errors = refusal(response, "validation-failed")["errors"]
    assert "expiresInDay" in [each["parameter"] for each in errors]
    assert SECRETIVE not in response.text


@reads
def test_repeated_parameter(operation, send, issue, refusal):
    """Two values for one parameter are ambiguous and rejected."""
    response = send(operation, issue("*"), query_string="limit=1&limit=1")

    assert response.status_code == 400
    assert "limit" in refusal(response, "malformed-request")["detail"]


@required
def test_shape_comes_before_the_idempotency_key(operation, send, issue, refusal):
    """A malformed request is reported before a missing Idempotency-Key."""
    response = send(operation, issue("*"), json={})

    assert response.status_code == 422
    refusal(response, "validation-failed")


@every
def test_answer_out_of_shape_is_not_repeated(operation):
    """The error of a response that violates its schema does not contain its values."""
    for wrong in (SECRETIVE, {"name": [SECRETIVE]}, [{"name": [SECRETIVE]}]):
        with pytest.raises(ValidationError) as caught:
            operation.response_adapter.validate_python(wrong)

        assert SECRETIVE not in str(caught.value)


@paged
@pytest.mark.parametrize("cursor", ["", "x", "é", "AAAA" * 20, "=", "\x00"])
def test_damaged_cursor(operation, cursor, send, issue):
    """A text that is no issued cursor is rejected."""
    response = send(
        operation, issue("*"), query_string={"cursor": cursor, **needed(operation)}
    )

    assert response.status_code in (400, 422)


@paged
def test_foreign_cursor(operation, send, issue, refusal, store):
    """A cursor of another list is rejected."""

    class OtherQuery(CursorQuery):
        pass

    cursor = _encode(OtherQuery().fingerprint(), [0, "0"])
    query = {"cursor": cursor, **needed(operation)}

    response = send(operation, issue("*"), query_string=query)

    assert response.status_code == 400
    refusal(response, "invalid-cursor")


def needed(operation):
    """
    The required parameters of a list, with a project where one is needed; no row
    exists.
    """
    schema = operation.request.model_json_schema(by_alias=True)
    nothing = "00000000-0000-4000-8000-000000000000"
    required = schema.get("required") or ONE_OF.get(operation.scope, [])
    subject = {"projectId"} & set(schema["properties"])
    return dict.fromkeys([*required, *subject], nothing)


@every
def test_is_described(operation):
    """OpenAPI has the operation, its scope and its problems."""
    result = DESCRIBED["paths"][operation.path][operation.method.lower()]

    assert result["x-scope"] == operation.scope
    assert result["summary"]
    assert {"200", "401", "403", "422", "429", "500"} <= result["responses"].keys()
