"""The feeds and the calendar, as independent parsers read them."""

import json
from datetime import timedelta

import feedparser
import pytest
from icalendar import Calendar

from tests.conftest import NOON
from tests.factories.status import ADD_UPDATE, UPDATE_INCIDENT, UPDATE_WINDOW, World

HOSTILE = "<script>alert(1)</script> & \u202e *so*\ufffe"


@pytest.fixture
def world(api, clock):
    return World(api, clock)


@pytest.fixture
def incident(world, api, clock):
    """An incident with two updates, a window and an incident of another service."""
    world.service("api")
    world.service("mail")
    id = world.incident("api", title="Slow <b>", body=HOSTILE)
    clock.pass_(minutes=1)
    api(ADD_UPDATE, {"incidentId": id, "status": "identified", "body": "Found."})
    clock.pass_(minutes=1)
    world.window("api", 3600, 7200, title="New disks")
    clock.pass_(minutes=1)
    world.incident("mail", title="Slow mail")
    return id


@pytest.fixture
def read(build_site, output):
    """Build, and read one feed."""

    def parsed(path):
        build_site()
        return feedparser.parse((output / path).read_bytes())

    return parsed


WHOLE = ("status/feed.atom", "status/feed.rss", "history.atom", "history.rss")


@pytest.mark.parametrize("path", WHOLE)
def test_entries(path, incident, read):
    """
    There is one entry for each update of an incident and each window, newest first.
    """
    feed = read(path)

    assert not feed.bozo
    assert [each.title for each in feed.entries] == [
        "Investigating: Slow mail",
        "Scheduled maintenance: New disks",
        "Identified: Slow <b>",
        "Investigating: Slow <b>",
    ]
    assert len({each.id for each in feed.entries}) == 4
    assert all(each.link.startswith("http://127.0.0.1:8000/") for each in feed.entries)


@pytest.mark.parametrize("path", WHOLE)
def test_hostile_body(path, incident, read):
    """The text is escaped, never executed, and the file stays XML."""
    html = read(path).entries[-1].description

    assert "<script" not in html
    assert "alert(1)" in html
    assert "<em>so</em>" in html


def test_ids_never_change(incident, world, api, clock, read):
    """Resolving an incident adds an entry and leaves the others unchanged."""
    before = {each.id: each.updated for each in read("status/feed.atom").entries}
    clock.pass_(minutes=1)
    api(ADD_UPDATE, {"incidentId": incident, "status": "resolved", "body": "Done."})

    after = {each.id: each.updated for each in read("status/feed.atom").entries}

    assert before.items() < after.items()
    assert len(after) == len(before) + 1


def test_nothing_is_dated_ahead(world, clock, read):
    """A future incident or window is dated by when it was created."""
    world.service("api")
    world.incident("api", started=3600)
    world.window("api", 3600, 7200)

    feed = read("status/feed.atom")

    assert {each.updated[:19] for each in feed.entries} == {"2026-03-01T12:00:00"}


def test_window_in_time(world, clock, read):
    """The entry of a window moves when the window opens and ends."""
    world.service("api")
    world.window("api", 60, 120)
    result = {}
    for seconds in (0, 60, 120):
        clock.now = NOON + timedelta(seconds=seconds)
        (entry,) = read("status/feed.atom").entries
        result[entry.updated[11:19]] = entry.title.partition(":")[0]

    assert result == {
        "12:00:00": "Scheduled maintenance",
        "12:01:00": "Maintenance in progress",
        "12:02:00": "Completed maintenance",
    }


def test_own_feed_of_a_service(incident, read):
    """The feed of a service has what affects it."""
    titles = [each.title for each in read("status/services/mail/feed.rss").entries]

    assert titles == ["Investigating: Slow mail"]


def test_json_feed(incident, build_site, output):
    """The feed has the required members of version 1.1."""
    build_site()
    feed = json.loads((output / "status/services/api/feed.json").read_text())

    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert feed["feed_url"].endswith("/status/services/api/feed.json")
    assert len(feed["items"]) == 3
    for each in feed["items"]:
        assert {"id", "url", "title", "content_html", "date_published"} <= each.keys()
        assert each["tags"] == ["api"]


def test_feed_without_news(world, read):
    """The feed of a service without events is empty."""
    world.service("api")

    for ending in ("atom", "rss"):
        feed = read(f"status/services/api/feed.{ending}")
        assert not feed.bozo
        assert feed.entries == []


@pytest.fixture
def events(build_site, output):
    """Build, and return the events of a calendar by their summary."""

    def found(path="status/maintenance.ics"):
        build_site()
        calendar = Calendar.from_ical((output / path).read_bytes())
        return {str(each["summary"]): each for each in calendar.events}

    return found


def test_event(world, events, clock):
    """A window is an event at its times, with the affected services."""
    world.service("api", name="API; the, public\\one")
    id = world.window("api", 60, 120, title="Disks", description="One\ntwo")

    (event,) = events().values()

    assert event["uid"] == f"urn:uuid:{id}"
    assert event.start == clock.now + timedelta(seconds=60)
    assert event.end == clock.now + timedelta(seconds=120)
    assert event["description"] == "One\ntwo\n\nAffects: API; the, public\\one"
    assert event["status"] == "CONFIRMED"
    assert event["url"].endswith(f"/status/maintenance/{id}/")


def test_changed_event(world, api, events, clock):
    """A changed window keeps its uid and gets a higher sequence."""
    world.service("api")
    id = world.window("api", 60, 120, title="Disks")
    before = events()["Disks"]
    clock.pass_(seconds=10)
    api(UPDATE_WINDOW, {"id": id, "status": "cancelled"})

    after = events()["Disks"]

    assert after["uid"] == before["uid"]
    assert after["sequence"] > before["sequence"] == 0
    assert after["last-modified"].dt > before["last-modified"].dt
    assert after["status"] == "CANCELLED"


def test_calendar_of_a_service(world, events):
    """The calendar of a service has the windows that affect it."""
    world.service("api")
    world.service("mail")
    world.window("api", 60, 120, title="Disks")
    world.window("mail api", 60, 120, title="Both")

    assert set(events("status/services/mail/maintenance.ics")) == {"Both"}
    assert set(events("status/services/api/maintenance.ics")) == {"Both", "Disks"}


def test_resolved_by_update(world, api, clock, read):
    """A resolution without text adds no entry."""
    world.service("api")
    id = world.incident("api")
    clock.pass_(minutes=1)
    api(UPDATE_INCIDENT, {"id": id, "status": "resolved"})

    assert len(read("status/feed.atom").entries) == 1
