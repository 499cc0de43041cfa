"""Removed incidents and maintenance windows, over HTTP."""

import pytest

from models.audit import AuditRow
from models.changes import behind
from models.notifications.deliveries.attempts import claim
from models.notifications.deliveries.fan_out import fan_out
from models.notifications.rows import DeliveryRow, EventRow
from models.status.clock_events import record_clock_events
from tests.factories.notifications import ALL_LIVE, subscribe
from tests.factories.status import (
    ADD_UPDATE,
    CORRECT_UPDATE,
    GET_INCIDENT,
    GET_SERVICE,
    GET_WINDOW,
    LIST,
    LIST_INCIDENTS,
    LIST_WINDOWS,
    REMOVE_INCIDENT,
    REMOVE_UPDATE,
    REMOVE_WINDOW,
    UPDATE_HISTORY,
    UPDATE_INCIDENT,
    UPDATE_WINDOW,
    World,
)

pytestmark = pytest.mark.both_engines

HOUR = 3600


@pytest.fixture
def world(api, clock):
    world = World(api, clock)
    world.service("api", name="Public API")
    return world


@pytest.fixture
def incident(world):
    return world.incident("api", "major-outage", title="A test")


@pytest.fixture
def window(world):
    """An active window."""
    description = 'Not for readers."; via key'
    return world.window("api", -HOUR, HOUR, title="A test", description=description)


def service(api):
    return api(LIST).json["data"]["services"][0]


def test_removed_incident(api, world, incident, clock, audited):
    """A removed incident is in no list, and no longer affects the state."""
    world.sample("api", "probe", "operational", 0)
    assert service(api)["state"] == "major-outage"
    clock.pass_(seconds=1)

    response = api(REMOVE_INCIDENT, {"id": incident})

    assert response.json["data"] == {"id": incident, "removedAt": world.text()}
    assert api(GET_INCIDENT, {"id": incident}).status_code == 404
    assert api(LIST_INCIDENTS).json["data"] == []
    assert api(LIST_INCIDENTS, {"slug": "api"}).json["data"] == []
    assert api(GET_SERVICE, {"slug": "api"}).json["data"]["incidents"] == []
    assert (service(api)["state"], service(api)["activeIncidentIds"]) == (
        "operational",
        [],
    )
    assert audited()[-1] == "incident.removed"
    assert behind() == {"status"}


def test_removed_window(api, world, window, clock, audited):
    """A removed window is in no list, and its services are not in maintenance."""
    world.sample("api", "probe", "operational", 0)
    assert service(api)["state"] == "maintenance"
    clock.pass_(seconds=1)

    response = api(REMOVE_WINDOW, {"id": window})

    assert response.json["data"] == {"id": window, "removedAt": world.text()}
    assert api(GET_WINDOW, {"id": window}).status_code == 404
    assert api(LIST_WINDOWS).json["data"] == []
    assert api(LIST_WINDOWS, {"status": "active"}).json["data"] == []
    assert api(GET_SERVICE, {"slug": "api"}).json["data"]["maintenance"] == []
    assert (service(api)["state"], service(api)["activeMaintenanceIds"]) == (
        "operational",
        [],
    )
    assert audited()[-1] == "maintenance.removed"
    assert behind() == {"status"}


def test_uptime_of_a_removed_window(api, world, window):
    """Measurements taken during a removed window count again."""
    world.sample("api", "probe", "down", -60)
    pct = [api(GET_SERVICE, {"slug": "api"}).json["data"]["uptime"][0]["uptimePct"]]

    api(REMOVE_WINDOW, {"id": window})

    pct.append(api(GET_SERVICE, {"slug": "api"}).json["data"]["uptime"][0]["uptimePct"])
    assert pct == [None, 0]


def test_what_is_kept(api, incident, window):
    """The audit log has the removed content; the updates are in their history."""
    api(ADD_UPDATE, {"incidentId": incident, "body": "Still a test."})
    api(REMOVE_INCIDENT, {"id": incident})
    api(REMOVE_WINDOW, {"id": window})

    rows = {row.action: row for row in AuditRow}
    removed = rows["incident.removed"]
    assert (removed.target_id, removed.target_label) == (incident, "A test")
    assert removed.detail.startswith(
        "status: investigating; severity: major-outage; startedAt: 2026-03-01T12:00:00"
    )
    assert "; services: api; via key " in removed.detail
    removed = rows["maintenance.removed"]
    assert (removed.target_id, removed.target_label) == (window, "A test")
    assert '; description: "Not for readers.\\"; via key"; via key' in removed.detail
    history = api(UPDATE_HISTORY, {"incidentId": incident}).json["data"]
    bodies = [each["versions"][0]["body"] for each in history]
    assert bodies == ["We are looking.", "Still a test."]


def test_nothing_brings_it_back(api, incident, window, audited):
    """Removed content cannot be changed, corrected or removed again."""
    (update,) = api(GET_INCIDENT, {"id": incident}).json["data"]["updates"]
    api(REMOVE_INCIDENT, {"id": incident})
    api(REMOVE_WINDOW, {"id": window})
    before = audited()

    responses = [
        api(UPDATE_INCIDENT, {"id": incident, "title": "Back"}),
        api(ADD_UPDATE, {"incidentId": incident, "body": "Back."}),
        api(CORRECT_UPDATE, {"id": update["id"], "body": "Back."}),
        api(REMOVE_UPDATE, {"id": update["id"]}),
        api(
            REMOVE_INCIDENT,
            {
                "id": incident,
            },
            headers={"Idempotency-Key": "2"},
        ),
        api(UPDATE_WINDOW, {"id": window, "title": "Back"}),
        api(REMOVE_WINDOW, {"id": window}, headers={"Idempotency-Key": "3"}),
    ]

    assert {response.status_code for response in responses} == {404}
    assert audited() == before


def test_unknown(api, world):
    """An unknown id is a 404."""
    assert api(REMOVE_INCIDENT, {"id": "ghost"}).status_code == 404
    assert api(REMOVE_WINDOW, {"id": "ghost"}).status_code == 404


def test_dry_run(api, incident):
    """A dry run removes nothing."""
    response = api(REMOVE_INCIDENT, {"id": incident}, headers={"Dry-Run": "true"})

    assert response.status_code == 200
    assert api(GET_INCIDENT, {"id": incident}).status_code == 200


def test_nobody_is_told(api, world, clock):
    """
    A removal makes no event, and withdraws unsent ones; those of other incidents stay.
    """
    subscribe(clock.now)
    removed, other = world.incident("api"), world.incident("api")
    window = world.window("api", HOUR, 2 * HOUR)
    api(REMOVE_INCIDENT, {"id": removed})
    api(REMOVE_WINDOW, {"id": window})
    fan_out(clock.now, ALL_LIVE)

    attempts = claim(clock.now, ["webhook"], 100)

    assert [attempt.subject_id for attempt in attempts] == [other]
    given_up = DeliveryRow.select().where(DeliveryRow.status == "given-up")
    assert {row.subject_id for row in given_up} == {removed, window}
    assert EventRow.select().where(EventRow.withdrawn_at.is_null(False)).count() == 2


def test_clock_of_a_removed_window(api, world, clock, settings):
    """A removed window has no start or end event, and no reminder."""
    events = ["incident.reminder", "maintenance.reminder", "maintenance.started"]
    window, incident = world.window("api", HOUR, 2 * HOUR), world.incident("api")
    subscribe(clock.now, events=events)
    api(REMOVE_WINDOW, {"id": window})
    api(REMOVE_INCIDENT, {"id": incident})

    for _ in range(30):
        clock.pass_(seconds=HOUR / 2)
        record_clock_events(
            clock.now,
            freshness=settings.freshness,
            reminder_after=settings.reminder_after,
        )

    assert EventRow.select().count() == 0
