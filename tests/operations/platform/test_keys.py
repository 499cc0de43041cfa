"""API keys over HTTP."""

import re

import pytest

from models.platform.keys import KeyRow
from models.platform.secrets import is_well_formed

ADD = "POST /platform/v1/keys/add"
LIST = "GET /platform/v1/keys/list"
GET = "GET /platform/v1/keys/get"
REMOVE = "POST /platform/v1/keys/remove"
VERIFY = "POST /platform/v1/keys/verify"
UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"

MEMBERS = {
    *("id", "prefix", "name", "scopes", "status", "createdAt", "expiresAt"),
    *("rateCapacity", "rateRefill", "accountId"),
}
NEW_KEY = {"name": "probe", "scopes": ["status:services:list"]}


@pytest.fixture
def created(api):
    """A key that was added over HTTP, with its secret."""
    return api(ADD, NEW_KEY | {"expiresInDays": 2}).json["data"]


def test_add(api, audited):
    """
    The response has all members of the key and its secret, and the addition is audited.
    """
    response = api(ADD, NEW_KEY | {"name": "  probe ", "rateRefill": 0.5})

    key = response.json["data"]
    assert response.status_code == 200
    assert key.keys() == MEMBERS | {"secret"}
    assert is_well_formed(key["secret"])
    assert key["secret"].startswith(key["prefix"] + "_")
    assert (key["name"], key["status"]) == ("probe", "active")
    assert (key["rateCapacity"], key["rateRefill"]) == (None, 0.5)
    assert (key["expiresAt"], key["accountId"]) == (None, None)
    assert key["createdAt"] == "2026-03-01T12:00:00.000Z"
    assert response.headers["Cache-Control"] == "no-store"
    assert audited() == ["add"]


def test_add_that_expires(created):
    """The lifetime is sent in days and returned as an instant."""
    assert created["expiresAt"] == "2026-03-03T12:00:00.000Z"


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("name", ""),
        ("name", "   "),
        ("name", "x" * 121),
        ("name", "a\nb"),
        ("name", "a\u0085b"),
        ("name", "a\x00b"),
        ("name", None),
        ("scopes", []),
        ("scopes", ["a"] * 101),
        ("scopes", "*"),
        ("scopes", ["status:*:list"]),
        ("scopes", ["Status:list"]),
        ("scopes", ["a\x00"]),
        ("rateCapacity", 0),
        ("rateCapacity", 100_001),
        ("rateCapacity", "5"),
        ("rateCapacity", 5.5),
        ("rateCapacity", True),
        ("rateCapacity", None),
        ("rateRefill", 0.09),
        ("rateRefill", 10_000.1),
        ("rateRefill", True),
        ("expiresInDays", 0),
        ("expiresInDays", 3651),
        ("expiresInDays", None),
    ],
)
def test_add_out_of_shape(member, value, api, refusal):
    """A value beyond a limit is rejected by its member, and nothing is stored."""
    response = api(ADD, NEW_KEY | {member: value})

    assert response.status_code == 422
    pointer = refusal(response, "validation-failed")["errors"][0]["pointer"]
    assert re.fullmatch(rf"/{member}(/\d+)?", pointer)
    assert not KeyRow.select().where(KeyRow.name == "probe").exists()


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("name", "x" * 120),
        ("scopes", ["status:services:list", "status:uptime:get"]),
        ("rateCapacity", 1),
        ("rateCapacity", 100_000),
        ("rateCapacity", 5.0),
        ("rateRefill", 0.1),
        ("rateRefill", 10_000),
        ("expiresInDays", 3650),
    ],
)
def test_add_at_the_limit(member, value, api, issue):
    """A value at a limit is stored as it was sent."""
    response = api(ADD, NEW_KEY | {member: value}, key=issue("*"))

    assert response.status_code == 200
    assert response.json["data"].get(member, value) == value


def test_add_with_a_scope_twice(api):
    """A scope that is sent twice is stored once."""
    response = api(ADD, NEW_KEY | {"scopes": NEW_KEY["scopes"] * 2})

    assert response.json["data"]["scopes"] == NEW_KEY["scopes"]


def test_get(api, created):
    """A key is returned without its secret."""
    response = api(GET, {"id": created["id"]})

    assert response.json["data"] == {name: created[name] for name in MEMBERS}


@pytest.mark.parametrize("route", [GET, REMOVE])
def test_unknown_key(route, api, refusal):
    """An unknown id is a 404 that names it."""
    response = api(route, {"id": UNKNOWN_ID})

    assert response.status_code == 404
    assert UNKNOWN_ID in refusal(response, "key-not-found")["detail"]


@pytest.mark.parametrize("id", ["", "x", UNKNOWN_ID.upper().replace("0", "A"), None, 5])
def test_id_out_of_shape(id, api):
    """An id is a UUID in lower case."""
    assert api(GET, {"id": id} if id is not None else {}).status_code == 422
    assert api(REMOVE, {"id": id}).status_code == 422


def test_list(api, clock):
    """Newest first, in linked pages that new keys do not shift."""
    for number in range(5):
        clock.pass_(seconds=1)
        api(ADD, NEW_KEY | {"name": f"key {number}"})
    clock.pass_(seconds=1)

    first = api(LIST, {"limit": 2})
    api(ADD, NEW_KEY | {"name": "late"})
    second = api(LIST, {"limit": 3, "cursor": first.json["meta"]["cursor"]})

    assert [each["name"] for each in first.json["data"]] == ["test", "key 4"]
    assert first.json["data"][0].keys() == MEMBERS
    names = [each["name"] for each in second.json["data"]]
    assert names == ["key 3", "key 2", "key 1"]


def test_list_links_to_its_next_page(api, issue, app):
    """The Link header has the address of the cursor; the last page has neither."""
    issue("a")
    issue("b")
    key = issue("platform:keys:list")
    link = api(LIST, {"limit": 2, "status": "active"}, key=key).headers["Link"]

    address = re.fullmatch(r'<(/[^>]+)>; rel="next"', link)[1]
    headers = {"Authorization": f"Bearer {key}"}
    last = app.test_client().get(address, headers=headers)

    assert len(last.json["data"]) == 1
    assert last.json["meta"] == {"cursor": None}
    assert "Link" not in last.headers


def test_list_by_status(api, created, clock):
    """An expired key counts as revoked, in lists as everywhere."""
    clock.pass_(days=2)

    revoked = api(LIST, {"status": "revoked"}).json["data"]
    active = api(LIST, {"status": "active"}).json["data"]

    assert [each["id"] for each in revoked] == [created["id"]]
    assert revoked[0]["status"] == "revoked"
    assert created["id"] not in [each["id"] for each in active]


@pytest.mark.parametrize("account", [UNKNOWN_ID, "nobody", ""])
def test_list_by_account(account, api, created):
    """An account is any text; one without keys has an empty list."""
    response = api(LIST, {"accountId": account})

    assert response.status_code == 200
    assert response.json["data"] == []


@pytest.mark.parametrize("limit", ["0", "101", "-1", "1.5", "x", "", "٣"])
def test_list_with_a_wrong_limit(limit, api, refusal):
    """A page has 1 to 100 keys, and the limit consists of digits."""
    response = api(LIST, {"limit": limit})

    assert response.status_code == 422
    problem = refusal(response, "validation-failed")
    assert problem["errors"][0]["parameter"] == "limit"


def test_list_with_other_filters(api, issue, refusal):
    """A cursor is bound to its filters; the limit may change."""
    for _ in range(3):
        issue("a")
    cursor = api(LIST, {"limit": 1}).json["meta"]["cursor"]

    response = api(LIST, {"cursor": cursor, "status": "active"})

    assert response.status_code == 400
    refusal(response, "invalid-cursor")
