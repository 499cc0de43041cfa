"""Which changes subscribers are told of, and what they are told."""

import json

import pytest

from models.fields import format_moment
from models.notifications.event_types import REMINDERS
from models.notifications.rows import EventRow, SubscriptionRow
from models.status.clock_events import record_clock_events
from tests.factories.notifications import subscribe
from tests.factories.status import (
    ADD_INCIDENT,
    ADD_UPDATE,
    UPDATE_INCIDENT,
    UPDATE_WINDOW,
    World,
)

HOUR = 3600
SUBSCRIPTIONS = "POST /status/v1/admin/subscriptions"
ADD_SUBSCRIPTION = f"{SUBSCRIPTIONS}/add"
UPDATE_SUBSCRIPTION = f"{SUBSCRIPTIONS}/update"
REMOVE_SUBSCRIPTION = f"{SUBSCRIPTIONS}/remove"
HOOK = {"channel": "webhook", "address": "https://tools.example.com/hook"}

pytestmark = pytest.mark.both_engines


@pytest.fixture
def world(api, clock):
    world = World(api, clock)
    world.service("api", name="Public API")
    api(ADD_SUBSCRIPTION, HOOK)
    return world


@pytest.fixture
def tick(clock, settings):
    """Have the clock's events recorded, and tell whether pages show them."""
    return lambda: record_clock_events(
        clock.now,
        freshness=settings.freshness,
        reminder_after=settings.reminder_after,
    )


@pytest.fixture
def told(store):
    """The types of the events so far, oldest first."""

    def types():
        return [row.type for row in EventRow.select().order_by(EventRow.number)]

    return types


def test_incident(world, api, told):
    """An incident is opened, updated, resolved and reopened: one event for each."""
    id = world.incident("api")
    for body, status in [
        ("It is the cache.", "identified"),
        ("Done.", "resolved"),
        ("Not yet.", "monitoring"),
        ("Still looking.", "monitoring"),
    ]:
        api(ADD_UPDATE, {"incidentId": id, "body": body, "status": status})

    assert told() == [
        "incident.opened",
        "incident.updated",
        "incident.resolved",
        "incident.reopened",
        "incident.updated",
    ]


def test_data_of_an_incident(world):
    """An event has the incident as the API shows it, and the page's generation."""
    id = world.incident("api", title="Errors")

    event = EventRow.get()
    incident = event.data["incident"]["incident"]
    assert (incident["title"], incident["status"]) == ("Errors", "investigating")
    assert [u["body"] for u in event.data["incident"]["updates"]] == ["We are looking."]
    assert (event.subject_id, event.services) == (id, ["api"])
    assert event.path == f"/status/incidents/{id}/"
    assert event.area == "status"
    assert format_moment(event.at) == incident["createdAt"]


def test_generation(world, api):
    """An event is due with the generation that the change was answered with."""
    response = api(
        ADD_INCIDENT,
        {"title": "Errors", "severity": "degraded", "services": ["api"], "body": "…"},
    )

    assert EventRow.get().generation == int(response.headers["Site-Generation"])


def test_newest_updates(world, api):
    """Of a long incident an event has the newest updates."""
    id = world.incident("api")
    for number in range(25):
        api(ADD_UPDATE, {"incidentId": id, "body": f"Update {number}"})

    newest = EventRow.select().order_by(EventRow.number.desc()).first()
    bodies = [update["body"] for update in newest.data["incident"]["updates"]]
    assert bodies == [f"Update {number}" for number in range(5, 25)]


@pytest.mark.parametrize(
    ("change", "type"),
    [
        ({"status": "resolved"}, "incident.resolved"),
        ({"severity": "major-outage"}, "incident.updated"),
        ({"status": "identified"}, "incident.updated"),
        ({"title": "A better title"}, None),
        ({}, None),
    ],
)
def test_changed_fields(world, api, told, change, type):
    """A new status or severity is told, a corrected title is not."""
    id = world.incident("api")
    api(UPDATE_INCIDENT, {"id": id} | change)

    assert told()[1:] == ([type] if type else [])


def test_without_notify(world, api, told):
    """What an operator does quietly tells nobody, and no answer shows it."""
    quiet = {"notify": False}
    id = world.incident("api", **quiet)
    answer = api(ADD_UPDATE, {"incidentId": id, "body": "A typo."} | quiet)
    window = world.window("api", 60, 120, **quiet)
    api(UPDATE_WINDOW, {"id": window, "title": "Better"} | quiet)

    assert told() == []
    assert "notify" not in json.dumps(answer.json)


def test_nothing_is_told_of_what_is_not_kept(world, api, told):
    """A dry run, a refused request and a repeat make no event."""
    body = {"title": "Errors", "severity": "degraded", "services": ["api"]}
    api(ADD_INCIDENT, body | {"body": "…"}, headers={"Dry-Run": "true"})
    api(ADD_INCIDENT, body | {"body": "…", "services": ["unknown"]})
    assert told() == []

    for _ in range(2):
        api(ADD_INCIDENT, body | {"body": "…"})
    assert told() == ["incident.opened"]


def test_window(world, api, clock, tick, told):
    """A window is scheduled, changed, started and completed: each is told once."""
    id = world.window("api", 60, 120)
    api(UPDATE_WINDOW, {"id": id, "title": "Longer"})
    for seconds in (30, 30, 30, 30, 30):
        clock.pass_(seconds=seconds)
        for _ in range(2):
            tick()

    assert told() == [
        "maintenance.scheduled",
        "maintenance.changed",
        "maintenance.started",
        "maintenance.completed",
    ]


def test_window_that_is_moved_starts_again(world, api, clock, tick, told):
    """A window that has started and gets a later start is told to start again."""
    id = world.window("api", 60, 1200)
    clock.pass_(seconds=60)
    tick()
    api(UPDATE_WINDOW, {"id": id, "startsAt": world.text(60)})
    clock.pass_(seconds=60)
    tick()

    assert told().count("maintenance.started") == 2


@pytest.mark.parametrize("status", ["cancelled", "completed"])
def test_window_that_an_operator_ends(world, api, clock, tick, told, status):
    """What an operator ends is told once, and the clock adds nothing."""
    id = world.window("api", 60, 120)
    api(UPDATE_WINDOW, {"id": id, "status": status})
    clock.pass_(seconds=150)
    tick()
    api(UPDATE_WINDOW, {"id": id, "title": "Over"})

    assert told() == ["maintenance.scheduled", f"maintenance.{status}"]


def test_quiet_window_starts_quietly(world, api, clock, tick, told):
    """A window that nobody was told of is told of only once an update says so."""
    id = world.window("api", 60, 120, notify=False)
    clock.pass_(seconds=60)
    tick()
    assert told() == []

    api(UPDATE_WINDOW, {"id": id, "title": "Now for all"})
    tick()
    assert told() == ["maintenance.changed", "maintenance.started"]


@pytest.mark.parametrize("notify", [True, False])
def test_window_that_an_operator_starts(world, api, clock, tick, told, notify):
    """What an operator starts is told once, as its start, or not at all."""
    id = world.window("api", 60, 120)
    times = {"startsAt": world.text(0), "endsAt": world.text(60)}
    api(UPDATE_WINDOW, {"id": id, "notify": notify, **times})
    for _ in range(2):
        clock.pass_(seconds=60)
        tick()

    heard = ["maintenance.started", "maintenance.completed"] if notify else []
    assert told() == ["maintenance.scheduled", *heard]


def test_start_of_a_window_is_built(world, clock, tick):
    """The start of a window is told with the generation whose pages show it."""
    world.window("api", 60, 120)
    before = EventRow.get().generation
    clock.pass_(seconds=60)

    assert tick()
    started = EventRow.get(EventRow.type == "maintenance.started")
    assert started.generation > before


def test_state_that_holds(world, api, clock, tick, told):
    """A state is told once it has held for a minute; a shorter one is not."""

    def at(seconds, status):
        clock.pass_(seconds=seconds)
        world.sample("api", "probe", status, 0)
        tick()

    at(0, "operational")
    at(10, "down")
    at(59, "operational")
    assert told() == []

    at(60, "operational")
    at(10, "down")
    at(60, "down")
    at(60, "down")
    _, event = EventRow.select().order_by(EventRow.number)
    assert event.type == "service.state-changed"
    assert event.data["previousState"] == "operational"
    assert event.data["service"]["state"] == "major-outage"
    assert event.generation is None


@pytest.fixture
def state_events(store):
    """Return the changes of state of which there is an event, oldest first."""

    def changes():
        events = EventRow.select().where(EventRow.type == "service.state-changed")
        return [
            (event.data["previousState"], event.data["service"]["state"])
            for event in events.order_by(EventRow.number)
        ]

    return changes


@pytest.mark.parametrize("has_event_from_the_start", [True, False])
def test_failure_right_after_the_subscription(
    api, clock, tick, state_events, has_event_from_the_start
):
    """A state counts from the moment of the subscription, not from the next look."""
    world = World(api, clock)
    world.service("api")
    world.sample("api", "probe", "operational", 0)
    wanted = ["incident.opened"] + ["service.state-changed"] * has_event_from_the_start
    added = api(ADD_SUBSCRIPTION, HOOK | {"events": wanted}).json["data"]
    if not has_event_from_the_start:
        tick()
        wanted = {"id": added["id"], "events": ["service.state-changed"]}
        assert api(UPDATE_SUBSCRIPTION, wanted).status_code == 200

    clock.pass_(seconds=1)
    world.sample("api", "probe", "down", 0)
    for seconds in (4, 60):
        clock.pass_(seconds=seconds)
        tick()

    assert state_events() == [("operational", "major-outage")]


def test_failure_of_a_new_service(api, clock, tick, state_events):
    """A service that is added to a watched page was unknown until it was measured."""
    api(ADD_SUBSCRIPTION, HOOK)
    tick()
    world = World(api, clock)
    world.service("api")
    world.sample("api", "probe", "down", 0)

    for seconds in (5, 60):
        clock.pass_(seconds=seconds)
        tick()

    assert state_events() == [("unknown", "major-outage")]


def test_failure_after_a_quarantine(api, clock, tick, state_events):
    """States are noted in a quarantine too, so that its end loses no change."""
    world = World(api, clock)
    world.service("api")
    world.sample("api", "probe", "operational", 0)
    api(ADD_SUBSCRIPTION, HOOK)
    SubscriptionRow.update(state="quarantined").execute()
    tick()
    SubscriptionRow.update(state="active").execute()
    world.sample("api", "probe", "down", 1)

    for seconds in (5, 60):
        clock.pass_(seconds=seconds)
        tick()

    assert state_events() == [("operational", "major-outage")]


def test_publication(docs_project, clock, told):
    """A document that appears on the site, and leaves it, is told."""
    subscribe(clock.now)
    document = docs_project.publish("intro", title="Introduction")
    docs_project.release(document)
    docs_project.withdraw(document)

    assert told() == ["document.published", "document.unpublished"]
    event = EventRow.get()
    assert event.data["document"] == {
        "id": document["id"],
        "slug": "intro",
        "collection": "guides",
        "title": "Introduction",
        "version": 1,
    }
    assert (event.area, event.path) == ("docs", "/guides/intro/")


def test_reminders(world, api, clock, tick, told):
    """Who asks for it is reminded of a silent incident, and of a window, once."""
    id = world.incident("api")
    world.window("api", 4 * HOUR, 5 * HOUR)
    clock.pass_(hours=4, seconds=1)
    tick()
    assert not set(told()) & REMINDERS

    subscribe(clock.now, "https://pager/", events=sorted(REMINDERS))
    world.window("api", 3 * HOUR + 1, 5 * HOUR)
    tick()
    tick()
    assert told()[-1] == "incident.reminder"
    clock.pass_(seconds=1)
    tick()
    assert told()[-1] == "maintenance.reminder"

    api(ADD_UPDATE, {"incidentId": id, "body": "Still looking."})
    clock.pass_(hours=3, minutes=59)
    tick()
    assert told().count("incident.reminder") == 1
    clock.pass_(minutes=1, seconds=1)
    tick()
    assert told().count("incident.reminder") == 2


def test_states_of_a_time_without_subscribers(world, api, clock, tick, told):
    """A state that changed while nobody was subscribed is not told later."""
    world.sample("api", "probe", "operational", 0)
    tick()
    SubscriptionRow.update(state="ended", live_key=None).execute()
    tick()
    clock.pass_(seconds=60)
    world.sample("api", "probe", "down", 0)
    api(ADD_SUBSCRIPTION, HOOK)
    for _ in range(3):
        clock.pass_(seconds=60)
        world.sample("api", "probe", "down", 0)
        tick()

    assert told() == []
