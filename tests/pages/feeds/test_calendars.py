"""A window as a calendar of its own."""

import icalendar
import pytest

from tests.worlds.status import World


@pytest.fixture
def world(ask, clock):
    world = World(ask, clock)
    world.service("api")
    return world


def test_window_to_come(world, build_site, output):
    """A window that is not over can be added to a calendar, from its page."""
    id = world.window("api", 60, 120, title="Move")
    build_site()

    page = (output / f"status/maintenance/{id}/index.html").read_text()
    content = (output / f"status/maintenance/{id}.ics").read_bytes()

    assert f'href="/status/maintenance/{id}.ics"' in page
    (event,) = icalendar.Calendar.from_ical(content).walk("VEVENT")
    assert (event["uid"], event["summary"]) == (f"urn:uuid:{id}", "Move")


def test_window_that_is_over(world, build_site, output):
    """One that is over cannot."""
    id = world.window("api", -120, -60)
    build_site()

    page = (output / f"status/maintenance/{id}/index.html").read_text()

    assert f"{id}.ics" not in page
    assert not (output / f"status/maintenance/{id}.ics").exists()
