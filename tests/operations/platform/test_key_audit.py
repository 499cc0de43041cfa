"""The audit log of keys over HTTP."""

import pytest

from models.audit import AuditRow
from models.platform.keys import KeyRow
from tests.operations.platform.test_keys import ADD, NEW_KEY, REMOVE

pytestmark = pytest.mark.both_engines

LIST = "GET /platform/v1/audit/list"


@pytest.fixture
def keys(api, clock):
    """Three keys, added a second apart, the last of them removed."""
    made = []
    for number in range(3):
        clock.pass_(seconds=1)
        made.append(api(ADD, NEW_KEY | {"name": f"key {number}"}).json["data"])
    api(REMOVE, {"id": made[-1]["id"]})
    return made


def test_record(api, keys):
    """A record has the actor, the action, the time, the key and the caller's key."""
    data = api(LIST).json["data"][0]
    remover = KeyRow.get(KeyRow.scopes.contains("platform:keys:remove"))

    assert data == {
        "id": data["id"],
        "actor": "ada@example.com",
        "action": "remove",
        "targetKeyId": keys[2]["id"],
        "targetKeyPrefix": keys[2]["prefix"],
        "targetKeyName": "key 2",
        # The second change of this millisecond.
        "at": "2026-03-01T12:00:03.001Z",
        "detail": f'via key {remover.prefix} "test"',
    }


@pytest.mark.parametrize(
    ("name", "quoted"),
    [
        ("On-call Bob", '"On-call Bob"'),
        ('Bob" via key mh_00000000 "Ada', r'"Bob\" via key mh_00000000 \"Ada"'),
    ],
)
@pytest.mark.parametrize(
    ("route", "body"),
    [
        (ADD, NEW_KEY),
        ("POST /status/v1/admin/services/add", {"slug": "api", "name": "API"}),
        ("POST /projects/v1/admin/labels/add", {"name": "bug"}),
    ],
)
def test_key_of_a_change(name, quoted, route, body, api, issue):
    """
    Keys of one issuer are distinguished in every area, and no name imitates another.
    """
    key = issue("*", name=name)

    api(route, body, key=key)

    row = AuditRow.select().order_by(AuditRow.number.desc()).first()
    assert row.actor == "ada@example.com"
    assert row.detail == f"via key {key[:11]} {quoted}"


def test_pages(api, keys):
    """Newest first, in pages that new records do not shift."""
    first = api(LIST, {"limit": 2}).json
    api(REMOVE, {"id": keys[0]["id"]})
    second = api(LIST, {"limit": 2, "cursor": first["meta"]["cursor"]}).json

    result = [(r["action"], r["targetKeyName"]) for r in first["data"] + second["data"]]
    assert result == [
        *(("remove", "key 2"), ("add", "key 2")),
        *(("add", "key 1"), ("add", "key 0")),
    ]
    assert second["meta"] == {"cursor": None}


def test_no_other_area(api, keys):
    """Changes of the status page are not in it."""
    api("POST /status/v1/admin/services/add", {"slug": "api", "name": "API"})

    assert len(api(LIST).json["data"]) == 4
    assert AuditRow.select().count() == 5


def test_default_page(api, keys):
    """A page has fifty records by default."""
    for number in range(50):
        api(ADD, NEW_KEY | {"name": f"more {number}"})

    assert len(api(LIST).json["data"]) == 50
    assert len(api(LIST, {"limit": 100}).json["data"]) == 54


@pytest.mark.parametrize("limit", ["0", "101", "x"])
def test_wrong_limit(limit, api):
    """A page has 1 to 100 records."""
    assert api(LIST, {"limit": limit}).status_code == 422


def test_nothing_secret_in_it(api, keys):
    """Neither secrets nor hashes nor Idempotency-Keys are recorded."""
    result = api(LIST).text

    assert not any(key["secret"][12:] in result for key in keys)
    assert "link" not in result
