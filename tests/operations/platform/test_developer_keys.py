"""Developers' own keys over HTTP."""

import re
from dataclasses import replace

import pytest

from api.http.application import create_app
from models.audit import AuditRow
from models.platform.keys import KeyRow
from models.platform.scopes import ASSERT_ACTORS, ESCALATE
from tests.conftest import ROUTES
from tests.operations.platform.test_keys import ADD, GET, MEMBERS, UNKNOWN_ID
from tests.operations.platform.test_keys import LIST as LIST_ALL

CREATE, LIST, REVOKE, ROTATE = (
    *("POST /platform/v1/developer/keys/create",),
    *("GET /platform/v1/developer/keys/list",),
    *("POST /platform/v1/developer/keys/revoke",),
    *("POST /platform/v1/developer/keys/rotate",),
)
NEW_KEY = {"name": "mine", "scopes": ["status:services:list"]}
GRACE = "0190b6a0-0000-7000-8000-000000000001"
LINUS = "0190b6a0-0000-7000-8000-000000000002"


@pytest.fixture
def portal(api, issue):
    """Call as a portal does: with its key, on behalf of this account."""
    key = issue("platform:developer:*", "status:services:list", ASSERT_ACTORS)

    def call(route, data=None, account=GRACE, **headers):
        act_as = {"Act-As-Account": account} if account else {}
        return api(route, data, key=key, headers=act_as | headers)

    call.prefix, call.key = key[:11], key
    return call


@pytest.fixture
def key(portal):
    return portal(CREATE, NEW_KEY).json["data"]


def test_create(portal, key, api):
    """
    The key belongs to the account, has the requested scopes, and its secret is shown
    once.
    """
    assert key.keys() == MEMBERS | {"secret"}
    assert (key["accountId"], key["expiresAt"]) == (GRACE, None)
    assert (key["rateCapacity"], key["rateRefill"]) == (None, None)
    assert api("GET /status/v1/services/list", key=key["secret"]).status_code == 200
    (row,) = AuditRow.select()
    assert (row.action, row.actor) == ("add", GRACE)
    assert (row.target_id, row.target_prefix) == (key["id"], key["prefix"])
    assert row.detail == f'via key {portal.prefix} "test"'


@pytest.mark.parametrize("scope", ["status:*", "a", "*", ASSERT_ACTORS])
def test_create_beyond_what_is_public(scope, portal, refusal):
    """
    Only public scopes are granted, exactly as written, whatever the portal may do.
    """
    response = portal(CREATE, NEW_KEY | {"scopes": [*NEW_KEY["scopes"], scope]})

    assert response.status_code == 403
    assert refusal(response, "scope-not-public")["scopes"] == [scope]
    assert not KeyRow.select().where(KeyRow.name == "mine").exists()


@pytest.mark.parametrize(
    "member",
    [
        *({"name": ""}, {"scopes": []}, {"expiresInDays": 5}),
        *({"rateCapacity": 5}, {"accountId": GRACE}),
    ],
)
def test_create_out_of_shape(member, portal):
    """A developer sets the name and the scopes of a key, and nothing else."""
    assert portal(CREATE, NEW_KEY | member).status_code == 422


def test_list(portal, key, clock, api):
    """
    The account's own keys, newest first, with revoked ones, without meta or secrets.
    """
    api(ADD, NEW_KEY)
    portal(CREATE, NEW_KEY, account=LINUS)
    clock.pass_(seconds=1)
    portal(CREATE, NEW_KEY | {"name": "newer"})
    portal(REVOKE, {"id": key["id"]})

    answer = portal(LIST).json

    assert answer.keys() == {"data"}
    result = [(each["name"], each["status"]) for each in answer["data"]]
    assert result == [("newer", "active"), ("mine", "revoked")]
    assert answer["data"][0].keys() == MEMBERS


def test_list_of_an_account(portal, key, api):
    """An admin finds the keys of an account by its id."""
    listed = api(LIST_ALL, {"accountId": GRACE}).json["data"]

    assert [each["id"] for each in listed] == [key["id"]]


def test_revoke(portal, key, api, audited):
    """A key is revoked once, and audited once, by the account."""
    first, again = portal(REVOKE, {"id": key["id"]}), portal(REVOKE, {"id": key["id"]})

    assert first.json["data"]["status"] == "revoked"
    assert again.data == first.data
    assert audited() == ["add", "remove"]
    assert {row.actor for row in AuditRow.select()} == {GRACE}


def test_rotate(portal, key, api, audited):
    """
    The replacement belongs to the same account; the old key ends after the grace
    period.
    """
    new = portal(ROTATE, {"id": key["id"], "graceSeconds": 0}).json["data"]

    assert (new["accountId"], new["scopes"]) == (GRACE, NEW_KEY["scopes"])
    assert api(GET, {"id": key["id"]}).json["data"]["status"] == "revoked"
    assert api(GET, {"id": new["id"]}).json["data"]["status"] == "active"
    assert audited() == ["add", "rotate"]
    assert {row.actor for row in AuditRow.select()} == {GRACE}


def test_rotate_what_is_over(portal, key, refusal):
    """A revoked key is not replaced."""
    portal(REVOKE, {"id": key["id"]})

    response = portal(ROTATE, {"id": key["id"]})

    assert response.status_code == 409
    refusal(response, "key-not-active")


def test_rotate_what_became_more(portal, key, api, issue, refusal):
    """Scopes that an admin added to a key do not reach a developer by rotation."""
    update = "POST /platform/v1/keys/update"
    api(update, {"id": key["id"], "scopes": ["a"]}, key=issue("*"))

    response = portal(ROTATE, {"id": key["id"]})

    assert refusal(response, "scope-not-grantable")["scopes"] == ["a"]


def test_rotate_with_a_slower_portal(portal, key):
    """The replacement has the portal's current rate, even if it is lower now."""
    KeyRow.update(rate_capacity=5, rate_refill=0.5).where(
        KeyRow.prefix == portal.prefix
    ).execute()

    new = portal(ROTATE, {"id": key["id"]}).json["data"]

    assert (key["rateCapacity"], key["rateRefill"]) == (None, None)
    assert (new["rateCapacity"], new["rateRefill"]) == (5, 0.5)


@pytest.mark.parametrize("route", [REVOKE, ROTATE])
def test_what_is_not_ones_own(route, portal, key, api, audited):
    """
    The keys of another account and of admins get the same 404 as an unknown key, byte
    for byte.
    """
    admins = api(ADD, NEW_KEY).json["data"]["id"]
    before = audited()
    result = {
        re.sub(id, "ID", portal(route, {"id": id}, LINUS, **TRACED).text)
        for id in (UNKNOWN_ID, key["id"], admins)
    }

    assert len(result) == 1
    assert "key-not-found" in result.pop()
    assert audited() == before


TRACED = {"X-Request-Id": "trace"}


@pytest.mark.parametrize("route", [CREATE, LIST, REVOKE, ROTATE])
def test_portal_that_does_not_say_for_whom(route, portal, key, refusal):
    """A portal must name the account it acts for; an email address is no account."""
    bodies = {CREATE: NEW_KEY, LIST: None}
    data = bodies.get(route, {"id": key["id"]})

    for headers in ({}, {"Act-As-Email": "grace@example.com"}):
        response = portal(route, data, account=None, **headers)

        assert response.status_code == 400
        refusal(response, "actor-required")


def test_most_active_keys(portal, settings, clock, store, issue, refusal):
    """
    The number of active keys of an account is limited, including those in a grace
    period.
    """
    app = create_app(replace(settings, developer_keys_max=2), clock=clock)
    client = app.test_client()
    headers = {"Authorization": f"Bearer {portal.key}", "Act-As-Account": GRACE}

    def post(route, body):
        path = ROUTES[route].path
        return client.post(path, json=body, headers=headers)

    first, second = (post(CREATE, NEW_KEY).json["data"] for _ in "ab")
    third = post(CREATE, NEW_KEY)
    with_grace = post(ROTATE, {"id": first["id"], "graceSeconds": 1})
    without = post(ROTATE, {"id": first["id"], "graceSeconds": 0})
    post(REVOKE, {"id": second["id"]})

    assert (third.status_code, with_grace.status_code) == (409, 409)
    refusal(third, "limit-exceeded")
    assert without.status_code == 200
    assert post(CREATE, NEW_KEY).status_code == 200
    assert portal(CREATE, NEW_KEY, account=LINUS).status_code == 200


@pytest.mark.parametrize("scope", [ASSERT_ACTORS, ESCALATE])
def test_scope_that_is_never_public(scope, portal, settings, clock, refusal):
    """No developer's key gets the scope, even if the settings list it as public."""
    app = create_app(replace(settings, public_scopes=(scope,)), clock=clock)
    headers = {"Authorization": f"Bearer {portal.key}", "Act-As-Account": GRACE}
    body = NEW_KEY | {"scopes": [scope]}

    response = app.test_client().post(ROUTES[CREATE].path, json=body, headers=headers)

    refusal(response, "scope-not-public")


def test_plain_key(api, issue):
    """A key without an account has its own keys, which its replacement inherits."""
    key, other = (issue("platform:developer:*", "platform:keys:rotate") for _ in "ab")
    mine = api(CREATE, NEW_KEY, key=key).json["data"]
    id = KeyRow.get(KeyRow.prefix == key[:11]).id

    new = api("POST /platform/v1/keys/rotate", {"id": id}, key=key).json["data"]

    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-5.*", mine["accountId"])
    owned = [each["id"] for each in api(LIST, key=new["secret"]).json["data"]]
    assert owned == [mine["id"]]
    assert api(LIST, key=other).json["data"] == []


def test_key_of_an_account(portal, key, api):
    """A key that belongs to an account has access to that account's keys."""
    KeyRow.update(scopes=["platform:developer:*"]).execute()

    listed = api(LIST, key=key["secret"]).json["data"]

    assert [each["id"] for each in listed] == [key["id"]]
