"""Which changes make events for subscribers, and what the events contain."""

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
    """Record the events of the clock, and return whether pages show them."""
    return lambda: record_clock_events(
        clock.now,
        freshness=settings.freshness,
        reminder_after=settings.reminder_after,
    )


@pytest.fixture
def event_types(store):
    """The types of the events so far, oldest first."""

    def types():
        return [row.type for row in EventRow.select().order_by(EventRow.number)]

    return types


def test_incident(world, api, event_types):
    """An incident is opened, updated, resolved and reopened: one event for each."""
    id = world.incident("api")
    for body, status in [
        ("It is the cache.", "identified"),
        ("Done.", "resolved"),
        ("Not yet.", "monitoring"),
        ("Still looking.", "monitoring"),
    ]:
        api(ADD_UPDATE, {"incidentId": id, "body": body, "status": status})

    assert event_types() == [
        "incident.opened",
        "incident.updated",
        "incident.resolved",
        "incident.reopened",
        "incident.updated",
    ]


def test_data_of_an_incident(world):
    """An event has the incident as the API shows it, and the generation of its page."""
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
    """An event is due with the generation in the response to the change."""
    response = api(
        ADD_INCIDENT,
        {"title": "Errors", "severity": "degraded", "services": ["api"], "body": "…"},
    )

    assert EventRow.get().generation == int(response.headers["Site-Generation"])


def test_newest_updates(world, api):
    """An event of a long incident has the newest updates."""
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
def test_changed_fields(world, api, event_types, change, type):
    """A new status or severity makes an event; a corrected title does not."""
    id = world.incident("api")
    api(UPDATE_INCIDENT, {"id": id} | change)

    assert event_types()[1:] == ([type] if type else [])


def test_without_notify(world, api, event_types):
    """A change with `notify: false` makes no event, and no response shows it."""
    options = {"notify": False}
    id = world.incident("api", **options)
    answer = api(ADD_UPDATE, {"incidentId": id, "body": "A typo."} | options)
    window = world.window("api", 60, 120, **options)
    api(UPDATE_WINDOW, {"id": window, "title": "Better"} | options)

    assert event_types() == []
    assert "notify" not in json.dumps(answer.json)


def test_nothing_is_told_of_what_is_not_kept(world, api, event_types):
    """A dry run, a rejected request and a repeat make no event."""
    body = {"title": "Errors", "severity": "degraded", "services": ["api"]}
    api(ADD_INCIDENT, body | {"body": "…"}, headers={"Dry-Run": "true"})
    api(ADD_INCIDENT, body | {"body": "…", "services": ["unknown"]})
    assert event_types() == []

    for _ in range(2):
        api(ADD_INCIDENT, body | {"body": "…"})
    assert event_types() == ["incident.opened"]


def test_window(world, api, clock, tick, event_types):
    """
    A window is scheduled, changed, started and completed, with one event for each.
    """
    id = world.window("api", 60, 120)
    api(UPDATE_WINDOW, {"id": id, "title": "Longer"})
    for seconds in (30, 30, 30, 30, 30):
        clock.pass_(seconds=seconds)
        for _ in range(2):
            tick()

    assert event_types() == [
        "maintenance.scheduled",
        "maintenance.changed",
        "maintenance.started",
        "maintenance.completed",
    ]


def test_window_that_is_moved_starts_again(world, api, clock, tick, event_types):
    """A window that has started and gets a later start has a second start event."""
    id = world.window("api", 60, 1200)
    clock.pass_(seconds=60)
    tick()
    api(UPDATE_WINDOW, {"id": id, "startsAt": world.text(60)})
    clock.pass_(seconds=60)
    tick()

    assert event_types().count("maintenance.started") == 2


@pytest.mark.parametrize("status", ["cancelled", "completed"])
def test_window_that_an_operator_ends(world, api, clock, tick, event_types, status):
    """A window that an operator ends has one event, and the clock adds none."""
    id = world.window("api", 60, 120)
    api(UPDATE_WINDOW, {"id": id, "status": status})
    clock.pass_(seconds=150)
    tick()
    api(UPDATE_WINDOW, {"id": id, "title": "Over"})

    assert event_types() == ["maintenance.scheduled", f"maintenance.{status}"]


def test_window_that_notifies_nobody(world, api, clock, tick, event_types):
    """A window scheduled without notice has no events until an update notifies."""
    id = world.window("api", 60, 120, notify=False)
    clock.pass_(seconds=60)
    tick()
    assert event_types() == []

    api(UPDATE_WINDOW, {"id": id, "title": "Now for all"})
    tick()
    assert event_types() == ["maintenance.changed", "maintenance.started"]


@pytest.mark.parametrize("notify", [True, False])
def test_window_that_an_operator_starts(world, api, clock, tick, event_types, notify):
    """
    A window that an operator starts has one start event, or none without `notify`.
    """
    id = world.window("api", 60, 120)
    times = {"startsAt": world.text(0), "endsAt": world.text(60)}
    api(UPDATE_WINDOW, {"id": id, "notify": notify, **times})
    for _ in range(2):
        clock.pass_(seconds=60)
        tick()

    expected = ["maintenance.started", "maintenance.completed"] if notify else []
    assert event_types() == ["maintenance.scheduled", *expected]


def test_start_of_a_window_is_built(world, clock, tick):
    """The start event of a window has the generation whose pages show the start."""
    world.window("api", 60, 120)
    before = EventRow.get().generation
    clock.pass_(seconds=60)

    assert tick()
    started = EventRow.get(EventRow.type == "maintenance.started")
    assert started.generation > before


def test_state_that_holds(world, api, clock, tick, event_types):
    """A state makes an event once it has lasted a minute; a shorter one does not."""

    def at(seconds, status):
        clock.pass_(seconds=seconds)
        world.sample("api", "probe", status, 0)
        tick()

    at(0, "operational")
    at(10, "down")
    at(59, "operational")
    assert event_types() == []

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
    """Return the changes of state that have an event, oldest first."""

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
    """A state counts from the moment of the subscription, not from the next check."""
    world = World(api, clock)
    world.service("api")
    world.sample("api", "probe", "operational", 0)
    events = ["incident.opened"] + ["service.state-changed"] * has_event_from_the_start
    added = api(ADD_SUBSCRIPTION, HOOK | {"events": events}).json["data"]
    if not has_event_from_the_start:
        tick()
        change = {"id": added["id"], "events": ["service.state-changed"]}
        assert api(UPDATE_SUBSCRIPTION, change).status_code == 200

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
    """
    States are recorded during a quarantine too, so that no change is lost when it ends.
    """
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


def test_publication(docs_project, clock, event_types):
    """A document that appears on the site, or leaves it, makes an event."""
    subscribe(clock.now)
    document = docs_project.publish("intro", title="Introduction")
    docs_project.release(document)
    docs_project.withdraw(document)

    assert event_types() == ["document.published", "document.unpublished"]
    event = EventRow.get()
    assert event.data["document"] == {
        "id": document["id"],
        "slug": "intro",
        "collection": "guides",
        "title": "Introduction",
        "version": 1,
    }
    assert (event.area, event.path) == ("docs", "/guides/intro/")


def test_reminders(world, api, clock, tick, event_types):
    """
    Subscribers who chose it are reminded once of a silent incident, and of a window.
    """
    id = world.incident("api")
    world.window("api", 4 * HOUR, 5 * HOUR)
    clock.pass_(hours=4, seconds=1)
    tick()
    assert not set(event_types()) & REMINDERS

    subscribe(clock.now, "https://pager/", events=sorted(REMINDERS))
    world.window("api", 3 * HOUR + 1, 5 * HOUR)
    tick()
    tick()
    assert event_types()[-1] == "incident.reminder"
    clock.pass_(seconds=1)
    tick()
    assert event_types()[-1] == "maintenance.reminder"

    api(ADD_UPDATE, {"incidentId": id, "body": "Still looking."})
    clock.pass_(hours=3, minutes=59)
    tick()
    assert event_types().count("incident.reminder") == 1
    clock.pass_(minutes=1, seconds=1)
    tick()
    assert event_types().count("incident.reminder") == 2


def test_states_of_a_time_without_subscribers(world, api, clock, tick, event_types):
    """A state that changed while there were no subscribers makes no event later."""
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

    assert event_types() == []
