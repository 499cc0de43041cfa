"""The public's view of services, through HTTP."""

import pytest

from tests.samples.vectors import IDS, VECTORS
from tests.worlds.status import (
    GET_SERVICE,
    GET_UPTIME,
    LIST,
    REMOVE,
    UPDATE_INCIDENT,
    World,
)


@pytest.fixture
def world(ask, clock):
    return World(ask, clock)


@pytest.mark.parametrize("vector", VECTORS, ids=IDS)
def test_vectors(ask, world, vector):
    """The table of decisions, as a program that asks the API sees it."""
    world.play(vector)

    told = ask(LIST).json["data"]

    assert told["services"][0]["state"] == vector.state
    assert told["overall"] == vector.overall
    assert told["stale"] == told["services"][0]["stale"] == vector.stale
    assert told["freshnessSeconds"] == 300
    checked = None if vector.checked is None else world.text(vector.checked)
    assert told["checkedAt"] == told["services"][0]["observedAt"] == checked


def test_list_without_services(ask):
    """Nothing to tell is not good news."""
    assert ask(LIST).json["data"] == {
        "overall": "unavailable",
        "checkedAt": None,
        "stale": True,
        "freshnessSeconds": 300,
        "services": [],
    }


def test_list_with_one_unknown(ask, world):
    """One service nobody looked at makes the whole unavailable, not stale."""
    world.service("api")
    world.service("mail")
    world.sample("api", "a", "operational", -10)

    told = ask(LIST).json["data"]

    assert told["overall"] == "unavailable"
    assert told["stale"] is False
    assert [each["state"] for each in told["services"]] == ["operational", "unknown"]


def test_list_without_disabled(ask, world):
    """A service off the page is off overall, and its samples off checkedAt."""
    world.service("api")
    world.service("mail", enabled=False)
    world.sample("api", "a", "operational", -10)
    world.sample("mail", "a", "down", -5)

    told = ask(LIST).json["data"]

    assert told["overall"] == "operational"
    assert told["checkedAt"] == world.text(-10)
    assert [each["slug"] for each in told["services"]] == ["api"]


def test_list_of_a_group(ask, world):
    """A group narrows the services; overall, checkedAt and stale are of all."""
    world.service("api", group="Core")
    world.service("mail", group="Extras")
    world.sample("mail", "a", "down", -10)

    told = ask(LIST, {"group": "Core"}).json["data"]

    assert [each["slug"] for each in told["services"]] == ["api"]
    assert told["overall"] == "major-outage"
    assert told["checkedAt"] == world.text(-10)
    assert ask(LIST, {"group": "core"}).json["data"]["services"] == []
    assert ask(LIST, {"group": "x" * 65}).status_code == 422


def test_list_in_display_order(ask, world):
    """By number, then name, then slug."""
    for slug, name, order in [
        ("d", "A", 1),
        ("c", "B", 0),
        ("b", "A", 0),
        ("a", "A", 0),
    ]:
        world.service(slug, name=name, displayOrder=order)

    told = ask(LIST).json["data"]["services"]

    assert [each["slug"] for each in told] == ["a", "b", "c", "d"]


def test_stale_values_stay_visible(ask, world):
    """A stale service keeps observedAt and responseTimeMs."""
    world.service("api")
    world.sample("api", "a", "operational", -900, responseTimeMs=42)

    told = ask(LIST).json["data"]["services"][0]

    assert told["stale"] is True
    assert told["responseTimeMs"] == 42
    assert told["observedAt"] == world.text(-900)


def test_active_ids(ask, world):
    """A service names the incidents and windows that are active, and no others."""
    world.service("api")
    world.service("mail")
    active, _ = world.incident("api", "degraded", -60), world.incident("mail")
    world.incident("api", "degraded", 60)
    running, _ = world.window("api", -60, 60), world.window("api", 60, 120)

    told = ask(LIST).json["data"]["services"][0]

    assert told["activeIncidentIds"] == [active]
    assert told["activeMaintenanceIds"] == [running]


def test_get(ask, world):
    """One service with four uptimes, and what affected it in 90 days."""
    world.service("api", description="Public", hostname="api.example.com", group="Core")
    incident, window = world.incident("api"), world.window("api", 60, 120)

    told = ask(GET_SERVICE, {"slug": "api"}).json["data"]

    assert set(told) == {"service", "uptime", "incidents", "maintenance"}
    assert [each["period"] for each in told["uptime"]] == ["24h", "7d", "30d", "90d"]
    assert [each["id"] for each in told["incidents"]] == [incident]
    assert [each["id"] for each in told["maintenance"]] == [window]
    assert told["service"] == {
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


def test_get_forgets_after_90_days(ask, world, clock):
    """What ended 90 days ago is no longer beside the service; what lasts is."""
    world.service("api")
    lasting, over = world.incident("api"), world.incident("api")
    ask(UPDATE_INCIDENT, {"id": over, "status": "resolved"})
    world.window("api", -60, 0)
    clock.pass_(days=90, milliseconds=-1)

    before = ask(GET_SERVICE, {"slug": "api"}).json["data"]
    clock.pass_(milliseconds=1)
    after = ask(GET_SERVICE, {"slug": "api"}).json["data"]

    assert {each["id"] for each in before["incidents"]} == {lasting, over}
    assert len(before["maintenance"]) == 1
    assert [each["id"] for each in after["incidents"]] == [lasting]
    assert after["maintenance"] == []


@pytest.mark.parametrize("route", [GET_SERVICE, GET_UPTIME])
def test_get_of_none(ask, world, route):
    """Unknown and off the page are the same 404; no slug at all is a wrong shape."""
    world.service("api")
    ask(REMOVE, {"slug": "api"})

    for slug in ("api", "ghost", "Not A Slug"):
        response = ask(route, {"slug": slug})
        assert response.status_code == 404
        assert response.json["type"].endswith("/problems/service-not-found/")
    assert ask(route).status_code == 422
    assert ask(route, {"slug": "api", "page": "1"}).status_code == 422
