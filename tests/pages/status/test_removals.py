"""Removed incidents and maintenance windows on the site."""

import json
from datetime import timedelta
from pathlib import Path

import icalendar
import pytest

from models.base import MILLISECOND
from models.fields import format_moment
from tests.factories.status import REMOVE_INCIDENT, REMOVE_WINDOW, World

HOUR = 3600


@pytest.fixture
def world(api, clock):
    world = World(api, clock)
    world.service("api", name="Public API")
    return world


@pytest.fixture
def incident(world):
    return world.incident("api", title="Swordfish", body="A sunfish.")


@pytest.fixture
def window(world):
    return world.window("api", HOUR, 2 * HOUR, title="Jellyfish", description="Ray.")


@pytest.fixture
def removed(api, clock, build_site, incident, window):
    """An incident and a window that were on the site, removed a minute later."""
    build_site()
    clock.pass_(minutes=1)
    api(REMOVE_INCIDENT, {"id": incident})
    api(REMOVE_WINDOW, {"id": window})
    build_site()


@pytest.fixture
def read(settings):
    return lambda name: (Path(settings.output) / name).read_text(encoding="utf-8")


def test_words_are_nowhere(removed, settings, read):
    """No file of the site has the text or links of removed content."""
    files = [path for path in Path(settings.output).rglob("*") if path.is_file()]

    texts = [
        path.read_text(errors="replace")
        for path in files
        if path.parent.name != "builds" and path.name != "build.json"
    ]
    for word in ("Swordfish", "sunfish", "Jellyfish", "Ray."):
        assert not any(word in text for text in texts), word
    sitemap = read("sitemaps/status.xml")
    assert "/incidents/" not in sitemap
    assert "/maintenance/" not in sitemap


def test_purged_addresses(removed, incident, window, read):
    """A CDN is told to purge the pages, their JSON, and the lists."""
    live = json.loads(read("build.json"))["generation"]
    purge = set()
    for number in range(live, 0, -1):
        changes = json.loads(read(f"builds/{number}.json"))
        purge |= set(changes["purge"])
        if f"status/incidents/{incident}/index.html" in changes["removed"]:
            break

    for path in (
        f"/status/incidents/{incident}/",
        f"/status/incidents/{incident}.json",
        f"/status/maintenance/{window}/",
        f"/status/maintenance/{window}.json",
        "/status/",
        "/status/feed.atom",
        "/status/maintenance.ics",
        "/api/v2/incidents.json",
    ):
        assert any(address.endswith(path) for address in purge), path


@pytest.mark.parametrize("end", ["/", "", ".json", "/index.html"])
def test_addresses_answer_410(app, removed, incident, window, end):
    """The server responds with 410 and a page for all addresses of removed content."""
    client = app.test_client()

    for folder, title in (
        (f"/status/incidents/{incident}", b"Incident removed"),
        (f"/status/maintenance/{window}", b"Maintenance removed"),
    ):
        response = client.get(folder + end, buffered=True)
        assert response.status_code == 410
        assert title in response.data
        assert b'<meta name="robots" content="noindex">' in response.data
        assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert client.get("/status/incidents/ghost" + end).status_code == 404


def test_calendars(removed, window, clock, read):
    """
    Calendars have a removed window as cancelled, with a higher sequence and without
    text.
    """
    for name in ("status/maintenance.ics", "status/services/api/maintenance.ics"):
        calendar = icalendar.Calendar.from_ical(read(name))

        (event,) = calendar.walk("VEVENT")
        assert event["uid"] == f"urn:uuid:{window}"
        assert event["status"] == "CANCELLED"
        assert event["summary"] == "Cancelled maintenance"
        assert event["sequence"] == 60
        assert event.decoded("last-modified") == clock.now
        assert event.decoded("dtstart") == clock.now + timedelta(seconds=HOUR - 60)
        assert "description" not in event
        assert "url" not in event


def test_calendar_of_an_old_window(removed, clock, build_site, read):
    """After the history period, a removed window leaves the calendars like others."""
    clock.pass_(days=91)
    build_site()

    assert "VEVENT" not in read("status/maintenance.ics")


def test_statuspage_is_newer(removed, clock, read):
    """Clients of Statuspage v2 see that the page has changed."""
    page = json.loads(read("api/v2/summary.json"))["page"]

    # The window is removed an instant after the incident.
    assert page["updated_at"] == format_moment(clock.now + MILLISECOND)
    assert json.loads(read("api/v2/incidents.json"))["incidents"] == []
