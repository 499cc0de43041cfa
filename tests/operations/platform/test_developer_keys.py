"""Developers' own keys through HTTP."""

import re
from dataclasses import replace

import pytest

from api.http.application import create_app
from models.audit import AuditRow
from models.platform.keys import KeyRow
from models.platform.scopes import ASSERT_ACTORS, ESCALATE
from tests.conftest import ROUTES
from tests.operations.platform.test_keys import ADD, GET, MEMBERS, NOBODY
from tests.operations.platform.test_keys import LIST as LIST_ALL

CREATE, LIST, REVOKE, ROTATE = (
    *("POST /platform/v1/developer/keys/create",),
    *("GET /platform/v1/developer/keys/list",),
    *("POST /platform/v1/developer/keys/revoke",),
    *("POST /platform/v1/developer/keys/rotate",),
)
ASKED = {"name": "mine", "scopes": ["status:services:list"]}
GRACE = "0190b6a0-0000-7000-8000-000000000001"
LINUS = "0190b6a0-0000-7000-8000-000000000002"


@pytest.fixture
def portal(api, issue):
    """Ask as a portal does: with its key, for this account."""
    key = issue("platform:developer:*", "status:services:list", ASSERT_ACTORS)

    def asked(route, given=None, account=GRACE, **headers):
        acting = {"Act-As-Account": account} if account else {}
        return api(route, given, key=key, headers=acting | headers)

    asked.prefix, asked.key = key[:11], key
    return asked


@pytest.fixture
def key(portal):
    return portal(CREATE, ASKED).json["data"]


def test_create(portal, key, api):
    """The key is its account's, opens what was asked, and says its secret once."""
    assert key.keys() == MEMBERS | {"secret"}
    assert (key["accountId"], key["expiresAt"]) == (GRACE, None)
    assert (key["rateCapacity"], key["rateRefill"]) == (None, None)
    assert api("GET /status/v1/services/list", key=key["secret"]).status_code == 200
    (row,) = AuditRow.select()
    assert (row.action, row.actor) == ("add", GRACE)
    assert (row.target_id, row.target_prefix) == (key["id"], key["prefix"])
    assert row.detail == f'via key {portal.prefix} "test"'


@pytest.mark.parametrize("wanted", ["status:*", "a", "*", ASSERT_ACTORS])
def test_create_beyond_what_is_public(wanted, portal, refusal):
    """Only public scopes, to the letter, whatever the portal itself may do."""
    response = portal(CREATE, ASKED | {"scopes": [*ASKED["scopes"], wanted]})

    assert response.status_code == 403
    assert refusal(response, "scope-not-public")["scopes"] == [wanted]
    assert not KeyRow.select().where(KeyRow.name == "mine").exists()


@pytest.mark.parametrize(
    "member",
    [
        *({"name": ""}, {"scopes": []}, {"expiresInDays": 5}),
        *({"rateCapacity": 5}, {"accountId": GRACE}),
    ],
)
def test_create_out_of_shape(member, portal):
    """A developer names and scopes a key, and nothing else."""
    assert portal(CREATE, ASKED | member).status_code == 422


def test_list(portal, key, clock, api):
    """One's own keys, newest first, revoked ones too, without meta or secrets."""
    api(ADD, ASKED)
    portal(CREATE, ASKED, account=LINUS)
    clock.pass_(seconds=1)
    portal(CREATE, ASKED | {"name": "newer"})
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
    """Revoked once, and audited once, by the account."""
    first, again = portal(REVOKE, {"id": key["id"]}), portal(REVOKE, {"id": key["id"]})

    assert first.json["data"]["status"] == "revoked"
    assert again.data == first.data
    assert audited() == ["add", "remove"]
    assert {row.actor for row in AuditRow.select()} == {GRACE}


def test_rotate(portal, key, api, audited):
    """The replacement is the same account's; the old key ends with the grace."""
    new = portal(ROTATE, {"id": key["id"], "graceSeconds": 0}).json["data"]

    assert (new["accountId"], new["scopes"]) == (GRACE, ASKED["scopes"])
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
    """What an admin added to a key does not reach a developer by rotation."""
    update = "POST /platform/v1/keys/update"
    api(update, {"id": key["id"], "scopes": ["a"]}, key=issue("*"))

    response = portal(ROTATE, {"id": key["id"]})

    assert refusal(response, "scope-not-grantable")["scopes"] == ["a"]


def test_rotate_with_a_slower_portal(portal, key):
    """The replacement is as slow as the portal has become since."""
    KeyRow.update(rate_capacity=5, rate_refill=0.5).where(
        KeyRow.prefix == portal.prefix
    ).execute()

    new = portal(ROTATE, {"id": key["id"]}).json["data"]

    assert (key["rateCapacity"], key["rateRefill"]) == (None, None)
    assert (new["rateCapacity"], new["rateRefill"]) == (5, 0.5)


@pytest.mark.parametrize("route", [REVOKE, ROTATE])
def test_what_is_not_ones_own(route, portal, key, api, audited):
    """Somebody else's key, and an admin's, are as missing as none: to the byte."""
    admins = api(ADD, ASKED).json["data"]["id"]
    before = audited()
    result = {
        re.sub(id, "ID", portal(route, {"id": id}, LINUS, **TRACED).text)
        for id in (NOBODY, key["id"], admins)
    }

    assert len(result) == 1
    assert "key-not-found" in result.pop()
    assert audited() == before


TRACED = {"X-Request-Id": "trace"}


@pytest.mark.parametrize("route", [CREATE, LIST, REVOKE, ROTATE])
def test_portal_that_does_not_say_for_whom(route, portal, key, refusal):
    """Who may act for anybody must say for whom; an e-mail is no account."""
    bodies = {CREATE: ASKED, LIST: None}
    given = bodies.get(route, {"id": key["id"]})

    for headers in ({}, {"Act-As-Email": "grace@example.com"}):
        response = portal(route, given, account=None, **headers)

        assert response.status_code == 400
        refusal(response, "actor-required")


def test_most_active_keys(portal, settings, clock, store, issue, refusal):
    """An account has at most so many active keys, those in a grace period included."""
    app = create_app(replace(settings, developer_keys_max=2), clock=clock)
    client = app.test_client()
    headers = {"Authorization": f"Bearer {portal.key}", "Act-As-Account": GRACE}

    def post(route, body):
        path = ROUTES[route].path
        return client.post(path, json=body, headers=headers)

    first, second = (post(CREATE, ASKED).json["data"] for _ in "ab")
    third = post(CREATE, ASKED)
    with_grace = post(ROTATE, {"id": first["id"], "graceSeconds": 1})
    without = post(ROTATE, {"id": first["id"], "graceSeconds": 0})
    post(REVOKE, {"id": second["id"]})

    assert (third.status_code, with_grace.status_code) == (409, 409)
    refusal(third, "limit-exceeded")
    assert without.status_code == 200
    assert post(CREATE, ASKED).status_code == 200
    assert portal(CREATE, ASKED, account=LINUS).status_code == 200


@pytest.mark.parametrize("wanted", [ASSERT_ACTORS, ESCALATE])
def test_scope_that_is_never_public(wanted, portal, settings, clock, refusal):
    """Though the settings list it as public, no developer's key has it."""
    app = create_app(replace(settings, public_scopes=(wanted,)), clock=clock)
    headers = {"Authorization": f"Bearer {portal.key}", "Act-As-Account": GRACE}
    body = ASKED | {"scopes": [wanted]}

    response = app.test_client().post(ROUTES[CREATE].path, json=body, headers=headers)

    refusal(response, "scope-not-public")


def test_plain_key(api, issue):
    """A plain key has keys of its own, which it keeps when it is replaced."""
    key, other = (issue("platform:developer:*", "platform:keys:rotate") for _ in "ab")
    mine = api(CREATE, ASKED, key=key).json["data"]
    id = KeyRow.get(KeyRow.prefix == key[:11]).id

    new = api("POST /platform/v1/keys/rotate", {"id": id}, key=key).json["data"]

    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-5.*", mine["accountId"])
    owned = [each["id"] for each in api(LIST, key=new["secret"]).json["data"]]
    assert owned == [mine["id"]]
    assert api(LIST, key=other).json["data"] == []


def test_key_of_an_account(portal, key, api):
    """A key that belongs to an account sees that account's keys."""
    KeyRow.update(scopes=["platform:developer:*"]).execute()

    listed = api(LIST, key=key["secret"]).json["data"]

    assert [each["id"] for each in listed] == [key["id"]]
