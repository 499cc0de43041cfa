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


def test_affected_services(pages):
    """Services are links, except those that are no longer on the page."""
    for page in pages:
        hrefs = [link["href"] for link in page.all("a")]

        assert "Api, Mail, Search" in page.words()
        assert "/status/services/api/" in hrefs
        assert "/status/services/mail/" not in hrefs
        assert "/status/services/search/" not in hrefs


def test_feeds(pages):
    """Each page offers the feeds and the calendar."""
    for page in pages:
        hrefs = {link["href"] for link in page.all("a")}

        assert hrefs >= {*FEEDS, "/status/maintenance.ics"}
