"""The catalogue of services, as operators keep it, through HTTP."""

import pytest

from models.status.measurements.measurements import MeasurementRow, ReadingRow
from models.status.measurements.rollups import HourRow
from models.status.services.rows import AffectedRow, ServiceRow
from tests.worlds.status import (
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
def world(ask, clock):
    return World(ask, clock)


def test_add(ask, audited, clock):
    """What was sent is kept; the rest has the defaults of the specification."""
    full = ask(ADD_SERVICE, FULL).json["data"]
    clock.pass_(seconds=1)
    least = ask(ADD_SERVICE, {"slug": "b", "name": " B "}).json["data"]

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
def test_add_at_the_limit(ask, member):
    """Each limit itself is within."""
    response = ask(ADD_SERVICE, FULL | member)

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
def test_beyond_the_limit(ask, member):
    """Adding and updating refuse the same, by name, and keep nothing."""
    added = ask(ADD_SERVICE, FULL | member)
    ask(ADD_SERVICE, {"slug": "api", "name": "Kept"})
    updated = ask(UPDATE_SERVICE, FULL | member)

    for response in (added, updated):
        assert response.status_code == 422
        assert response.json["errors"][0]["pointer"] == "/" + next(iter(member))
    assert [row.name for row in ServiceRow.select()] == ["Kept"]


@pytest.mark.parametrize("missing", ["slug", "name"])
def test_add_without(ask, missing):
    """Slug and name are required."""
    asked = {key: value for key, value in FULL.items() if key != missing}

    assert ask(ADD_SERVICE, asked).status_code == 422


def test_add_taken(ask, world):
    """A slug is taken while its service is there, off the page or on it."""
    world.service("api")
    ask(REMOVE, {"slug": "api"})

    response = ask(ADD_SERVICE, {"slug": "api", "name": "Again"})

    assert response.status_code == 409
    assert response.json["type"].endswith("/problems/slug-taken/")
    assert "services/update with enabled true" in response.json["detail"]


def test_add_shown(ask, world):
    """A service on the page is not said to be removed."""
    world.service("api")

    response = ask(ADD_SERVICE, {"slug": "api", "name": "Again"})

    assert response.json["detail"] == "A service with the slug 'api' already exists."


def test_update(ask, world, clock):
    """What is sent changes, null and empty text clear, what is left out stays."""
    ask(ADD_SERVICE, FULL)
    clock.pass_(minutes=1)

    cleared = {"slug": "api", "name": "New", "description": None, "hostname": ""}
    told = ask(UPDATE_SERVICE, cleared).json["data"]

    assert told["name"] == "New"
    assert told["description"] is told["hostname"] is None
    assert (told["group"], told["displayOrder"], told["enabled"]) == ("Core", 7, False)
    assert told["createdAt"] == world.text(-60)
    assert told["updatedAt"] == world.text()


def test_update_of_nothing(ask, world, clock, audited, woken):
    """An update that changes nothing leaves no record and wakes nobody."""
    before = world.service("api")
    clock.pass_(minutes=1)

    for asked in ({"slug": "api"}, {"slug": "api", "name": before["name"]}):
        assert ask(UPDATE_SERVICE, asked).json["data"] == before
    assert audited() == ["service.added"]
    assert woken == ["status"]


@pytest.mark.parametrize("route", [UPDATE_SERVICE, REMOVE])
def test_change_of_none(ask, route):
    """There is no service of this slug, so it is not found."""
    response = ask(route, {"slug": "ghost"})

    assert response.status_code == 404
    assert response.json["detail"] == "No service has the slug 'ghost'."


@pytest.mark.parametrize("purge", [None, "true", 1])
def test_remove_wrong(ask, world, purge):
    """purge is true or false, or left out."""
    world.service("api")

    assert ask(REMOVE, {"slug": "api", "purge": purge}).status_code == 422


def test_remove(ask, world, audited):
    """Off the page and off overall, its history kept; again changes nothing."""
    world.service("api")
    world.sample("api", "a", "down", -10)

    first, again = ask(REMOVE, {"slug": "api"}), ask(REMOVE, {"slug": "api"})

    assert first.json == again.json == {"data": {"slug": "api", "purged": False}}
    assert audited() == ["service.added", "service.removed"]
    assert ask(LIST).json["data"]["services"] == []
    assert ask(LIST_ADMIN).json["data"][0]["enabled"] is False
    ask(UPDATE_SERVICE, {"slug": "api", "enabled": True})
    assert ask(GET_UPTIME, {"slug": "api"}).json["data"]["samples"] == 1


def test_purge(ask, world, audited):
    """The service and its samples go; what it was affected by keeps its last name."""
    world.service("api")
    world.sample("api", "a", "down", -10)
    incident, window = world.incident("api"), world.window("api", 0, 60)
    ask(UPDATE_SERVICE, {"slug": "api", "name": "Renamed"})

    told = ask(REMOVE, {"slug": "api", "purge": True})

    assert told.json["data"] == {"slug": "api", "purged": True}
    assert audited()[-1] == "service.purged"
    for rows in (ServiceRow, MeasurementRow, ReadingRow, HourRow):
        assert rows.select().count() == 0
    kept = [{"slug": "api", "name": "Renamed"}]
    got = ask(GET_INCIDENT, {"id": incident}).json["data"]["incident"]
    assert got["services"] == kept
    assert ask(GET_WINDOW, {"id": window}).json["data"]["services"] == kept
    for route in (LIST_INCIDENTS, LIST_WINDOWS):
        listed = ask(route, {"slug": "api"}).json["data"]
        assert [each["services"] for each in listed] == [kept]


def test_new_service_under_a_purged_slug(ask, world):
    """It starts anew: no samples, no incidents, no windows of the old one."""
    old = world.service("api")
    world.sample("api", "a", "operational", -10)
    world.incident("api")
    world.window("api", -60, 60)
    ask(REMOVE, {"slug": "api", "purge": True})
    new = world.service("api", name="Another")

    told = ask(GET_SERVICE, {"slug": "api"}).json["data"]

    assert new["id"] != old["id"]
    assert told["service"]["state"] == "unknown"
    assert told["service"]["observedAt"] is None
    assert told["incidents"] == told["maintenance"] == []
    assert {each["samples"] for each in told["uptime"]} == {0}
    assert AffectedRow.select().where(AffectedRow.service.is_null(False)).count() == 0


def test_renamed_service(ask, world):
    """An incident shows the present name of a service."""
    world.service("api")
    incident = world.incident("api")
    ask(UPDATE_SERVICE, {"slug": "api", "name": "Renamed"})

    told = ask(GET_INCIDENT, {"id": incident}).json["data"]["incident"]

    assert told["services"] == [{"slug": "api", "name": "Renamed"}]


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
def test_list_admin(ask, world, sent, slugs):
    """What is off the page is listed unless includeDisabled is false."""
    world.service("on", displayOrder=2)
    world.service("off", displayOrder=1, enabled=False)

    told = ask(LIST_ADMIN, None if sent is None else {"includeDisabled": sent}).json

    assert [each["slug"] for each in told["data"]] == slugs
    assert "meta" not in told


@pytest.mark.parametrize("sent", ["yes", "1", "True", "NULL", " "])
def test_list_admin_of_rubbish(ask, sent):
    """What is neither true nor false is refused by its name."""
    response = ask(LIST_ADMIN, {"includeDisabled": sent})

    assert response.status_code == 422
    assert response.json["errors"][0]["parameter"] == "includeDisabled"
