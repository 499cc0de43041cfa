"""Incidents through HTTP."""

import pytest

from models.changes import behind
from models.status.incidents.incidents import IncidentRow, IncidentUpdateRow
from tests.worlds.status import (
    ADD_INCIDENT,
    ADD_UPDATE,
    GET_INCIDENT,
    LIST,
    UPDATE_INCIDENT,
    World,
)


@pytest.fixture
def world(ask, clock):
    world = World(ask, clock)
    world.service("api", name="Public API")
    clock.pass_(seconds=1)
    return world


@pytest.fixture
def asked(world):
    return {
        "title": "Errors on the API",
        "severity": "partial-outage",
        "services": ["api"],
        "body": "We are looking into it.",
    }


@pytest.fixture
def incident(ask, asked):
    return ask(ADD_INCIDENT, asked).json["data"]


def test_add(ask, asked, audited, woken):
    """
    An incident opens with one entry in its timeline, is audited, and leaves the
    status page to be rebuilt.
    """
    incident = ask(ADD_INCIDENT, asked).json["data"]

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
        (asked["body"], "investigating")
    ]
    assert audited() == ["service.added", "incident.opened"]
    assert behind() == {"status"}
    assert woken == ["status", "status"]


def test_add_for_unknown_services(ask, asked, audited):
    """Slugs that name no service are refused by name, and nothing is kept."""
    response = ask(ADD_INCIDENT, asked | {"services": ["ghost", "api", "other"]})

    assert response.status_code == 422
    assert response.json["type"].endswith("/problems/reference-not-found/")
    assert response.json["detail"] == "No service has the slug 'ghost', 'other'."
    assert IncidentRow.select().count() == IncidentUpdateRow.select().count() == 0
    assert audited() == ["service.added"]


def test_add_twice(ask, asked, audited):
    """The same Idempotency-Key gets the same answer and opens nothing new."""
    first, second = ask(ADD_INCIDENT, asked), ask(ADD_INCIDENT, asked)

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
def test_add_at_the_limit(ask, asked, member):
    """Each limit itself is within, and any status may be the first."""
    response = ask(ADD_INCIDENT, asked | member)

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
def test_beyond_the_limit(ask, asked, incident, member):
    """Adding and updating refuse the same, by name."""
    changed = {"id": incident["id"]} | member

    for response in (ask(ADD_INCIDENT, asked | member), ask(UPDATE_INCIDENT, changed)):
        assert response.status_code == 422
        pointer = response.json["errors"][0]["pointer"]
        assert pointer.startswith("/" + next(iter(member)))
    assert IncidentRow.select().count() == 1


@pytest.mark.parametrize("missing", ["title", "severity", "services", "body"])
def test_add_without(ask, asked, missing):
    """These four are required."""
    del asked[missing]

    assert ask(ADD_INCIDENT, asked).status_code == 422


@pytest.mark.parametrize(
    ("body", "status"), [("", 422), ("b", 200), ("b" * 4000, 200), ("b" * 4001, 422)]
)
def test_length_of_a_body(ask, asked, incident, body, status):
    """From 1 to 4000 characters, at the opening and after."""
    entry = {"incidentId": incident["id"], "body": body}

    assert ask(ADD_INCIDENT, asked | {"body": body}).status_code == status
    assert ask(ADD_UPDATE, entry).status_code == status


def test_update(ask, world, incident, clock, audited):
    """What is sent changes at one time; what is left out stays."""
    world.service("mail")
    clock.pass_(minutes=1)

    changed = {"title": "Less", "severity": "degraded", "services": ["mail", "api"]}
    told = ask(UPDATE_INCIDENT, {"id": incident["id"]} | changed).json["data"]

    assert (told["title"], told["severity"]) == ("Less", "degraded")
    assert [each["slug"] for each in told["services"]] == ["mail", "api"]
    assert told["updatedAt"] == world.text()
    assert told["status"] == "investigating"
    assert IncidentUpdateRow.select().count() == 1
    assert audited()[-1] == "incident.updated"


def test_update_of_nothing(ask, incident, clock, audited, woken):
    """An update that changes nothing leaves no record and wakes nobody."""
    clock.pass_(minutes=1)
    same = {
        "id": incident["id"],
        "title": incident["title"],
        "services": ["api", "api"],
    }

    for asked in ({"id": incident["id"]}, same):
        assert ask(UPDATE_INCIDENT, asked).json["data"] == incident
    assert audited()[-1] == "incident.opened"
    assert woken == ["status", "status"]


@pytest.mark.parametrize(
    ("route", "member"),
    [(UPDATE_INCIDENT, "id"), (ADD_UPDATE, "incidentId"), (GET_INCIDENT, "id")],
)
def test_of_none(ask, route, member):
    """An id that names no incident is not found, whether or not it is a UUID."""
    more = {"body": "b"} if route == ADD_UPDATE else {}

    for id in ("ghost", "00000000-0000-0000-0000-000000000000", "x" * 64):
        response = ask(route, {member: id} | more)
        assert response.status_code == 404
        assert response.json["type"].endswith("/problems/incident-not-found/")
    for id in ("", "x" * 65):
        assert ask(route, {member: id} | more).status_code == 422
    assert ask(route, more).status_code == 422


def test_update_for_unknown_service(ask, incident):
    """An incident cannot come to affect what is not there."""
    asked = {"id": incident["id"], "title": "New", "services": ["ghost"]}

    response = ask(UPDATE_INCIDENT, asked)

    assert response.status_code == 422
    assert response.json["detail"] == "No service has the slug 'ghost'."
    kept = ask(GET_INCIDENT, {"id": incident["id"]}).json["data"]["incident"]
    assert kept == incident


def test_timeline(ask, world, incident, clock, audited):
    """Oldest first; an entry with a status sets it, one without keeps it."""
    for status in ("identified", None, "monitoring"):
        clock.pass_(minutes=1)
        entry = {"incidentId": incident["id"], "body": f"Now {status}"}
        asked = entry | ({"status": status} if status else {})
        told = ask(ADD_UPDATE, asked).json["data"]
        assert told["createdAt"] == world.text()

    detail = ask(GET_INCIDENT, {"id": incident["id"]}).json["data"]

    statuses = ["investigating", "identified", "identified", "monitoring"]
    assert [each["status"] for each in detail["updates"]] == statuses
    assert {each["incidentId"] for each in detail["updates"]} == {incident["id"]}
    assert set(told) == {"id", "incidentId", "status", "body", "createdAt"}
    assert detail["incident"]["status"] == "monitoring"
    assert detail["incident"]["updatedAt"] == world.text()
    assert audited()[-3:] == ["incident.update-posted"] * 3


def test_entry_twice(ask, incident):
    """The same Idempotency-Key appends one entry."""
    entry = {"incidentId": incident["id"], "body": "Still looking."}

    first, second = ask(ADD_UPDATE, entry), ask(ADD_UPDATE, entry)

    assert second.data == first.data
    assert IncidentUpdateRow.select().count() == 2


@pytest.mark.parametrize("status", [None, "open", "", 1])
def test_entry_of_wrong_status(ask, incident, status):
    """A status is one of the four, or left out."""
    entry = {"incidentId": incident["id"], "body": "b", "status": status}

    assert ask(ADD_UPDATE, entry).status_code == 422


def test_severity_is_imposed_until_resolved(ask, world, incident):
    """Monitoring still counts; resolved does not."""
    world.sample("api", "a", "operational", -10)

    def overall_after(status):
        ask(UPDATE_INCIDENT, {"id": incident["id"], "status": status})
        return ask(LIST).json["data"]["overall"]

    assert overall_after("monitoring") == "partial-outage"
    assert overall_after("resolved") == "operational"
    assert overall_after("investigating") == "partial-outage"
