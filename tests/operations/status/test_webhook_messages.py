"""The messages of webhooks match their description in the OpenAPI document."""

import json

import pytest
from jsonschema import Draft202012Validator

from models.notifications.event_types import EVENT_TYPES, REMINDERS
from models.notifications.rows import EventRow
from models.status.clock_events import record_clock_events
from sitegen.messages.webhook import webhook_body
from tests.factories.notifications import subscribe
from tests.factories.status import ADD_UPDATE, UPDATE_WINDOW, World
from tests.samples.openapi_document import DESCRIBED


@pytest.fixture
def everything(api, clock, settings, docs_project):
    """An event of each type, in the order in which they happened."""

    def tick(**pause):
        record_clock_events(
            clock.now,
            freshness=settings.freshness,
            reminder_after=settings.reminder_after,
        )
        clock.pass_(**pause)

    world = World(api, clock)
    world.service("api")
    subscribe(clock.now)
    subscribe(clock.now, "https://pager/", events=sorted(REMINDERS))
    document = docs_project.publish("intro")
    docs_project.withdraw(document)
    id = world.incident("api")
    for number, status in enumerate(["identified", "resolved", "monitoring"]):
        update = {"incidentId": id, "body": f"Update {number}", "status": status}
        api(ADD_UPDATE, update)
    window = world.window("api", 600, 1200)
    api(UPDATE_WINDOW, {"id": window, "title": "Longer"})
    api(UPDATE_WINDOW, {"id": world.window("api", 60, 90), "status": "cancelled"})
    tick(seconds=601)
    tick(seconds=601)
    tick()
    api(ADD_UPDATE, {"incidentId": id, "body": "Over.", "status": "resolved"})
    # The service then has another state, whose event follows once it has lasted.
    tick(seconds=61)
    tick()
    world.incident("api", title="Silent")
    tick(hours=5)
    tick()
    return list(EventRow.select().order_by(EventRow.number))


def test_messages(everything):
    """Each event has a description, and its message follows it."""
    assert {event.type for event in everything} == set(EVENT_TYPES)
    assert DESCRIBED["webhooks"].keys() == set(EVENT_TYPES)

    for event in everything:
        data = {**event.data, "url": "https://status.example.com" + event.path}
        message = json.loads(webhook_body(event.type, event.at, data))
        described = DESCRIBED["webhooks"][event.type]["post"]["requestBody"]
        schema = described["content"]["application/json"]["schema"]
        whole = {**schema, "components": DESCRIBED["components"]}
        Draft202012Validator(whole).validate(message)
        assert set(message["data"]) == set(schema["properties"]["data"]["properties"])
