"""Replacing keys over HTTP: what the replacement has, and what no caller gains."""

import pytest

from models.audit import AuditRow
from models.platform.keys import KeyRow
from models.platform.scopes import ASSERT_ACTORS
from tests.conftest import ROUTES
from tests.operations.platform.test_keys import ADD, GET, MEMBERS, REMOVE, UNKNOWN_ID

ROTATE = "POST /platform/v1/keys/rotate"
LIST = ROUTES["GET /platform/v1/keys/list"]
NEW_KEY = {
    "name": "probe",
    "scopes": ["platform:keys:list"],
    "rateCapacity": 2,
    "rateRefill": 0.1,
    "expiresInDays": 3,
}
COPIED_FIELDS = ("name", "scopes", "rateCapacity", "rateRefill", "accountId")


@pytest.fixture
def old(api, issue):
    return api(ADD, NEW_KEY, key=issue("*")).json["data"]


@pytest.fixture
def rotate(api, old, issue):
    """Rotate the old key with a key that may grant its scopes."""
    key = issue("*")

    def rotated(grace=None, id=old["id"], **more):
        body = {"id": id} | ({} if grace is None else {"graceSeconds": grace})
        return api(ROTATE, body, **{"key": key} | more)

    return rotated


def seen(api, key):
    return api(GET, {"id": key["id"]}).json["data"]


def test_rotate(rotate, old, api, clock):
    """The replacement is a new key with the old one's fields; both are active."""
    clock.pass_(days=1)

    new = rotate().json["data"]

    assert new.keys() == MEMBERS | {"secret"}
    assert {n: new[n] for n in COPIED_FIELDS} == {n: old[n] for n in COPIED_FIELDS}
    assert len({old["id"], new["id"]}) == len({old["secret"], new["secret"]}) == 2
    assert new["createdAt"] == "2026-03-02T12:00:00.000Z"
    assert new["expiresAt"] == "2026-03-05T12:00:00.000Z"
    assert seen(api, old)["expiresAt"] == "2026-03-03T12:00:00.000Z"
    assert seen(api, old)["status"] == seen(api, new)["status"] == "active"


def test_replacement_without_an_end(rotate, issue):
    """
    The replacement of a key without an expiry has none, and neither has its
    replacement.
    """
    issue("a")
    first = KeyRow.get(KeyRow.scopes == '["a"]').id
    second = rotate(5, id=first).json["data"]

    third = rotate(5, id=second["id"]).json["data"]

    assert second["expiresAt"] is third["expiresAt"] is None


@pytest.mark.parametrize(
    ("grace", "expires_at"),
    [
        (0, "2026-03-03T12:00:00.000Z"),
        (60, "2026-03-03T12:01:00.000Z"),
        (86_400, "2026-03-04T12:00:00.000Z"),
        (86_401, "2026-03-04T12:00:00.000Z"),
        (2_592_000, "2026-03-04T12:00:00.000Z"),
    ],
)
def test_grace(grace, expires_at, rotate, old, api, clock):
    """The old key ends after the grace period, and never later than it would have."""
    clock.pass_(days=2)

    assert rotate(grace).status_code == 200

    assert seen(api, old)["expiresAt"] == expires_at
    assert seen(api, old)["status"] == ("active" if grace else "revoked")


def test_second_grace(rotate, old, api, refusal):
    """A key in its grace period is not rotated again, by any caller."""
    rotate(60)

    response = rotate(30)

    assert response.status_code == 409
    refusal(response, "key-replaced")
    assert seen(api, old)["expiresAt"] == "2026-03-01T12:01:00.000Z"


def test_rotation_by_a_key_in_its_grace(issue, api, refusal):
    """
    A key in its grace period cannot rotate its replacement, because it may have leaked.
    """
    leaked = issue("platform:keys:rotate")
    id = KeyRow.get(KeyRow.prefix == leaked[:11]).id
    new = api(ROTATE, {"id": id, "graceSeconds": 60}, key=leaked).json["data"]

    response = api(ROTATE, {"id": new["id"], "graceSeconds": 0}, key=leaked)

    assert response.status_code == 409
    refusal(response, "key-replaced")
    assert seen(api, new)["expiresAt"] is None


def test_update_by_a_key_in_its_grace(issue, api, refusal):
    """A key in its grace period cannot remove scopes from its replacement either."""
    leaked = issue("platform:keys:*")
    id = KeyRow.get(KeyRow.prefix == leaked[:11]).id
    new = api(ROTATE, {"id": id, "graceSeconds": 60}, key=leaked).json["data"]

    update = "POST /platform/v1/keys/update"
    response = api(update, {"id": new["id"], "scopes": ["a"]}, key=leaked)

    assert response.status_code == 409
    refusal(response, "key-replaced")
    assert seen(api, new)["scopes"] == ["platform:keys:*"]


def test_rotation_of_oneself(issue, api, clock):
    """Repeated rotations of a key by itself do not extend its lifetime."""
    secret = issue("platform:keys:rotate", expires_in_days=3, rate_capacity=5)
    clock.pass_(days=1)

    for _ in range(2):
        id = KeyRow.get(KeyRow.prefix == secret[:11]).id
        new = api(ROTATE, {"id": id}, key=secret).json["data"]
        secret = new["secret"]

    assert new["expiresAt"] == "2026-03-04T12:00:00.000Z"
    assert new["rateCapacity"] == 5


@pytest.mark.parametrize("grace", [-1, 2_592_001, "60", 1.5, None, True])
def test_grace_out_of_shape(grace, api, old):
    """A grace period is a whole number of seconds, up to thirty days."""
    response = api(ROTATE, {"id": old["id"], "graceSeconds": grace})

    assert response.status_code == 422
    assert response.json["errors"][0]["pointer"] == "/graceSeconds"


@pytest.mark.parametrize("over", ["removed", "expired", "rotated"])
def test_what_is_over_stays_over(over, rotate, old, api, clock, audited, refusal):
    """A key that is no longer active is neither revived nor replaced."""
    if over == "removed":
        api(REMOVE, {"id": old["id"]})
    if over == "rotated":
        rotate(0)
    clock.pass_(days=3 if over == "expired" else 0)
    before = audited()

    response = rotate(60)

    assert response.status_code == 409
    refusal(response, "key-not-active")
    assert seen(api, old)["status"] == "revoked"
    assert audited() == before


def test_order_of_refusals(rotate, old, issue, api, refusal):
    """Unknown is reported first, then inactive, then scopes beyond the caller's own."""
    key = issue("platform:keys:rotate")

    beyond = rotate(key=key)
    api(REMOVE, {"id": old["id"]})

    assert refusal(beyond, "scope-not-grantable")["scopes"] == NEW_KEY["scopes"]
    refusal(rotate(key=key), "key-not-active")
    missing = rotate(key=key, id=UNKNOWN_ID)
    assert (missing.status_code, beyond.status_code) == (404, 403)
    assert KeyRow.select().where(KeyRow.name == "probe").count() == 1


def test_no_secret_of_a_key_that_acts_for_others(rotate, issue, refusal):
    """
    A caller gets the replacement's secret, so it must be able to grant all its scopes.
    """
    issue("status:services:list", ASSERT_ACTORS)
    id = KeyRow.get(KeyRow.scopes.contains(ASSERT_ACTORS)).id

    response = rotate(id=id)

    assert refusal(response, "scope-not-grantable")["scopes"] == [ASSERT_ACTORS]


def test_one_rate_for_the_line(rotate, old, send):
    """A key and its replacements share one rate limit."""
    new = rotate().json["data"]
    newest = rotate(id=new["id"]).json["data"]

    statuses = [send(LIST, each["secret"]).status_code for each in (old, new, newest)]

    assert statuses == [200, 200, 429]


def test_record(rotate, old):
    """The record is about the old key, and names the new one and the grace period."""
    new = rotate(60).json["data"]

    row = AuditRow.select().order_by(AuditRow.number.desc()).get()
    assert (row.action, row.target_id, row.target_label) == (
        *("rotate", old["id"], "probe"),
    )
    assert row.target_prefix == old["prefix"]
    replaced = f"replaced by {new['prefix']} ({new['id']}); grace: 60 s; via key "
    assert row.detail.startswith(replaced)


def test_twice(rotate, old):
    """
    A repeat with the Idempotency-Key returns the secret again, and creates one key.
    """
    headers = {"Idempotency-Key": "abc"}

    first, second = rotate(0, headers=headers), rotate(0, headers=headers)

    assert second.data == first.data
    assert first.json["data"]["secret"] != old["secret"]
    assert KeyRow.select().where(KeyRow.name == "probe").count() == 2
