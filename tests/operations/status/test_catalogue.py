"""The catalogue of services, as operators edit it over HTTP."""

import pytest

from models.status.measurements.measurements import MeasurementRow, ReadingRow
from models.status.measurements.rollups import HourRow
from models.status.services.rows import AffectedRow, ServiceRow
from tests.factories.status import (
    ADD_SERVICE,
    GET_INCIDENT,
    GET_SERVICE,
    GET_UPTIME,
    GET_WINDOW,
    LIST,
    LIST_ADMIN,
    LIST_INCIDENTS,
    LIST_WINDOWS,
    REMOVE,
    UPDATE_SERVICE,
    World,
)

FULL = {
    "slug": "api",
    "name": "Public API",
    "description": "All of it",
    "hostname": "api.example.com",
    "group": "Core",
    "displayOrder": 7,
    "enabled": False,
}


@pytest.fixture
def world(api, clock):
    return World(api, clock)


def test_add(api, audited, clock):
    """The sent values are stored; the others have the defaults of the specification."""
    full = api(ADD_SERVICE, FULL).json["data"]
    clock.pass_(seconds=1)
    least = api(ADD_SERVICE, {"slug": "b", "name": " B "}).json["data"]

    first, second = "2026-03-01T12:00:00.000Z", "2026-03-01T12:00:01.000Z"
    times = {"createdAt": first, "updatedAt": first}
    assert full == FULL | times | {"id": full["id"]}
    assert least == {
        "id": least["id"],
        "slug": "b",
        "name": "B",
        "description": None,
        "hostname": None,
        "group": None,
        "displayOrder": 0,
        "enabled": True,
        "createdAt": second,
        "updatedAt": second,
    }
    assert audited() == ["service.added", "service.added"]


@pytest.mark.parametrize(
    "member",
    [
        {"slug": "a" * 64},
        {"slug": "a-1--"},
        {"name": "n" * 120},
        {"description": "d" * 280},
        {"description": None},
        {"hostname": "h" * 253},
        {"hostname": None},
        {"group": "g" * 64},
        {"group": None},
        {"displayOrder": 0},
        {"displayOrder": 10_000},
        {"displayOrder": 5.0},
    ],
)
def test_add_at_the_limit(api, member):
    """Each limit itself is accepted."""
    response = api(ADD_SERVICE, FULL | member)

    assert response.status_code == 200
    assert member.items() <= response.json["data"].items()


@pytest.mark.parametrize(
    "member",
    [
        {"slug": "a" * 65},
        {"slug": ""},
        {"slug": "1a"},
        {"slug": "-a"},
        {"slug": "A"},
        {"slug": "a\n"},
        {"slug": None},
        {"name": "n" * 121},
        {"name": ""},
        {"name": "  "},
        {"name": "a\nb"},
        {"name": "a\x00b"},
        {"name": None},
        {"name": 5},
        {"description": "d" * 281},
        {"hostname": "h" * 254},
        {"group": "g" * 65},
        {"displayOrder": -1},
        {"displayOrder": 10_001},
        {"displayOrder": 1.5},
        {"displayOrder": "1"},
        {"displayOrder": True},
        {"displayOrder": None},
        {"enabled": "true"},
        {"enabled": 1},
        {"enabled": None},
        {"colour": "red"},
    ],
)
def test_beyond_the_limit(api, member):
    """Adding and updating reject the same values, by name, and store nothing."""
    added = api(ADD_SERVICE, FULL | member)
    api(ADD_SERVICE, {"slug": "api", "name": "Kept"})
    updated = api(UPDATE_SERVICE, FULL | member)

    for response in (added, updated):
        assert response.status_code == 422
        assert response.json["errors"][0]["pointer"] == "/" + next(iter(member))
    assert [row.name for row in ServiceRow.select()] == ["Kept"]


@pytest.mark.parametrize("missing", ["slug", "name"])
def test_add_without(api, missing):
    """Slug and name are required."""
    body = {key: value for key, value in FULL.items() if key != missing}

    assert api(ADD_SERVICE, body).status_code == 422


def test_add_taken(api, world):
    """A slug is taken while its service exists, on the page or off it."""
    world.service("api")
    api(REMOVE, {"slug": "api"})

    response = api(ADD_SERVICE, {"slug": "api", "name": "Again"})

    assert response.status_code == 409
    assert response.json["type"].endswith("/problems/slug-taken/")
    assert "services/update with enabled true" in response.json["detail"]


def test_add_shown(api, world):
    """A service on the page is not reported as removed."""
    world.service("api")

    response = api(ADD_SERVICE, {"slug": "api", "name": "Again"})

    assert response.json["detail"] == "A service with the slug 'api' already exists."


def test_update(api, world, clock):
    """Sent members change, null and empty text clear, and the others stay."""
    api(ADD_SERVICE, FULL)
    clock.pass_(minutes=1)

    cleared = {"slug": "api", "name": "New", "description": None, "hostname": ""}
    data = api(UPDATE_SERVICE, cleared).json["data"]

    assert data["name"] == "New"
    assert data["description"] is data["hostname"] is None
    assert (data["group"], data["displayOrder"], data["enabled"]) == ("Core", 7, False)
    assert data["createdAt"] == world.text(-60)
    assert data["updatedAt"] == world.text()


def test_update_of_nothing(api, world, clock, audited, woken):
    """An update that changes nothing leaves no record and wakes no builder."""
    before = world.service("api")
    clock.pass_(minutes=1)

    for body in ({"slug": "api"}, {"slug": "api", "name": before["name"]}):
        assert api(UPDATE_SERVICE, body).json["data"] == before
    assert audited() == ["service.added"]
    assert woken == ["status"]


@pytest.mark.parametrize("route", [UPDATE_SERVICE, REMOVE])
def test_change_of_none(api, route):
    """An unknown slug is a 404."""
    response = api(route, {"slug": "ghost"})

    assert response.status_code == 404
    assert response.json["detail"] == "No service has the slug 'ghost'."


@pytest.mark.parametrize("purge", [None, "true", 1])
def test_remove_wrong(api, world, purge):
    """`purge` is true, false, or omitted."""
    world.service("api")

    assert api(REMOVE, {"slug": "api", "purge": purge}).status_code == 422


def test_remove(api, world, audited):
    """
    A removed service is off the page and the overall state, keeps its history, and can
    be removed again without effect.
    """
    world.service("api")
    world.sample("api", "a", "down", -10)

    first, again = api(REMOVE, {"slug": "api"}), api(REMOVE, {"slug": "api"})

    assert first.json == again.json == {"data": {"slug": "api", "purged": False}}
    assert audited() == ["service.added", "service.removed"]
    assert api(LIST).json["data"]["services"] == []
    assert api(LIST_ADMIN).json["data"][0]["enabled"] is False
    api(UPDATE_SERVICE, {"slug": "api", "enabled": True})
    assert api(GET_UPTIME, {"slug": "api"}).json["data"]["samples"] == 1


def test_purge(api, world, audited):
    """
    A purge deletes the service and its samples; incidents and windows keep its last
    name.
    """
    world.service("api")
    world.sample("api", "a", "down", -10)
    incident, window = world.incident("api"), world.window("api", 0, 60)
    api(UPDATE_SERVICE, {"slug": "api", "name": "Renamed"})

    result = api(REMOVE, {"slug": "api", "purge": True})

    assert result.json["data"] == {"slug": "api", "purged": True}
    assert audited()[-1] == "service.purged"
    for rows in (ServiceRow, MeasurementRow, ReadingRow, HourRow):
        assert rows.select().count() == 0
    services = [{"slug": "api", "name": "Renamed"}]
    stored = api(GET_INCIDENT, {"id": incident}).json["data"]["incident"]
    assert stored["services"] == services
    assert api(GET_WINDOW, {"id": window}).json["data"]["services"] == services
    for route in (LIST_INCIDENTS, LIST_WINDOWS):
        listed = api(route, {"slug": "api"}).json["data"]
        assert [each["services"] for each in listed] == [services]


def test_new_service_under_a_purged_slug(api, world):
    """
    A new service with a purged slug has none of the old samples, incidents or windows.
    """
    old = world.service("api")
    world.sample("api", "a", "operational", -10)
    world.incident("api")
    world.window("api", -60, 60)
    api(REMOVE, {"slug": "api", "purge": True})
    new = world.service("api", name="Another")

    data = api(GET_SERVICE, {"slug": "api"}).json["data"]

    assert new["id"] != old["id"]
    assert data["service"]["state"] == "unknown"
    assert data["service"]["observedAt"] is None
    assert data["incidents"] == data["maintenance"] == []
    assert {each["samples"] for each in data["uptime"]} == {0}
    assert AffectedRow.select().where(AffectedRow.service.is_null(False)).count() == 0


def test_renamed_service(api, world):
    """An incident shows the current name of a service."""
    world.service("api")
    incident = world.incident("api")
    api(UPDATE_SERVICE, {"slug": "api", "name": "Renamed"})

    data = api(GET_INCIDENT, {"id": incident}).json["data"]["incident"]

    assert data["services"] == [{"slug": "api", "name": "Renamed"}]


@pytest.mark.parametrize(
    ("sent", "slugs"),
    [
        (None, ["off", "on"]),
        ("", ["off", "on"]),
        ("null", ["off", "on"]),
        ("true", ["off", "on"]),
        ("false", ["on"]),
    ],
)
def test_list_admin(api, world, sent, slugs):
    """Services off the page are listed unless includeDisabled is false."""
    world.service("on", displayOrder=2)
    world.service("off", displayOrder=1, enabled=False)

    data = api(LIST_ADMIN, None if sent is None else {"includeDisabled": sent}).json

    assert [each["slug"] for each in data["data"]] == slugs
    assert "meta" not in data


@pytest.mark.parametrize("sent", ["yes", "1", "True", "NULL", " "])
def test_list_admin_of_rubbish(api, sent):
    """A value that is neither true nor false is rejected by name."""
    response = api(LIST_ADMIN, {"includeDisabled": sent})

    assert response.status_code == 422
    assert response.json["errors"][0]["parameter"] == "includeDisabled"
