"""The pages of an incident and of a window lead on: to services and to feeds."""

import pytest

from tests.pages.html import Reader
from tests.worlds.status import REMOVE, World

FEEDS = {"/status/feed.atom", "/status/feed.rss", "/status/feed.json"}


@pytest.fixture
def pages(ask, clock, build_site, output):
    """Return the pages of an incident, of a window, and the overview."""
    world = World(ask, clock)
    for slug in ("api", "mail", "search"):
        world.service(slug, name=slug.capitalize())
    incident = world.incident("api mail search")
    window = world.window("api mail search", 60, 120)
    ask(REMOVE, {"slug": "mail"})
    ask(REMOVE, {"slug": "search", "purge": True})
    build_site()
    paths = (f"incidents/{incident}/", f"maintenance/{window}/", "")
    files = [output / f"status/{path}index.html" for path in paths]
    return [Reader(file.read_text()) for file in files]


def overview_text(pages):
    return pages[-1].words()


def test_affected_services(pages):
    """Services are links, except those that are no longer on the page."""
    for page in pages:
        hrefs = [link["href"] for link in page.all("a")]

        assert {"Api", "Mail", "Search"} <= set(page.text_of("bdi"))
        assert "/status/services/api/" in hrefs
        assert "/status/services/mail/" not in hrefs
        assert "/status/services/search/" not in hrefs


def test_states_of_affected_services(pages):
    """An active incident says the state of each service that is on the page."""
    incident, window, _ = pages

    assert "Api Degraded" in incident.words()
    assert "Mail Degraded" not in incident.words()
    assert "Affects Api, Mail and Search" in overview_text(pages)
    assert "Degraded" not in window.words()


def test_states_of_a_resolved_incident(ask, clock, build_site, output):
    """A resolved incident says no state, which would have to be kept up to date."""
    world = World(ask, clock)
    world.service("api", name="Api")
    world.sample("api", "a", "operational", -5)
    id = world.incident("api", status="resolved")
    build_site()

    page = Reader((output / f"status/incidents/{id}/index.html").read_text())

    assert "Operational" not in page.words()


def test_feeds(pages):
    """Each page offers the feeds and the calendar."""
    for page in pages:
        hrefs = {link["href"] for link in page.all("a")}

        assert hrefs >= {*FEEDS, "/status/maintenance.ics"}
