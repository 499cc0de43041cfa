"""Changing keys over HTTP."""

import pytest

from models.audit import AuditRow
from models.platform.scopes import ASSERT_ACTORS, ESCALATE
from tests.operations.platform.test_keys import ADD, GET, NEW_KEY, REMOVE, UNKNOWN_ID

UPDATE = "POST /platform/v1/keys/update"
RATES = {"rateCapacity": 5, "rateRefill": 0.5}


@pytest.fixture
def key(api):
    created = api(ADD, NEW_KEY | RATES).json["data"]
    return {name: value for name, value in created.items() if name != "secret"}


@pytest.fixture
def update(api, key, issue):
    manager = issue("*")

    def updated(id=key["id"], caller=manager, **members):
        return api(UPDATE, {"id": id, **members}, key=caller)

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
    """Sent members change, null restores the default rate, and the others stay."""
    response = update(**members)

    assert response.json["data"] == key | members
    assert api(GET, {"id": key["id"]}).json["data"] == key | members
    row = AuditRow.select().order_by(AuditRow.number.desc()).get()
    assert (row.action, row.detail.rpartition("; ")[0]) == ("update", detail)
    assert (row.target_id, row.target_prefix) == (key["id"], key["prefix"])


@pytest.mark.parametrize(
    "members",
    [{}, {"name": " probe "}, {"scopes": NEW_KEY["scopes"]}, {"rateCapacity": 5.0}],
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
        ("accountId", UNKNOWN_ID),
    ],
)
def test_out_of_shape(member, value, update, key, api):
    """
    An update can exceed neither the limits nor the expiry, and cannot change the
    account.
    """
    response = update(**{member: value})

    assert response.status_code == 422
    assert response.json["errors"][0]["pointer"] == f"/{member}"
    assert api(GET, {"id": key["id"]}).json["data"] == key


def test_unknown(update, refusal):
    """An unknown id is a 404."""
    refusal(update(id=UNKNOWN_ID, name="new"), "key-not-found")


@pytest.mark.parametrize("members", [{"name": "new"}, {}])
def test_not_active(members, update, key, api, refusal, audited):
    """A key that is no longer active is not changed, and the response says so."""
    api(REMOVE, {"id": key["id"]})

    response = update(**members)

    assert response.status_code == 409
    refusal(response, "key-not-active")
    assert audited() == ["add", "remove"]


@pytest.mark.parametrize("scope", ["a", "status:services:*", "*", ASSERT_ACTORS])
def test_new_scopes_are_grants(scope, update, key, issue, refusal, api):
    """A manager adds only scopes that it may grant; existing scopes may stay."""
    caller = issue("platform:keys:update", *NEW_KEY["scopes"])
    scopes = [*NEW_KEY["scopes"], "status:uptime:get", scope]

    response = update(scopes=scopes, caller=caller)

    assert response.status_code == 403
    assert refusal(response, "scope-not-grantable")["scopes"] == [scope]
    assert api(GET, {"id": key["id"]}).json["data"] == key


@pytest.mark.parametrize(
    "members", [{"name": "new"}, {"scopes": ["a:c"]}, {"rateCapacity": 1}, {}]
)
def test_key_beyond_the_manager(members, update, issue, refusal, api, key):
    """
    A key with more scopes than the manager is not changed at all, not even reduced.
    """
    update(scopes=["a:*", "b", *NEW_KEY["scopes"]])
    before = api(GET, {"id": key["id"]}).json["data"]

    response = update(**members, caller=issue("platform:keys:update", "a:*"))

    assert response.status_code == 403
    missing = refusal(response, "scope-not-grantable")["scopes"]
    assert missing == ["b", *NEW_KEY["scopes"]]
    assert api(GET, {"id": key["id"]}).json["data"] == before


@pytest.mark.parametrize("scope", ["*", ESCALATE])
def test_manager_beyond_all_keys(scope, update, issue):
    """
    A manager that may grant everything changes any key, even one that acts for others.
    """
    update(caller=issue("*", ASSERT_ACTORS), scopes=[ASSERT_ACTORS])

    response = update(caller=issue("platform:keys:update", scope), name="new")

    assert response.json["data"]["name"] == "new"


def test_acts_at_once(key, update, api, send, issue):
    """New scopes and rates apply from the next request on."""
    created = api(ADD, NEW_KEY | {"name": "other"}).json["data"]
    assert api("GET /status/v1/services/list", key=created["secret"]).status_code == 200

    update(id=created["id"], scopes=["a"], rateCapacity=7)

    response = api("GET /status/v1/services/list", key=created["secret"])
    assert response.status_code == 403
    assert response.headers["RateLimit-Policy"].startswith('"key";q=7;')
