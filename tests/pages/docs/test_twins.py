"""Every JSON file of the status area is the API's response at the page's instant."""

import json
from datetime import datetime

import pytest

from models.status.snapshot.last_change import last_change_at
from tests.factories.status import (
    ADD_UPDATE,
    GET_INCIDENT,
    GET_SERVICE,
    GET_WINDOW,
    LIST,
    LIST_INCIDENTS,
    LIST_WINDOWS,
    UPDATE_SERVICE,
    UPDATE_WINDOW,
    World,
)

HOUR = 3600


@pytest.fixture
def world(api, clock):
    """Services measured, silent and removed; incidents and windows, past and future."""
    world = World(api, clock)
    for slug in ("api", "mail", "web", "gone"):
        world.service(slug)
    for hours in range(0, 60, 7):
        world.sample("api", "a", "operational", -hours * HOUR, responseTimeMs=hours)
        world.sample("mail", "b", "down", -hours * HOUR - 40)
    open_one = world.incident("api mail gone", "major-outage", -HOUR)
    api(ADD_UPDATE, {"incidentId": open_one, "body": "**Found** it.", "status": None})
    api(ADD_UPDATE, {"incidentId": open_one, "body": "Fixed.", "status": "monitoring"})
    world.incident("mail", started=-50 * HOUR, status="resolved")
    for number in range(25):
        world.incident("web", started=-number * 30 * HOUR, status="resolved")
    world.window("api web", -9 * HOUR, -8 * HOUR)
    world.window("mail", -60, 60, description="# Slow\n\n*Reads*")
    cancelled = world.window("mail", -2 * HOUR, 2 * HOUR)
    api(UPDATE_WINDOW, {"id": cancelled, "status": "cancelled"})
    world.window("api gone", 24 * HOUR, 25 * HOUR)
    api(UPDATE_SERVICE, {"slug": "gone", "enabled": False})
    return world


@pytest.fixture
def built(world, clock, build_site, output, settings):
    """Build later without changes since, and return to the page's instant."""
    clock.pass_(seconds=200)
    build_site(["status"])
    clock.now = last_change_at(clock.now, settings.freshness)

    def read(path):
        return json.loads((output / f"status/{path}.json").read_text())["data"]

    return read


def whole(api, route):
    """Return all items of a list of the API, from all pages."""
    found, cursor = [], None
    while True:
        answer = api(route, {"cursor": cursor} if cursor else {}).json
        found += answer["data"]
        cursor = answer["meta"]["cursor"]
        if cursor is None:
            return found


def test_services(built, api):
    """The list of all services, with the overall state."""
    assert built("index") == api(LIST).json["data"]


@pytest.mark.parametrize("slug", ["api", "mail", "web"])
def test_service(built, api, clock, slug):
    """Each service with its four uptimes, at the instant at which these end."""
    result = built(f"services/{slug}")
    clock.now = datetime.fromisoformat(result["uptime"][0]["to"])

    assert result == api(GET_SERVICE, {"slug": slug}).json["data"]


def test_service_taken_off(built, output):
    """A service that the API does not return has no file."""
    assert not (output / "status/services/gone.json").exists()
    assert not (output / "status/data/gone.json").exists()


@pytest.mark.parametrize(
    ("name", "listed", "one"),
    [
        ("incidents", LIST_INCIDENTS, GET_INCIDENT),
        ("maintenance", LIST_WINDOWS, GET_WINDOW),
    ],
)
def test_lists(built, api, name, listed, one):
    """Lists without pagination, and each item on its own, timelines included."""
    result = built(name)

    assert result == whole(api, listed)
    assert len(result) > 3
    for each in result:
        answer = api(one, {"id": each["id"]}).json["data"]
        assert built(f"{name}/{each['id']}") == answer
