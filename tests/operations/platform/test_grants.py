"""The limits of what a key may grant: its own rate and its own lifetime."""

from dataclasses import replace

import pytest

from api.http.application import create_app
from models.platform.keys import KeyRow
from models.platform.scopes import ESCALATE
from tests.operations.platform.test_keys import ADD

UPDATE = "POST /platform/v1/keys/update"
ROTATE = "POST /platform/v1/keys/rotate"
CREATE = "POST /platform/v1/developer/keys/create"
ROTATE_OWN = "POST /platform/v1/developer/keys/rotate"
SCOPES = ["status:services:list"]
NEW_KEY = {"name": "new", "scopes": SCOPES}
MANAGER = ("platform:keys:*", "platform:developer:*", *SCOPES)
LIMITS = {"rate_capacity": 100, "rate_refill": 10.0, "expires_in_days": 3}
WITHIN = {"rateCapacity": 100, "rateRefill": 10, "expiresInDays": 3}


@pytest.fixture
def limited(issue):
    """A key that manages keys and has its own limits."""
    return issue(*MANAGER, **LIMITS)


@pytest.fixture
def target(issue):
    """Issue another key, and return its id."""

    def issued(scopes=SCOPES, **more):
        prefix = issue(*scopes, **more)[:11]
        return KeyRow.get(KeyRow.prefix == prefix).id

    return issued


@pytest.mark.parametrize(
    ("beyond", "kind", "expected"),
    [
        ({"rateCapacity": 101}, "rate-not-grantable", ("rateCapacity", 100)),
        ({"rateRefill": 10.1}, "rate-not-grantable", ("rateRefill", 10.0)),
        ({"rateCapacity": ...}, "rate-not-grantable", ("rateCapacity", 100)),
        (
            {"expiresInDays": 4},
            *("lifetime-not-grantable", ("expiresAt", "2026-03-04T12:00:00.000Z")),
        ),
        (
            {"expiresInDays": ...},
            *("lifetime-not-grantable", ("expiresAt", "2026-03-04T12:00:00.000Z")),
        ),
    ],
)
def test_add_beyond_the_limits(beyond, kind, expected, api, limited, refusal):
    """The sent values and the defaults must be within the caller's own limits."""
    body = {n: v for n, v in (NEW_KEY | WITHIN | beyond).items() if v is not ...}

    response = api(ADD, body, key=limited)

    assert response.status_code == 403
    name, value = expected
    assert refusal(response, kind)[name] == value
    assert not KeyRow.select().where(KeyRow.name == "new").exists()


def test_add_at_the_limits(api, limited):
    """A key may grant its own limits in full."""
    assert api(ADD, NEW_KEY | WITHIN, key=limited).status_code == 200


def test_add_by_a_key_without_limits(api, issue, refusal):
    """A key without its own limits has the default rate, and grants any lifetime."""
    manager = issue(*MANAGER)

    assert api(ADD, NEW_KEY | {"expiresInDays": 3650}, key=manager).status_code == 200
    beyond = api(ADD, NEW_KEY | {"rateCapacity": 2001}, key=manager)
    refusal(beyond, "rate-not-grantable")


@pytest.mark.parametrize("grant_all", ["*", ESCALATE])
def test_add_by_who_grants_anything(grant_all, api, issue):
    """Keys with `*` and the scope to escalate may exceed every limit."""
    manager = issue("platform:keys:add", grant_all, **LIMITS)

    response = api(ADD, NEW_KEY | {"rateCapacity": 100_000}, key=manager)

    assert response.json["data"]["expiresAt"] is None


def test_add_under_the_open_policy(settings, clock, limited):
    """Under the open policy, no grant is limited."""
    opened = replace(settings, grant_policy="open")
    headers = {"Authorization": f"Bearer {limited}", "Idempotency-Key": "1"}

    response = (
        create_app(opened, clock=clock)
        .test_client()
        .post("/platform/v1/keys/add", json=NEW_KEY, headers=headers)
    )

    assert response.json["data"]["expiresAt"] is None


@pytest.mark.parametrize(
    ("present", "members", "kind"),
    [
        ({}, {"rateCapacity": 101}, "rate-not-grantable"),
        (LIMITS, {"rateCapacity": None}, "rate-not-grantable"),
        (
            LIMITS | {"expires_in_days": None, "rate_capacity": 1},
            *({"rateCapacity": 2}, "lifetime-not-grantable"),
        ),
        ({}, {"scopes": [*SCOPES, "platform:keys:list"]}, "rate-not-grantable"),
        (
            LIMITS | {"expires_in_days": 4},
            *({"scopes": ["platform:keys:*"]}, "lifetime-not-grantable"),
        ),
    ],
)
def test_update_beyond_the_limits(
    present, members, kind, api, limited, target, refusal
):
    """A key that gains scopes may have no more rate and lifetime than the caller."""
    present = {name: value for name, value in present.items() if value is not None}
    id = target(**{"rate_capacity": 100} | present)

    response = api(UPDATE, {"id": id} | members, key=limited)

    assert response.status_code == 403
    refusal(response, kind)


@pytest.mark.parametrize("members", [{"name": "new"}, {"rateCapacity": 500}])
def test_update_that_grants_nothing(members, api, limited, target):
    """
    A key with higher limits may be renamed, and brought nearer to the caller's limits.
    """
    id = target(rate_capacity=1000)

    assert api(UPDATE, {"id": id} | members, key=limited).status_code == 200


@pytest.mark.parametrize(
    ("present", "kind"),
    [
        (LIMITS | {"rate_refill": 11.0}, "rate-not-grantable"),
        (LIMITS | {"expires_in_days": 4}, "lifetime-not-grantable"),
    ],
)
def test_rotate_beyond_the_limits(present, kind, api, limited, target, refusal):
    """A rotation returns no secret with more rate or lifetime than the caller's."""
    response = api(ROTATE, {"id": target(**present)}, key=limited)

    assert response.status_code == 403
    refusal(response, kind)


def test_developer_key_of_a_limited_key(api, limited, clock):
    """
    A developer's key has at most the rate and lifetime of the key that creates it.
    """
    first = api(CREATE, NEW_KEY, key=limited).json["data"]
    clock.pass_(days=1)
    second = api(ROTATE_OWN, {"id": first["id"]}, key=limited).json["data"]

    for key in (first, second):
        assert (key["rateCapacity"], key["rateRefill"]) == (100, 10.0)
        assert key["expiresAt"] == "2026-03-04T12:00:00.000Z"
