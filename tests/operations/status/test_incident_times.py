"""The time at which an incident was resolved, in every way to send it."""

import pytest

from models.status.incidents.incidents import IncidentUpdateRow
from tests.factories.status import (
    ADD_INCIDENT,
    ADD_UPDATE,
    GET_INCIDENT,
    UPDATE_INCIDENT,
    World,
)


@pytest.fixture
def world(api, clock):
    world = World(api, clock)
    world.service("api")
    return world


@pytest.fixture
def id(world):
    return world.incident("api", started=-600)


@pytest.fixture
def update(api, id):
    def updated(**members):
        return api(UPDATE_INCIDENT, {"id": id} | members)

    return updated


def by_update(api, id, status):
    api(UPDATE_INCIDENT, {"id": id, "status": status})


def by_entry(api, id, status):
    body = f"Entry {IncidentUpdateRow.select().count()}"
    api(ADD_UPDATE, {"incidentId": id, "status": status, "body": body})


@pytest.mark.parametrize("set_status", [by_update, by_entry])
def test_resolving_and_reopening(api, world, clock, id, set_status):
    """Resolving sets the time once; leaving resolved clears it."""

    def resolved_at(status):
        clock.pass_(minutes=1)
        set_status(api, id, status)
        return api(GET_INCIDENT, {"id": id}).json["data"]["incident"]["resolvedAt"]

    assert resolved_at("identified") is None
    assert resolved_at("resolved") == world.text()
    assert resolved_at("resolved") == world.text(-60)
    assert resolved_at("monitoring") is None
    assert resolved_at("resolved") == world.text()


def test_resolved_at_given(update, world):
    """A sent time of resolution is stored, and can be corrected later."""
    first = update(status="resolved", resolvedAt=world.text(-60))
    later = update(resolvedAt=world.text(-30))

    assert first.json["data"]["resolvedAt"] == world.text(-60)
    assert later.json["data"]["resolvedAt"] == world.text(-30)


@pytest.mark.parametrize(
    ("seconds", "status"), [(-600, 200), (-600.001, 422), (60, 200), (60.001, 422)]
)
def test_resolved_at_bounds(update, world, seconds, status):
    """Not before startedAt and not in the future, with a tolerance for fast clocks."""
    response = update(status="resolved", resolvedAt=world.text(seconds))

    assert response.status_code == status
    if status == 422:
        assert response.json["errors"][0]["pointer"] == "/resolvedAt"


def test_resolved_at_without_resolved(update, world):
    """A time of resolution requires the status resolved."""
    assert update(resolvedAt=world.text()).status_code == 422
    assert update(status="monitoring", resolvedAt=world.text()).status_code == 422
    assert update(resolvedAt=None).status_code == 200
    assert update(status="resolved", resolvedAt=None).status_code == 422
    update(status="resolved")
    assert update(resolvedAt=None).status_code == 422
    assert update(status="monitoring", resolvedAt=None).status_code == 200


def test_started_after_resolved(update, world):
    """A start after the resolution is rejected, at the member that was sent."""
    update(status="resolved", resolvedAt=world.text(-60))

    response = update(startedAt=world.text(-59))

    assert response.status_code == 422
    assert response.json["errors"][0]["pointer"] == "/startedAt"
    assert update(startedAt=world.text(-60)).status_code == 200


def test_dated_ahead_and_resolved(api, world):
    """
    An incident that begins in the future cannot be resolved; the problem names the sent
    member.
    """
    id = world.incident("api", started=60)

    updated = api(UPDATE_INCIDENT, {"id": id, "status": "resolved"})
    result = api(ADD_UPDATE, {"incidentId": id, "status": "resolved", "body": "b"})
    opened = api(
        ADD_INCIDENT,
        {
            "title": "T",
            "severity": "degraded",
            "services": ["api"],
            "body": "b",
            "status": "resolved",
            "startedAt": world.text(60),
        },
    )

    pointers = [r.json["errors"][0]["pointer"] for r in (updated, result, opened)]
    assert pointers == ["/status", "/status", "/startedAt"]


def test_history_is_filled_in(api, world):
    """An incident of last month may be added now, opened and resolved."""
    month = 30 * 86400
    id = world.incident("api", started=-month, status="resolved")

    body = {"id": id, "resolvedAt": world.text(-month + 3600)}
    data = api(UPDATE_INCIDENT, body).json["data"]

    assert data["startedAt"] == world.text(-month)
    assert data["resolvedAt"] == world.text(-month + 3600)
    # The second change of this millisecond, after the service.
    assert data["createdAt"] == world.text(0.001)
