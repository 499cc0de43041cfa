"""Feeds, calendars and badges in the language of the site."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import feedparser
import pytest
from icalendar import Calendar

from tests.factories.languages import (
    END,
    START,
    add_marked_languages,
    unmarked_parts,
    unmarked_words,
    words_of_dates,
)
from tests.factories.status import UPDATE_WINDOW, World

SVG = "{http://www.w3.org/2000/svg}"
XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
TITLES = ["Disks", "Slow", "Errors"]
# Texts of operators, and dates and lists.
KNOWN = {*TITLES, "Acme", "API", "Mail", "Words."}
KNOWN |= {"במרץ", "וMail"} | words_of_dates()


@pytest.fixture(params=["sv", "he"])
def tag(request):
    return request.param


@pytest.fixture
def settings(settings, tmp_path, tag):
    templates = add_marked_languages(tmp_path / "own", tag)
    return replace(settings, language=tag, templates=templates, site_name="Acme")


@pytest.fixture
def site(api, clock, build_site, output):
    """A site with an incident, a planned window and a cancelled window."""
    world = World(api, clock)
    world.service("api", name="API")
    world.service("mail", name="Mail")
    world.incident("api mail", title="Slow", body="Words.")
    world.window("api", 3600, 7200, title="Disks", description="")
    id = world.window("api", 3600, 7200, title="Errors", description="")
    api(UPDATE_WINDOW, {"id": id, "status": "cancelled"})
    build_site()
    return output


@pytest.mark.parametrize("name", ["status/feed", "status/services/api/feed"])
def test_feeds(site, tag, name):
    """A feed has its language, and everything except operators' texts is in it."""
    atom = (site / f"{name}.atom").read_bytes()
    rss = (site / f"{name}.rss").read_bytes()
    data = json.loads((site / f"{name}.json").read_text())

    assert ElementTree.fromstring(atom).get(XML_LANG) == tag
    assert ElementTree.fromstring(rss).findtext("channel/language") == tag
    assert data["language"] == tag
    titles = [data["title"], *(item["title"] for item in data["items"])]
    for feed in map(feedparser.parse, (atom, rss)):
        assert not feed.bozo
        assert [feed.feed.title, *(each.title for each in feed.entries)] == titles
    assert unmarked_parts(titles, KNOWN) == []
    for item in data["items"]:
        assert unmarked_words(item["content_html"], KNOWN, tag=tag) == []
        assert ("rtl" in item["content_html"]) == (tag == "he")
    description = ElementTree.fromstring(rss).findtext("channel/description")
    assert unmarked_parts([description], KNOWN) == []


@pytest.mark.parametrize("name", ["status", "status/services/api"])
def test_calendars(site, tag, name):
    """The name of a calendar and our text in it are in the language of the site."""
    calendar = Calendar.from_ical((site / name / "maintenance.ics").read_bytes())

    assert calendar["prodid"] == "-//Masthead//Maintenance//EN"
    assert calendar["name"] == calendar["x-wr-calname"]
    assert START in calendar["name"]
    assert unmarked_parts([calendar["name"]], KNOWN) == []
    assert {str(event["summary"]) for event in calendar.events} == {"Disks", "Errors"}
    for event in calendar.events:
        assert event["description"] == f"{START}Affects: {END}API"


def test_removed_window_in_a_calendar(api, clock, build_site, output):
    """The remains of a removed window are in the language of the site."""
    world = World(api, clock)
    world.service("api")
    id = world.window("api", 3600, 7200)
    api("POST /status/v1/admin/maintenance/remove", {"id": id})
    build_site()

    text = (output / "status/maintenance.ics").read_bytes()

    (event,) = Calendar.from_ical(text).events
    assert event["summary"] == f"{START}Cancelled maintenance{END}"


@pytest.mark.parametrize("name", ["badge", "badges/api"])
def test_badges(site, tag, name):
    """A badge is in the language, and mirrored for right-to-left languages."""
    svg = ElementTree.fromstring((site / f"status/{name}.svg").read_bytes())

    assert svg.get(XML_LANG) == tag
    title = svg.findtext(f"{SVG}title")
    assert START in title
    assert unmarked_parts([title], KNOWN) == []
    texts = [each.text for each in svg.iter(f"{SVG}text")]
    own_name = texts[-1 if tag == "he" else 0]
    assert own_name == ("Acme" if name == "badge" else "API")
    assert texts[0 if tag == "he" else 1].startswith(START)
    direction = svg.find(f"{SVG}g").get("direction")
    assert direction == ("rtl" if tag == "he" else None)
    (first, second) = svg.iter(f"{SVG}rect")
    starts = [int(each.get("x")) for each in svg.iter(f"{SVG}text")]
    width = int(first.get("width"))
    padding = starts[0] if tag == "sv" else width - starts[0]
    assert padding == 6
    assert starts[1] == (
        width + 6 if tag == "sv" else width + int(second.get("width")) - 6
    )


def test_what_programs_read(site):
    """
    The text for terminals, and the JSON for shields.io and Statuspage, are English.
    """
    for name in ("status.txt", "status/badges/api.json", "api/v2/summary.json"):
        text = (site / name).read_text()
        assert START not in text
        assert "\\u27e6" not in text
