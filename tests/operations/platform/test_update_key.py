"""Changing keys through HTTP."""

import pytest

from models.audit import AuditRow
from models.platform.scopes import ASSERT_ACTORS, ESCALATE
from tests.operations.platform.test_keys import ADD, ASKED, GET, NOBODY, REMOVE

UPDATE = "POST /platform/v1/keys/update"
RATES = {"rateCapacity": 5, "rateRefill": 0.5}


@pytest.fixture
def key(api):
    created = api(ADD, ASKED | RATES).json["data"]
    return {name: value for name, value in created.items() if name != "secret"}


@pytest.fixture
def update(api, key, issue):
    manager = issue("*")

    def updated(id=key["id"], held=manager, **members):
        return api(UPDATE, {"id": id, **members}, key=held)

    return updated


@pytest.mark.parametrize(
    ("members", "detail"),
    [
        ({"name": "new"}, "name: probe -> new"),
        ({"rateCapacity": 7}, "rateCapacity: 5 -> 7"),
        ({"rateCapacity": None}, "rateCapacity: 5 -> none"),
        ({"rateRefill": None}, "rateRefill: 0.5 -> none"),
        (
            {"scopes": ["a", "b:*"], "name": "new"},
            "name: probe -> new; scopes: status:services:list -> a, b:*",
        ),
    ],
)
def test_update(members, detail, update, key, api):
    """What is sent changes, null is the default rate again; the rest stays."""
    response = update(**members)

    assert response.json["data"] == key | members
    assert api(GET, {"id": key["id"]}).json["data"] == key | members
    row = AuditRow.select().order_by(AuditRow.number.desc()).get()
    assert (row.action, row.detail.rpartition("; ")[0]) == ("update", detail)
    assert (row.target_id, row.target_prefix) == (key["id"], key["prefix"])


@pytest.mark.parametrize(
    "members",
    [{}, {"name": " probe "}, {"scopes": ASKED["scopes"]}, {"rateCapacity": 5.0}],
)
def test_update_of_nothing(members, update, key, audited):
    """An update that changes nothing leaves no record."""
    assert update(**members).json["data"] == key
    assert audited() == ["add"]


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("name", None),
        ("name", ""),
        ("name", "x" * 121),
        ("scopes", None),
        ("scopes", []),
        ("rateCapacity", 0),
        ("rateCapacity", 100_001),
        ("rateRefill", 0.09),
        ("rateRefill", 10_001),
        ("expiresInDays", 5),
        ("accountId", NOBODY),
    ],
)
def test_out_of_shape(member, value, update, key, api):
    """Neither the limits nor the end, nor whose it is, can be passed by."""
    response = update(**{member: value})

    assert response.status_code == 422
    assert response.json["errors"][0]["pointer"] == f"/{member}"
    assert api(GET, {"id": key["id"]}).json["data"] == key


def test_unknown(update, refusal):
    """An id that names no key is a 404."""
    refusal(update(id=NOBODY, name="new"), "key-not-found")


@pytest.mark.parametrize("members", [{"name": "new"}, {}])
def test_not_active(members, update, key, api, refusal, audited):
    """What no longer opens is not changed, nor pretended to be."""
    api(REMOVE, {"id": key["id"]})

    response = update(**members)

    assert response.status_code == 409
    refusal(response, "key-not-active")
    assert audited() == ["add", "remove"]


@pytest.mark.parametrize("wanted", ["a", "status:services:*", "*", ASSERT_ACTORS])
def test_new_scopes_are_grants(wanted, update, key, issue, refusal, api):
    """A manager adds to a key only what it may grant; what is there may stay."""
    held = issue("platform:keys:update", *ASKED["scopes"])
    scopes = [*ASKED["scopes"], "status:uptime:get", wanted]

    response = update(scopes=scopes, held=held)

    assert response.status_code == 403
    assert refusal(response, "scope-not-grantable")["scopes"] == [wanted]
    assert api(GET, {"id": key["id"]}).json["data"] == key


@pytest.mark.parametrize(
    "members", [{"name": "new"}, {"scopes": ["a:c"]}, {"rateCapacity": 1}, {}]
)
def test_key_beyond_the_manager(members, update, issue, refusal, api, key):
    """A key of more scopes is not changed at all, not even to take some away."""
    update(scopes=["a:*", "b", *ASKED["scopes"]])
    before = api(GET, {"id": key["id"]}).json["data"]

    response = update(**members, held=issue("platform:keys:update", "a:*"))

    assert response.status_code == 403
    missing = refusal(response, "scope-not-grantable")["scopes"]
    assert missing == ["b", *ASKED["scopes"]]
    assert api(GET, {"id": key["id"]}).json["data"] == before


@pytest.mark.parametrize("held", ["*", ESCALATE])
def test_manager_beyond_all_keys(held, update, issue):
    """Who may grant anything changes any key, also one that acts for others."""
    update(held=issue("*", ASSERT_ACTORS), scopes=[ASSERT_ACTORS])

    response = update(held=issue("platform:keys:update", held), name="new")

    assert response.json["data"]["name"] == "new"


def test_acts_at_once(key, update, api, send, issue):
    """New scopes and rates hold from the next request on."""
    created = api(ADD, ASKED | {"name": "other"}).json["data"]
    assert api("GET /status/v1/services/list", key=created["secret"]).status_code == 200

    update(id=created["id"], scopes=["a"], rateCapacity=7)

    response = api("GET /status/v1/services/list", key=created["secret"])
    assert response.status_code == 403
    assert response.headers["RateLimit-Policy"].startswith('"key";q=7;')
