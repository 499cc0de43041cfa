"""Maintenance windows over HTTP."""

import pytest

from models.status.maintenance.windows import MaintenanceRow
from tests.factories.status import (
    ADD_WINDOW,
    GET_WINDOW,
    LIST,
    LIST_WINDOWS,
    UPDATE_WINDOW,
    World,
)


@pytest.fixture
def world(api, clock):
    world = World(api, clock)
    world.service("api", name="Public API")
    return world


@pytest.fixture
def new_window(world):
    return {
        "title": "Move",
        "startsAt": world.text(60),
        "endsAt": world.text(120),
        "services": ["api"],
    }


@pytest.fixture
def window(api, new_window):
    return api(ADD_WINDOW, new_window).json["data"]


@pytest.fixture
def update(api, window):
    def updated(**members):
        return api(UPDATE_WINDOW, {"id": window["id"]} | members)

    return updated


def test_add(api, new_window, audited, woken):
    """A new window is scheduled, audited, and marked for the page."""
    window = api(ADD_WINDOW, new_window | {"description": "To a new rack."}).json[
        "data"
    ]

    # The second change of this millisecond, after the service.
    now = "2026-03-01T12:00:00.001Z"
    assert window == {
        "id": window["id"],
        "title": "Move",
        "description": "To a new rack.",
        "startsAt": "2026-03-01T12:01:00.000Z",
        "endsAt": "2026-03-01T12:02:00.000Z",
        "status": "scheduled",
        "createdAt": now,
        "updatedAt": now,
        "services": [{"slug": "api", "name": "Public API"}],
    }
    assert api(GET_WINDOW, {"id": window["id"]}).json["data"] == window
    assert audited() == ["service.added", "maintenance.scheduled"]
    assert woken == ["status", "status"]


def test_add_twice(api, new_window):
    """A repeat with the Idempotency-Key schedules one window."""
    assert api(ADD_WINDOW, new_window).data == api(ADD_WINDOW, new_window).data
    assert MaintenanceRow.select().count() == 1


@pytest.mark.parametrize(
    "member",
    [
        {"title": "t" * 160},
        {"description": "d" * 4000},
        {"description": None},
        {"endsAt": "2026-03-01T12:01:00.001Z"},
    ],
)
def test_at_the_limit(api, new_window, update, member):
    """Each limit itself is accepted."""
    for response in (api(ADD_WINDOW, new_window | member), update(**member)):
        assert response.status_code == 200
        assert member.items() <= response.json["data"].items()


@pytest.mark.parametrize(
    "member",
    [
        {"title": "t" * 161},
        {"title": ""},
        {"title": None},
        {"description": "d" * 4001},
        {"startsAt": None},
        {"startsAt": "soon"},
        {"startsAt": "2026-03-01T12:02:00.000Z"},
        {"endsAt": None},
        {"endsAt": "2026-03-01T12:01:00.000Z"},
        {"endsAt": "2026-03-01T12:00:59.999Z"},
        {"services": []},
        {"services": None},
        {"services": ["Api"]},
        {"status": "active"},
        {"status": None},
        {"autostart": True},
    ],
)
def test_beyond_the_limit(update, window, api, member):
    """An update is rejected by the name of the member that was sent."""
    response = update(**member)

    assert response.status_code == 422
    pointer = response.json["errors"][0]["pointer"]
    assert pointer.startswith("/" + next(iter(member)))
    # The message names the field once.
    assert response.json["detail"].count(pointer[1:]) == 1
    assert api(GET_WINDOW, {"id": window["id"]}).json["data"] == window


@pytest.mark.parametrize(
    "member",
    [
        {"title": " "},
        {"description": 5},
        {"startsAt": "2026-03-01T12:02:00.000Z"},
        {"endsAt": "2026-03-01T12:01:00.000Z"},
        {"services": []},
        {"status": "scheduled"},
    ],
)
def test_add_beyond_the_limit(api, new_window, member):
    """A window ends after it starts, and its first status follows the clock."""
    assert api(ADD_WINDOW, new_window | member).status_code == 422
    assert MaintenanceRow.select().count() == 0


@pytest.mark.parametrize("missing", ["title", "startsAt", "endsAt", "services"])
def test_add_without(api, new_window, missing):
    """These four members are required."""
    del new_window[missing]

    assert api(ADD_WINDOW, new_window).status_code == 422


def test_for_unknown_services(api, new_window, update):
    """Unknown slugs are rejected by name, and nothing is stored."""
    stranger = {"services": ["ghost", "api"]}

    for response in (
        api(ADD_WINDOW, new_window | stranger),
        update(title="X", **stranger),
    ):
        assert response.status_code == 422
        assert response.json["type"].endswith("/problems/reference-not-found/")
        assert response.json["detail"] == "No service has the slug 'ghost'."
    assert [row.title for row in MaintenanceRow.select()] == ["Move"]


@pytest.mark.parametrize("route", [UPDATE_WINDOW, GET_WINDOW])
def test_of_none(api, route):
    """An id of no window is a 404, whether or not it is a UUID."""
    for id in ("ghost", "00000000-0000-0000-0000-000000000000", "x" * 64):
        response = api(route, {"id": id})
        assert response.status_code == 404
        assert response.json["type"].endswith("/problems/maintenance-not-found/")
    for query in ({"id": ""}, {"id": "x" * 65}, {}):
        assert api(route, query).status_code == 422


def test_update(update, world, clock, audited):
    """Sent members change at one instant; the others stay."""
    world.service("mail")
    clock.pass_(seconds=1)

    data = update(title="New", services=["mail"]).json["data"]

    assert (data["title"], data["description"]) == ("New", None)
    assert [each["slug"] for each in data["services"]] == ["mail"]
    assert data["startsAt"] == world.text(59)
    assert data["updatedAt"] == world.text()
    assert audited()[-1] == "maintenance.updated"


def test_update_of_nothing(update, window, clock, audited):
    """An update that changes nothing leaves no record."""
    clock.pass_(seconds=1)

    for same in ({}, {"status": "scheduled"}, {"title": "Move", "services": ["api"]}):
        assert update(**same).json["data"] == window
    assert audited()[-1] == "maintenance.scheduled"


def test_by_the_clock(api, window, clock):
    """Scheduled before startsAt, active until endsAt, then completed."""

    def status_after(**time):
        clock.pass_(**time)
        data = api(GET_WINDOW, {"id": window["id"]}).json["data"]["status"]
        listed = api(LIST_WINDOWS, {"status": data}).json["data"]
        assert [each["id"] for each in listed] == [window["id"]]
        return data

    assert status_after(seconds=60, milliseconds=-1) == "scheduled"
    assert status_after(milliseconds=1) == "active"
    assert status_after(seconds=60, milliseconds=-1) == "active"
    assert status_after(milliseconds=1) == "completed"


@pytest.mark.parametrize("written", ["completed", "cancelled"])
def test_by_hand(api, update, world, clock, written):
    """
    A status that an operator sets overrides the clock, until it is `scheduled` again.
    """
    world.sample("api", "a", "operational", 60)
    clock.pass_(seconds=90)

    def overall():
        return api(LIST).json["data"]["overall"]

    assert overall() == "maintenance"
    assert update(status=written).json["data"]["status"] == written
    assert overall() == "operational"
    assert [
        len(api(LIST_WINDOWS, {"status": s}).json["data"]) for s in (written, "active")
    ] == [1, 0]
    assert update(status="scheduled").json["data"]["status"] == "active"
    assert overall() == "maintenance"
