"""The public view of services, over HTTP."""

import pytest

from tests.factories.status import (
    GET_SERVICE,
    GET_UPTIME,
    LIST,
    REMOVE,
    UPDATE_INCIDENT,
    World,
)
from tests.samples.vectors import IDS, VECTORS


@pytest.fixture
def world(api, clock):
    return World(api, clock)


@pytest.mark.parametrize("vector", VECTORS, ids=IDS)
def test_vectors(api, world, vector):
    """The table of state vectors, as a client of the API sees it."""
    world.play(vector)

    data = api(LIST).json["data"]

    assert data["services"][0]["state"] == vector.state
    assert data["overall"] == vector.overall
    assert data["stale"] == data["services"][0]["stale"] == vector.stale
    assert data["freshnessSeconds"] == 300
    checked = None if vector.checked is None else world.text(vector.checked)
    assert data["checkedAt"] == data["services"][0]["observedAt"] == checked


def test_list_without_services(api):
    """Without services, the overall state is not operational."""
    assert api(LIST).json["data"] == {
        "overall": "unavailable",
        "checkedAt": None,
        "stale": True,
        "freshnessSeconds": 300,
        "services": [],
    }


def test_list_with_one_unknown(api, world):
    """One unknown service makes the overall state unavailable, not stale."""
    world.service("api")
    world.service("mail")
    world.sample("api", "a", "operational", -10)

    data = api(LIST).json["data"]

    assert data["overall"] == "unavailable"
    assert data["stale"] is False
    assert [each["state"] for each in data["services"]] == ["operational", "unknown"]


def test_list_without_disabled(api, world):
    """A service off the page affects neither the overall state nor checkedAt."""
    world.service("api")
    world.service("mail", enabled=False)
    world.sample("api", "a", "operational", -10)
    world.sample("mail", "a", "down", -5)

    data = api(LIST).json["data"]

    assert data["overall"] == "operational"
    assert data["checkedAt"] == world.text(-10)
    assert [each["slug"] for each in data["services"]] == ["api"]


def test_list_of_a_group(api, world):
    """A group narrows the services; overall, checkedAt and stale are of all."""
    world.service("api", group="Core")
    world.service("mail", group="Extras")
    world.sample("mail", "a", "down", -10)

    data = api(LIST, {"group": "Core"}).json["data"]

    assert [each["slug"] for each in data["services"]] == ["api"]
    assert data["overall"] == "major-outage"
    assert data["checkedAt"] == world.text(-10)
    assert api(LIST, {"group": "core"}).json["data"]["services"] == []
    assert api(LIST, {"group": "x" * 65}).status_code == 422


def test_list_in_display_order(api, world):
    """By number, then name, then slug."""
    for slug, name, order in [
        ("d", "A", 1),
        ("c", "B", 0),
        ("b", "A", 0),
        ("a", "A", 0),
    ]:
        world.service(slug, name=name, displayOrder=order)

    data = api(LIST).json["data"]["services"]

    assert [each["slug"] for each in data] == ["a", "b", "c", "d"]


def test_stale_values_stay_visible(api, world):
    """A stale service keeps observedAt and responseTimeMs."""
    world.service("api")
    world.sample("api", "a", "operational", -900, responseTimeMs=42)

    data = api(LIST).json["data"]["services"][0]

    assert data["stale"] is True
    assert data["responseTimeMs"] == 42
    assert data["observedAt"] == world.text(-900)


def test_active_ids(api, world):
    """A service has the ids of its active incidents and windows, and no others."""
    world.service("api")
    world.service("mail")
    active, _ = world.incident("api", "degraded", -60), world.incident("mail")
    world.incident("api", "degraded", 60)
    running, _ = world.window("api", -60, 60), world.window("api", 60, 120)

    data = api(LIST).json["data"]["services"][0]

    assert data["activeIncidentIds"] == [active]
    assert data["activeMaintenanceIds"] == [running]


def test_get(api, world):
    """One service with four uptimes, and its incidents and windows of 90 days."""
    world.service("api", description="Public", hostname="api.example.com", group="Core")
    incident, window = world.incident("api"), world.window("api", 60, 120)

    data = api(GET_SERVICE, {"slug": "api"}).json["data"]

    assert set(data) == {"service", "uptime", "incidents", "maintenance"}
    assert [each["period"] for each in data["uptime"]] == ["24h", "7d", "30d", "90d"]
    assert [each["id"] for each in data["incidents"]] == [incident]
    assert [each["id"] for each in data["maintenance"]] == [window]
    assert data["service"] == {
        "slug": "api",
        "name": "Service api",
        "description": "Public",
        "hostname": "api.example.com",
        "group": "Core",
        "displayOrder": 0,
        "state": "degraded",
        "observedAt": None,
        "responseTimeMs": None,
        "stale": True,
        "activeIncidentIds": [incident],
        "activeMaintenanceIds": [],
    }


def test_get_forgets_after_90_days(api, world, clock):
    """What ended 90 days ago is no longer listed for the service; what lasts is."""
    world.service("api")
    lasting, over = world.incident("api"), world.incident("api")
    api(UPDATE_INCIDENT, {"id": over, "status": "resolved"})
    world.window("api", -60, 0)
    clock.pass_(days=90, milliseconds=-1)

    before = api(GET_SERVICE, {"slug": "api"}).json["data"]
    clock.pass_(milliseconds=1)
    after = api(GET_SERVICE, {"slug": "api"}).json["data"]

    assert {each["id"] for each in before["incidents"]} == {lasting, over}
    assert len(before["maintenance"]) == 1
    assert [each["id"] for each in after["incidents"]] == [lasting]
    assert after["maintenance"] == []


@pytest.mark.parametrize("route", [GET_SERVICE, GET_UPTIME])
def test_get_of_none(api, world, route):
    """
    A service that is unknown or off the page is the same 404; a missing slug is a 422.
    """
    world.service("api")
    api(REMOVE, {"slug": "api"})

    for slug in ("api", "ghost", "Not A Slug"):
        response = api(route, {"slug": slug})
        assert response.status_code == 404
        assert response.json["type"].endswith("/problems/service-not-found/")
    assert api(route).status_code == 422
    assert api(route, {"slug": "api", "page": "1"}).status_code == 422
