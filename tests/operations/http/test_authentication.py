"""Who may call, on whose behalf, and which scopes a key may grant."""

from dataclasses import replace

import pytest

from api.http.application import create_app
from models.audit import AuditRow
from models.platform.scopes import ASSERT_ACTORS, ESCALATE
from tests.conftest import ROUTES

ADD = "POST /platform/v1/keys/add"
ACCOUNT = "0190b6a0-0000-7000-8000-000000000001"


@pytest.fixture
def grant(api, issue):
    """Add a key with these scopes, using a key that has those."""

    def add(scopes, *own_scopes):
        body = {"name": "new", "scopes": scopes}
        return api(ADD, body, key=issue("platform:keys:add", *own_scopes))

    return add


@pytest.mark.parametrize(
    ("new_scope", "own_scope"),
    [
        ("status:admin:services:add", "status:admin:services:add"),
        ("status:admin:services:add", "status:*"),
        ("status:admin:*", "status:*"),
        ("status:*", "*"),
        ("*", "*"),
        ("*", ESCALATE),
        ("other.product:read", ESCALATE),
        ("status:services:list", "nothing:of:it"),
        (ASSERT_ACTORS, ASSERT_ACTORS),
        ("platform:*", "platform:*"),
    ],
)
def test_granted(new_scope, own_scope, grant):
    """
    A key grants the scopes it covers and public ones; with escalation, all scopes.
    """
    assert grant([new_scope], own_scope).status_code == 200


@pytest.mark.parametrize(
    ("new_scope", "own_scope"),
    [
        ("status:admin:services:add", "status:services:*"),
        ("status:*", "status:admin:*"),
        ("*", "platform:actors:*"),
        ("*", "platform:keys:*"),
        ("*", "platform:*"),
        (ESCALATE, "platform:keys:*"),
        ("other.product:read", "platform:keys:*"),
        ("status:services:*", "nothing:of:it"),
        (ASSERT_ACTORS, "*"),
        (ASSERT_ACTORS, "platform:*"),
        (ASSERT_ACTORS, ESCALATE),
    ],
)
def test_not_granted(new_scope, own_scope, grant, refusal):
    """
    Scopes that the key does not cover are rejected and listed; the others are not.
    """
    response = grant(["status:services:get", new_scope], own_scope)

    assert response.status_code == 403
    assert refusal(response, "scope-not-grantable")["scopes"] == [new_scope]


def test_open_policy(settings, store, clock, issue):
    """An open policy grants everything except the right to act for others."""
    opened = replace(settings, grant_policy="open")
    client = create_app(opened, clock=clock).test_client()
    headers = {"Authorization": f"Bearer {issue('platform:keys:add')}"}

    statuses = [
        client.post(
            "/platform/v1/keys/add",
            json={"name": "new", "scopes": [scope]},
            headers=headers | {"Idempotency-Key": str(number)},
        ).status_code
        for number, scope in enumerate(["*", ASSERT_ACTORS])
    ]

    assert statuses == [200, 403]


def test_actor_of_a_change(api, issue):
    """The audit log names the issuer of the key, or the account that it acts for."""
    asserting = issue("platform:keys:add", ASSERT_ACTORS)
    body = {"name": "new", "scopes": ["status:services:get"]}

    api(ADD, body)
    api(ADD, body, key=asserting, headers={"Act-As-Email": "grace@example.com"})
    api(ADD, body, key=asserting, headers={"Act-As-Account": ACCOUNT})

    first, second, third = AuditRow.select().order_by(AuditRow.number)
    assert first.actor == "ada@example.com"
    assert second.actor == "grace@example.com"
    assert second.detail == f'via key {asserting[:11]} "test"'
    assert third.actor == "ada@example.com"


@pytest.mark.parametrize("header", ["Act-As-Email", "Act-As-Account"])
@pytest.mark.parametrize("route", [ADD, "GET /platform/v1/keys/list"])
@pytest.mark.parametrize("value", ["grace@example.com", ACCOUNT, ""])
def test_acting_without_the_right(header, route, value, send, issue, refusal):
    """No wildcard covers acting for others, and Act-As is never silently ignored."""
    key = issue("*", "platform:*", "platform:actors:*")

    response = send(ROUTES[route], key, headers={header: value})

    assert response.status_code == 403
    refusal(response, "actor-not-allowed")


@pytest.mark.parametrize(
    "scopes", [["nothing:of:it"], ["nothing:of:it", ASSERT_ACTORS]]
)
@pytest.mark.parametrize("value", ["grace@example.com", "not an address"])
def test_scope_is_checked_before_act_as(scopes, value, send, issue, refusal):
    """A caller without the scope is rejected for that, whatever account it acts for."""
    route = ROUTES["GET /platform/v1/keys/list"]

    response = send(route, issue(*scopes), headers={"Act-As-Email": value})

    assert response.status_code == 403
    problem = refusal(response, "insufficient-scope")
    assert problem["requiredScope"] == "platform:keys:list"


@pytest.mark.parametrize(
    "headers", [{}, {"Idempotency-Key": '"'}, {"Dry-Run": "maybe"}]
)
def test_act_as_is_checked_before_the_request(headers, send, issue, refusal):
    """
    A caller that may not act for others is rejected before its request is validated.
    """
    headers |= {"Act-As-Email": "grace@example.com"}

    response = send(ROUTES[ADD], issue("*"), headers=headers, json={"unknown": 1})

    assert response.status_code == 403
    refusal(response, "actor-not-allowed")


def test_size_is_checked_before_the_key(send, refusal):
    """A body over the limit is rejected unread, with any key."""
    route = ROUTES[ADD]

    response = send(route, data=b"x" * (route.max_body_bytes + 1))

    assert response.status_code == 413
    refusal(response, "payload-too-large")


def test_rate_is_checked_before_the_scope(send, issue, refusal):
    """A key over its rate limit is rejected for that, whatever its scopes."""
    key = issue("nothing:of:it", rate_capacity=1, rate_refill=0.1)
    route = ROUTES["GET /platform/v1/keys/list"]

    first, second = send(route, key), send(route, key)

    refusal(first, "insufficient-scope")
    refusal(second, "rate-limited")


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("Act-As-Email", ""),
        ("Act-As-Email", "ada"),
        ("Act-As-Email", "ada@x, eve@x"),
        ("Act-As-Email", "ada@x,eve@x"),
        ("Act-As-Email", "é@example.com"),
        ("Act-As-Email", "a" * 65 + "@example.com"),
        ("Act-As-Account", ""),
        ("Act-As-Account", ACCOUNT.upper()),
        ("Act-As-Account", f"{{{ACCOUNT}}}"),
        ("Act-As-Account", f"{ACCOUNT}, {ACCOUNT}"),
    ],
)
def test_actor_out_of_shape(header, value, send, issue, refusal):
    """
    A person is one email address, an account one UUID; the problem names the header.
    """
    key = issue("*", ASSERT_ACTORS)

    response = send(ROUTES["GET /platform/v1/keys/list"], key, headers={header: value})

    assert response.status_code == 422
    (error,) = refusal(response, "validation-failed")["errors"]
    assert error["header"] == header
    assert not value or value not in response.text
