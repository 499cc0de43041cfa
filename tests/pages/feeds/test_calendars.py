"""The calendar file of a single window."""

import icalendar
import pytest

from tests.factories.status import World


@pytest.fixture
def world(api, clock):
    world = World(api, clock)
    world.service("api")
    return world


def test_window_to_come(world, build_site, output):
    """The page of a window that is not over has a calendar file to download."""
    id = world.window("api", 60, 120, title="Move")
    build_site()

    page = (output / f"status/maintenance/{id}/index.html").read_text()
    content = (output / f"status/maintenance/{id}.ics").read_bytes()

    assert f'href="/status/maintenance/{id}.ics"' in page
    (event,) = icalendar.Calendar.from_ical(content).walk("VEVENT")
    assert (event["uid"], event["summary"]) == (f"urn:uuid:{id}", "Move")


def test_file(world, build_site, output):
    """The file conforms to RFC 5545 and RFC 7986, line by line."""
    text = "Disks, “new”; see D:\\new.\n" + "Ä" * 40
    id = world.window("api", 60, 120, title="Move", description=text)
    build_site()

    lines = (output / "status/maintenance.ics").read_bytes().split(b"\r\n")

    assert max(map(len, lines)) == 75
    unfolded = b"\n".join(lines).replace(b"\n ", b"").decode().split("\n")
    assert unfolded == [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Masthead//Maintenance//EN",
        "NAME:Masthead maintenance",
        "X-WR-CALNAME:Masthead maintenance",
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
        "X-PUBLISHED-TTL:PT1H",
        "BEGIN:VEVENT",
        "SUMMARY:Move",
        "DTSTART:20260301T120100Z",
        "DTEND:20260301T120200Z",
        "DTSTAMP:20260301T120000Z",
        f"UID:urn:uuid:{id}",
        "SEQUENCE:0",
        "CREATED:20260301T120000Z",
        "DESCRIPTION:Disks\\, “new”\\; see D:\\\\new.\\n"
        + "Ä" * 40
        + "\\n\\nAffects: Service api",
        "LAST-MODIFIED:20260301T120000Z",
        "STATUS:CONFIRMED",
        "TRANSP:TRANSPARENT",
        f"URL:http://127.0.0.1:8000/status/maintenance/{id}/",
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    ]


def test_calendar_without_windows(world, build_site, output):
    """A file must have a component: without events it has the time zone UTC."""
    build_site()

    lines = (output / "status/maintenance.ics").read_text().splitlines()

    assert lines[lines.index("X-PUBLISHED-TTL:PT1H") + 1 :] == [
        "BEGIN:VTIMEZONE",
        "TZID:UTC",
        "BEGIN:STANDARD",
        "DTSTART:19700101T000000",
        "TZOFFSETFROM:+0000",
        "TZOFFSETTO:+0000",
        "END:STANDARD",
        "END:VTIMEZONE",
        "END:VCALENDAR",
    ]


def test_window_of_less_than_a_second(world, api, clock, build_site, output):
    """An event ends after its start, however short it is."""
    world.window("api", 60.25, 60.75)
    build_site()

    content = (output / "status/maintenance.ics").read_bytes()

    (event,) = icalendar.Calendar.from_ical(content).walk("VEVENT")
    assert (event.end - event.start).total_seconds() == 1


def test_window_that_is_over(world, build_site, output):
    """The page of a window that is over has no calendar file."""
    id = world.window("api", -120, -60)
    build_site()

    page = (output / f"status/maintenance/{id}/index.html").read_text()

    assert f"{id}.ics" not in page
    assert not (output / f"status/maintenance/{id}.ics").exists()
