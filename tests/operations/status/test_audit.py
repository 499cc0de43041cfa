"""The operators' audit log over HTTP."""

import re

import pytest

from models.audit import broken_links
from tests.factories.status import (
    ADD_SERVICE,
    ADD_UPDATE,
    AUDIT,
    REMOVE,
    UPDATE_INCIDENT,
    UPDATE_SERVICE,
    UPDATE_WINDOW,
    World,
)

ACTIONS = [
    "service.added",
    "maintenance.scheduled",
    "maintenance.updated",
    "incident.opened",
    "incident.updated",
    "incident.update-posted",
    "service.updated",
    "service.removed",
    "service.purged",
]


@pytest.fixture
def world(api, clock):
    return World(api, clock)


@pytest.fixture
def history(api, world):
    """
    Each action once, and a measurement; return the ids by the type of their target.
    """
    service = world.service("api")["id"]
    window = world.window("api", 60, 120)
    api(UPDATE_WINDOW, {"id": window, "status": "cancelled"})
    incident = world.incident("api")
    api(UPDATE_INCIDENT, {"id": incident, "severity": "major-outage"})
    entry = {"incidentId": incident, "status": "resolved", "body": "Done."}
    api(ADD_UPDATE, entry)
    world.sample("api", "a", "operational", 0)
    api(UPDATE_SERVICE, {"slug": "api", "displayOrder": 5, "enabled": False})
    api(
        UPDATE_SERVICE, {"slug": "api", "enabled": True, "displayOrder": 5, "group": ""}
    )
    api(REMOVE, {"slug": "api"})
    api(REMOVE, {"slug": "api", "purge": True})
    return {"service": service, "incident": incident, "maintenance": window}


@pytest.fixture
def listed(api):
    def read(**filters):
        return api(AUDIT, filters).json["data"]

    return read


def test_each_change_once(api, history, listed):
    """Every effective change is recorded, newest first; measurements are not."""
    records = listed()

    actions = [each["action"] for each in reversed(records)]
    assert list(dict.fromkeys(actions)) == ACTIONS
    assert len(actions) == len(ACTIONS) + 1
    for each in records:
        assert each["targetId"] == history[each["targetType"]]
    assert api(AUDIT).json["meta"] == {"offset": 0, "limit": 50, "more": False}
    assert broken_links("status") == []


def test_record(history, world, listed):
    """
    A record has the actor and each changed field, before and after, in the API's terms.
    """
    record = listed(action="service.updated")[-1]

    change, _, key = record["detail"].rpartition("; ")
    assert change == "displayOrder: 0 -> 5; enabled: true -> false"
    assert re.fullmatch(r'via key mh_\w{8} "test"', key)
    assert record == {
        "id": record["id"],
        "actor": "ada@example.com",
        "action": "service.updated",
        "targetType": "service",
        "targetId": history["service"],
        "targetLabel": "api",
        "at": world.text(0.006),
        "detail": record["detail"],
    }
    detail = listed(action="maintenance.updated")[0]["detail"]
    assert detail.startswith("status: scheduled -> cancelled; ")
    detail = listed(action="incident.update-posted")[0]["detail"]
    assert detail.startswith("status: resolved; ")
    assert listed(action="incident.opened")[0]["targetLabel"] == "Trouble 2"


def test_filters(history, listed):
    """
    Each filter narrows the list; together they narrow it further; unknown values find
    nothing.
    """
    incident = history["incident"]

    assert len(listed(targetType="incident")) == 3
    assert len(listed(targetId=incident)) == 3
    assert len(listed(targetId=incident, action="incident.opened")) == 1
    assert len(listed(actor="ada@example.com")) == 10
    assert listed(actor="eve@example.com") == listed(targetId="x" * 128) == []
    assert listed(targetType="service", targetId=incident) == []


@pytest.mark.parametrize(
    "body",
    [
        {"targetType": "key"},
        {"targetType": ""},
        {"targetId": "x" * 129},
        {"actor": "x" * 321},
        {"action": "service.deleted"},
        {"offset": "-1"},
        {"offset": "1.0"},
        {"limit": "0"},
        {"limit": "101"},
        {"cursor": "x"},
    ],
)
def test_wrong_filters(api, body):
    """An unknown filter or value is rejected by name."""
    response = api(AUDIT, body)

    assert response.status_code == 422
    assert response.json["errors"][0]["parameter"] == next(iter(body))


def test_pages(api, history):
    """
    `more` says whether records follow; an offset past the end gives an empty page.
    """

    def page(**query):
        answer = api(AUDIT, query).json
        return len(answer["data"]), answer["meta"]

    assert page(limit=9) == (9, {"offset": 0, "limit": 9, "more": True})
    assert page(limit=10) == (10, {"offset": 0, "limit": 10, "more": False})
    assert page(limit=9, offset=9) == (1, {"offset": 9, "limit": 9, "more": False})
    assert page(offset=10, limit=100)[0] == 0


def test_actor_by_assertion(api, issue, listed):
    """A change by a key that acts for others is recorded under the person it names."""
    key = issue("status:*", "platform:actors:assert")
    headers = {"Act-As-Email": "grace@example.com"}
    api(ADD_SERVICE, {"slug": "api", "name": "A"}, key=key, headers=headers)

    record = listed()[0]

    assert record["actor"] == "grace@example.com"
    assert record["detail"] == f'via key {key[:11]} "test"'


def test_refused_change(api, world, audited):
    """A rejected change is not recorded."""
    world.service("api")

    api(ADD_SERVICE, {"slug": "api", "name": "Again"})
    api(UPDATE_SERVICE, {"slug": "api", "name": ""})

    assert audited() == ["service.added"]
