"""Names that change the text direction, and control characters, in plain files."""

import json
import re
from xml.etree import ElementTree

import pytest
from icalendar import Calendar

from models.display_text import balance_directions
from tests.factories.status import World

HOSTILE = "\u2069\u202eevil"
# Each of these ends a line for some program.
LINES = "First.\r\nX-EVIL:1\x85X-EVIL:2\u2028X-EVIL:3\u2029X-EVIL:4"
CONTROLS = re.compile("[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\u2028\u2029]")


@pytest.fixture
def hostile_site(api, clock, build_site, output):
    world = World(api, clock)
    world.service("api", name=HOSTILE)
    world.incident("api", title=HOSTILE)
    world.window("api", 0, 3600, title=HOSTILE, description=LINES)
    build_site()
    return output


def lines_about_the_name(output):
    for path in ("status/feed.atom", "status/feed.rss", "status/services/api/feed.rss"):
        for element in ElementTree.fromstring((output / path).read_text()).iter():
            yield from (element.text or "").splitlines()
    for item in json.loads((output / "status/feed.json").read_text())["items"]:
        yield from (item["title"], *item["content_html"].splitlines())
    for path in ("status.txt", "status/badges/api.svg"):
        yield from (output / path).read_text().splitlines()
    for file in output.glob("status/**/*.html"):
        title = re.search("<title>(.*)</title>", file.read_text())
        yield from (title[1], *re.findall('content="(.*)"', file.read_text()))


def test_names_end_their_direction(hostile_site):
    """A name does not change the direction of the text that follows it in a line."""
    lines = [line for line in lines_about_the_name(hostile_site) if "evil" in line]

    assert len(lines) > 20
    assert [line for line in lines if balance_directions(line) != line] == []
    # The direction ends with the name, not with the line.
    assert [line for line in lines if re.search("evil(?!\u202c)", line)] == []


def test_calendar_has_no_control_characters(hostile_site):
    """No text of a window can start a new line of the calendar, in any parser."""
    text = (hostile_site / "status/maintenance.ics").read_bytes().decode()

    assert CONTROLS.search(text) is None
    assert [line for line in text.splitlines() if line.startswith("X-EVIL")] == []
    description = Calendar.from_ical(text).events[0]["description"]
    assert description.splitlines()[:2] == ["First.", "X-EVIL:1"]
