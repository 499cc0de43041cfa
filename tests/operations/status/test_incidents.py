"""Incidents over HTTP."""

import pytest

from models.changes import behind
from models.status.incidents.incidents import IncidentRow, IncidentUpdateRow
from tests.factories.status import (
    ADD_INCIDENT,
    ADD_UPDATE,
    GET_INCIDENT,
    LIST,
    UPDATE_INCIDENT,
    World,
)


@pytest.fixture
def world(api, clock):
    world = World(api, clock)
    world.service("api", name="Public API")
    clock.pass_(seconds=1)
    return world


@pytest.fixture
def new_incident(world):
    return {
        "title": "Errors on the API",
        "severity": "partial-outage",
        "services": ["api"],
        "body": "We are looking into it.",
    }


@pytest.fixture
def incident(api, new_incident):
    return api(ADD_INCIDENT, new_incident).json["data"]


def test_add(api, new_incident, audited, woken):
    """
    A new incident has one update, is audited, and marks the status page for a rebuild.
    """
    incident = api(ADD_INCIDENT, new_incident).json["data"]

    now = "2026-03-01T12:00:01.000Z"
    assert incident == {
        "id": incident["id"],
        "title": "Errors on the API",
        "status": "investigating",
        "severity": "partial-outage",
        "startedAt": now,
        "resolvedAt": None,
        "createdAt": now,
        "updatedAt": now,
        "services": [{"slug": "api", "name": "Public API"}],
    }
    assert [(e.body, e.status) for e in IncidentUpdateRow] == [
        (new_incident["body"], "investigating")
    ]
    assert audited() == ["service.added", "incident.opened"]
    assert behind() == {"status"}
    assert woken == ["status", "status"]


def test_add_for_unknown_services(api, new_incident, audited):
    """Unknown slugs are rejected by name, and nothing is stored."""
    response = api(ADD_INCIDENT, new_incident | {"services": ["ghost", "api", "other"]})

    assert response.status_code == 422
    assert response.json["type"].endswith("/problems/reference-not-found/")
    assert response.json["detail"] == "No service has the slug 'ghost', 'other'."
    assert IncidentRow.select().count() == IncidentUpdateRow.select().count() == 0
    assert audited() == ["service.added"]


def test_add_twice(api, new_incident, audited):
    """
    A repeat with the Idempotency-Key gets the same response and opens nothing new.
    """
    first, second = api(ADD_INCIDENT, new_incident), api(ADD_INCIDENT, new_incident)

    assert second.data == first.data
    assert second.headers["Idempotent-Replayed"] == "true"
    assert audited() == ["service.added", "incident.opened"]


@pytest.mark.parametrize(
    "member",
    [
        {"title": "t" * 160},
        {"severity": "degraded"},
        {"severity": "major-outage"},
        {"status": "investigating"},
        {"status": "identified"},
        {"status": "monitoring"},
        {"startedAt": "2026-03-01T12:00:01.000Z"},
    ],
)
def test_add_at_the_limit(api, new_incident, member):
    """A value at its limit is accepted, and any status may be the first."""
    response = api(ADD_INCIDENT, new_incident | member)

    assert response.status_code == 200
    assert member.items() <= response.json["data"].items()


@pytest.mark.parametrize(
    "member",
    [
        {"title": "t" * 161},
        {"title": " "},
        {"title": "a\nb"},
        {"title": None},
        {"severity": "maintenance"},
        {"severity": None},
        {"status": "open"},
        {"status": None},
        {"status": {}},
        {"startedAt": None},
        {"startedAt": "2026-03-01"},
        {"services": []},
        {"services": None},
        {"services": "api"},
        {"services": ["API"]},
        {"impact": "none"},
    ],
)
def test_beyond_the_limit(api, new_incident, incident, member):
    """Adding and updating reject the same values, by name."""
    changed = {"id": incident["id"]} | member

    for response in (
        api(ADD_INCIDENT, new_incident | member),
        api(UPDATE_INCIDENT, changed),
    ):
        assert response.status_code == 422
        pointer = response.json["errors"][0]["pointer"]
        assert pointer.startswith("/" + next(iter(member)))
    assert IncidentRow.select().count() == 1


@pytest.mark.parametrize("missing", ["title", "severity", "services", "body"])
def test_add_without(api, new_incident, missing):
    """These four members are required."""
    del new_incident[missing]

    assert api(ADD_INCIDENT, new_incident).status_code == 422


@pytest.mark.parametrize(
    ("body", "status"), [("", 422), ("b", 200), ("b" * 4000, 200), ("b" * 4001, 422)]
)
def test_length_of_a_body(api, new_incident, incident, body, status):
    """A body has 1 to 4000 characters, when opening and in updates."""
    entry = {"incidentId": incident["id"], "body": body}

    assert api(ADD_INCIDENT, new_incident | {"body": body}).status_code == status
    assert api(ADD_UPDATE, entry).status_code == status


def test_update(api, world, incident, clock, audited):
    """Sent members change at one instant; the others stay."""
    world.service("mail")
    clock.pass_(minutes=1)

    changed = {"title": "Less", "severity": "degraded", "services": ["mail", "api"]}
    data = api(UPDATE_INCIDENT, {"id": incident["id"]} | changed).json["data"]

    assert (data["title"], data["severity"]) == ("Less", "degraded")
    assert [each["slug"] for each in data["services"]] == ["mail", "api"]
    assert data["updatedAt"] == world.text()
    assert data["status"] == "investigating"
    assert IncidentUpdateRow.select().count() == 1
    assert audited()[-1] == "incident.updated"


def test_update_of_nothing(api, incident, clock, audited, woken):
    """An update that changes nothing leaves no record and wakes no builder."""
    clock.pass_(minutes=1)
    same = {
        "id": incident["id"],
        "title": incident["title"],
        "services": ["api", "api"],
    }

    for body in ({"id": incident["id"]}, same):
        assert api(UPDATE_INCIDENT, body).json["data"] == incident
    assert audited()[-1] == "incident.opened"
    assert woken == ["status", "status"]


@pytest.mark.parametrize(
    ("route", "member"),
    [(UPDATE_INCIDENT, "id"), (ADD_UPDATE, "incidentId"), (GET_INCIDENT, "id")],
)
def test_of_none(api, route, member):
    """An id of no incident is a 404, whether or not it is a UUID."""
    more = {"body": "b"} if route == ADD_UPDATE else {}

    for id in ("ghost", "00000000-0000-0000-0000-000000000000", "x" * 64):
        response = api(route, {member: id} | more)
        assert response.status_code == 404
        assert response.json["type"].endswith("/problems/incident-not-found/")
    for id in ("", "x" * 65):
        assert api(route, {member: id} | more).status_code == 422
    assert api(route, more).status_code == 422


def test_update_for_unknown_service(api, incident):
    """An incident cannot be updated to affect an unknown service."""
    body = {"id": incident["id"], "title": "New", "services": ["ghost"]}

    response = api(UPDATE_INCIDENT, body)

    assert response.status_code == 422
    assert response.json["detail"] == "No service has the slug 'ghost'."
    stored = api(GET_INCIDENT, {"id": incident["id"]}).json["data"]["incident"]
    assert stored == incident


def test_timeline(api, world, incident, clock, audited):
    """
    The timeline is oldest first; an update with a status sets it, one without keeps it.
    """
    for status in ("identified", None, "monitoring"):
        clock.pass_(minutes=1)
        entry = {"incidentId": incident["id"], "body": f"Now {status}"}
        body = entry | ({"status": status} if status else {})
        data = api(ADD_UPDATE, body).json["data"]
        assert data["createdAt"] == world.text()

    detail = api(GET_INCIDENT, {"id": incident["id"]}).json["data"]

    statuses = ["investigating", "identified", "identified", "monitoring"]
    assert [each["status"] for each in detail["updates"]] == statuses
    assert {each["incidentId"] for each in detail["updates"]} == {incident["id"]}
    assert set(data) == {"id", "incidentId", "status", "body", "createdAt"}
    assert detail["incident"]["status"] == "monitoring"
    assert detail["incident"]["updatedAt"] == world.text()
    assert audited()[-3:] == ["incident.update-posted"] * 3


def test_entry_twice(api, incident):
    """A repeat with the Idempotency-Key appends one update."""
    entry = {"incidentId": incident["id"], "body": "Still looking."}

    first, second = api(ADD_UPDATE, entry), api(ADD_UPDATE, entry)

    assert second.data == first.data
    assert IncidentUpdateRow.select().count() == 2


@pytest.mark.parametrize("status", [None, "open", "", 1])
def test_entry_of_wrong_status(api, incident, status):
    """A status is one of the four, or omitted."""
    entry = {"incidentId": incident["id"], "body": "b", "status": status}

    assert api(ADD_UPDATE, entry).status_code == 422


def test_severity_is_imposed_until_resolved(api, world, incident):
    """The severity applies during monitoring, and not after the resolution."""
    world.sample("api", "a", "operational", -10)

    def overall_after(status):
        api(UPDATE_INCIDENT, {"id": incident["id"], "status": status})
        return api(LIST).json["data"]["overall"]

    assert overall_after("monitoring") == "partial-outage"
    assert overall_after("resolved") == "operational"
    assert overall_after("investigating") == "partial-outage"
