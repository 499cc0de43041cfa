"""Corrected and removed updates of incidents, over HTTP."""

import pytest

from models.audit import AuditRow
from models.changes import behind
from models.notifications.rows import EventRow
from models.status.incidents.corrections import REMOVED_BODY
from tests.factories.notifications import subscribe
from tests.factories.status import (
    ADD_UPDATE,
    CORRECT_UPDATE,
    GET_INCIDENT,
    LIST,
    REMOVE_UPDATE,
    UPDATE_HISTORY,
    UPDATE_INCIDENT,
    World,
)

pytestmark = pytest.mark.both_engines

FIRST = "We are looking."
OPENED, SECOND, THIRD, FOURTH = (f"2026-03-01T12:0{n}:01.000Z" for n in range(4))


@pytest.fixture
def world(api, clock):
    world = World(api, clock)
    world.service("api", name="Public API")
    return world


@pytest.fixture
def incident(world, clock):
    """An incident, opened a second after noon."""
    clock.pass_(seconds=1)
    return world.incident("api", title="Errors", severity="major-outage")


@pytest.fixture
def post(api, clock, incident):
    """Post an update a minute after the last change; return its id."""

    def posted(body="More.", **more):
        clock.pass_(minutes=1)
        payload = {"incidentId": incident, "body": body} | more
        return api(ADD_UPDATE, payload).json["data"]["id"]

    return posted


@pytest.fixture
def first(api, incident):
    return api(GET_INCIDENT, {"id": incident}).json["data"]["updates"][0]["id"]


@pytest.fixture
def correct(api, clock):
    """Correct an update a minute after the last change, and return the response."""

    def corrected(id, **more):
        clock.pass_(minutes=1)
        return api(CORRECT_UPDATE, {"id": id} | more)

    return corrected


@pytest.fixture
def remove(api, clock):
    def removed(id, **more):
        clock.pass_(minutes=1)
        return api(REMOVE_UPDATE, {"id": id} | more)

    return removed


@pytest.fixture
def status(api, incident):
    """Return the status of the incident, and since when it is resolved."""

    def current():
        data = api(GET_INCIDENT, {"id": incident}).json["data"]["incident"]
        return data["status"], data["resolvedAt"]

    return current


def test_corrected_words(api, incident, first, correct, audited):
    """A correction keeps the time of the update, and its other fields."""
    response = correct(first, body="We are looking into it.")

    updates = api(GET_INCIDENT, {"id": incident}).json["data"]["updates"]
    assert response.status_code == 200
    assert updates == [response.json["data"]]
    assert updates == [
        {
            "id": first,
            "incidentId": incident,
            "status": "investigating",
            "body": "We are looking into it.",
            "createdAt": OPENED,
        }
    ]
    assert audited()[-1] == "incident.update-corrected"
    assert behind() == {"status"}


def test_detail_in_the_audit(first, correct):
    """The audit log has the complete earlier text, in an unambiguous form."""
    correct(first, body='New.\n"; via key', status="identified")
    correct(first, body="x" * 4000)

    details = [row.detail for row in AuditRow if row.action.endswith("corrected")]
    assert details[0].startswith(
        f"update: {first}; status: investigating -> identified;"
        f' earlier body: "{FIRST}"; via key '
    )
    assert details[1].startswith(
        f'update: {first}; earlier body: "New.\\n\\"; via key"; via key '
    )


def test_history(api, first, correct, remove):
    """Each version has its text, and the times from when to when it was shown."""
    correct(first, body="Second.")
    correct(first, status="identified")
    remove(first)

    (history,) = api(UPDATE_HISTORY, {"id": first}).json["data"]
    facts = [
        (each["version"], each["status"], each["body"], each["writtenAt"])
        for each in history["versions"]
    ]
    assert facts == [
        (1, "investigating", FIRST, OPENED),
        (2, "investigating", "Second.", SECOND),
        (3, "identified", "Second.", THIRD),
    ]
    ends = [each["replacedAt"] for each in history["versions"]]
    assert ends == [SECOND, THIRD, FOURTH]
    assert (history["editedAt"], history["removedAt"]) == (THIRD, FOURTH)


def test_history_of_an_incident(api, incident, first, post, correct):
    """All updates of an incident are returned together, oldest first."""
    second = post()
    correct(second, body="Better.")

    histories = api(UPDATE_HISTORY, {"incidentId": incident}).json["data"]

    versions = [(each["id"], len(each["versions"])) for each in histories]
    assert versions == [(first, 1), (second, 2)]
    assert histories[0]["editedAt"] is None
    assert histories[1]["versions"][1]["replacedAt"] is None


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"id": "ghost"}, 404),
        ({"incidentId": "ghost"}, 404),
        ({}, 422),
        ({"id": "a", "incidentId": "b"}, 422),
    ],
)
def test_history_of_nothing(api, world, query, status):
    """An unknown id is a 404, and one of the two parameters is required."""
    assert api(UPDATE_HISTORY, query).status_code == status


def test_without_a_change(api, first, correct, remove, audited):
    """A correction without a change and a second removal change nothing."""
    remove(first)
    remove(first)
    before = audited()

    same = remove(first)

    assert same.json["data"]["body"] == REMOVED_BODY
    assert audited() == before
    assert before.count("incident.update-removed") == 1


def test_same_words(api, first, correct, audited):
    """The same text and status again make no new version."""
    before = audited()

    response = correct(first, body=FIRST, status="investigating")

    assert response.status_code == 200
    assert audited() == before
    assert len(api(UPDATE_HISTORY, {"id": first}).json["data"][0]["versions"]) == 1


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"body": ""}, 422),
        ({"body": "x" * 4001}, 422),
        ({"body": None}, 422),
        ({"status": "fixed"}, 422),
        ({"status": None}, 422),
        ({"expectedVersion": 0}, 422),
        ({"createdAt": SECOND}, 422),
        ({"body": "New.", "expectedVersion": 2}, 409),
        ({"body": "New.", "expectedVersion": 1}, 200),
    ],
)
def test_limits_of_a_correction(first, correct, change, code):
    """A correction has the limits of an update, and checks the expected version."""
    assert correct(first, **change).status_code == code


def test_unknown_update(correct, remove, world):
    """An unknown update can be neither corrected nor removed."""
    for response in (correct("ghost", body="x"), remove("ghost")):
        assert response.status_code == 404
        assert response.json["detail"] == "No incident update has the id 'ghost'."


def test_removed_update_is_not_corrected(first, correct, remove):
    """A removed text cannot be restored by a correction."""
    remove(first)

    response = correct(first, body="Again.")

    assert response.status_code == 404
    assert response.json["type"].endswith("/problems/incident-update-not-found/")
    assert "was removed" in response.json["detail"]


def test_removed_words(api, incident, first, post, remove):
    """A removed update keeps its place and time, with a replacement text."""
    second = post("The password is swordfish.", status="identified")

    remove(second)

    updates = api(GET_INCIDENT, {"id": incident}).json["data"]["updates"]
    assert [(each["body"], each["createdAt"]) for each in updates] == [
        (FIRST, OPENED),
        (REMOVED_BODY, SECOND),
    ]
    assert [each["status"] for each in updates] == ["investigating"] * 2


def test_incident_follows_its_newest_update(post, correct, status, api):
    """The incident takes the corrected status, and is active again with it."""
    last = post("Over.", status="resolved")
    assert status() == ("resolved", SECOND)

    correct(last, status="monitoring")

    assert status() == ("monitoring", None)
    (service,) = api(LIST).json["data"]["services"]
    assert service["state"] == "major-outage"


def test_corrected_to_resolved(post, correct, status, api):
    """The time of resolution is that of the update, not of its correction."""
    last = post("Over.", status="monitoring")

    correct(last, status="resolved")

    assert status() == ("resolved", SECOND)
    (service,) = api(LIST).json["data"]["services"]
    assert service["activeIncidentIds"] == []


def test_earlier_update(first, post, correct, remove, status):
    """An update that is not the newest does not change the incident."""
    post(status="identified")

    correct(first, status="resolved")
    remove(first)

    assert status() == ("identified", None)


def test_status_of_its_own(api, incident, post, correct, remove, status):
    """A status that incidents/update has set does not follow the timeline."""
    last = post(status="identified")
    api(UPDATE_INCIDENT, {"id": incident, "status": "monitoring"})

    correct(last, status="resolved")
    remove(last)

    assert status() == ("monitoring", None)


def test_status_of_an_earlier_update(api, incident, first, post, correct, status):
    """
    A status that incidents/update has set does not follow an earlier, equal update.
    """
    post(status="identified")
    api(UPDATE_INCIDENT, {"id": incident, "status": "investigating"})

    correct(first, body="Better.")
    correct(first, status="resolved")

    assert status() == ("investigating", None)


def test_removal_of_the_newest_update(post, remove, status):
    """The incident falls back to the newest update that remains."""
    post(status="identified")
    middle, last = post(status="monitoring"), post("Over.", status="resolved")
    remove(middle)

    remove(last)

    assert status() == ("identified", None)


def test_fall_back_to_resolved(post, remove, status):
    """
    An incident that was reopened by mistake is resolved since its first resolution.
    """
    post("Over.", status="resolved")
    post("The post-mortem is online.")
    mistake = post("Again?", status="investigating")
    assert status() == ("investigating", None)

    remove(mistake)

    assert status() == ("resolved", SECOND)


def test_resolved_remains_resolved(api, incident, post, remove, status):
    """The time of the resolution stays while the incident stays resolved."""
    post("Over.", status="resolved")
    api(
        UPDATE_INCIDENT,
        {"id": incident, "resolvedAt": "2026-03-01T12:00:30Z"},
    )
    last = post("The post-mortem is online.")

    remove(last)

    assert status() == ("resolved", "2026-03-01T12:00:30.000Z")


def test_removal_of_all_updates(first, remove, status):
    """Without any update the incident keeps its status."""
    remove(first)

    assert status() == ("investigating", None)


def test_resolution_before_the_start(api, incident, post, correct, status):
    """An incident that starts after the update was resolved when it started."""
    last = post()
    api(UPDATE_INCIDENT, {"id": incident, "startedAt": "2026-03-01T12:01:30Z"})

    correct(last, status="resolved")

    assert status() == ("resolved", "2026-03-01T12:01:30.000Z")


def test_resolution_of_the_future(api, incident, world, first, correct, status):
    """An incident that has not started cannot be resolved by a correction."""
    api(UPDATE_INCIDENT, {"id": incident, "startedAt": world.text(86_400)})

    response = correct(first, status="resolved")

    assert response.status_code == 422
    assert response.json["errors"][0]["pointer"] == "/status"
    assert status() == ("investigating", None)


@pytest.mark.parametrize(
    ("change", "types"),
    [
        ({"body": "Better words."}, []),
        ({"status": "monitoring"}, ["incident.reopened"]),
        ({"status": "monitoring", "notify": False}, []),
    ],
)
def test_notice_of_a_correction(clock, post, correct, change, types):
    """A corrected text makes no event; a changed status of the incident does."""
    last = post("Over.", status="resolved")
    subscribe(clock.now)

    correct(last, **change)

    assert [event.type for event in EventRow] == types


def test_notice_of_a_removal(clock, post, remove):
    """A removal makes an event if it changes the status of the incident."""
    words, last = post("Words."), post("Over.", status="resolved")
    subscribe(clock.now)

    remove(words)
    remove(last)

    assert [event.type for event in EventRow] == ["incident.reopened"]


def test_words_of_events(clock, first, post, correct, remove):
    """Unsent events, and those sent again, have the corrected text."""
    subscribe(clock.now)
    second = post("The password is swordfish.", status="resolved")
    post("Thanks.")
    correct(first, body="We look.")

    remove(second)

    bodies = [
        [update["body"] for update in event.data["incident"]["updates"]]
        for event in EventRow.select().order_by(EventRow.number)
    ]
    assert bodies == [["We look.", REMOVED_BODY], ["We look.", REMOVED_BODY, "Thanks."]]


def test_event_of_a_removed_update(clock, post, remove):
    """An event only about a removed update is withdrawn, and its text is empty."""
    subscribe(clock.now)
    words = post("The password is swordfish.")

    remove(words)

    (event,) = EventRow.select()
    assert (event.type, event.data, event.path) == ("incident.updated", {}, "")
    assert event.withdrawn_at == clock.now
