"""Links from the pages of incidents and windows to services and feeds."""

import json

import pytest

from tests.factories.status import REMOVE, World
from tests.pages.html import Reader

FEEDS = {"/status/feed.atom", "/status/feed.rss", "/status/feed.json"}


@pytest.fixture
def pages(api, clock, build_site, output):
    """Return the pages of an incident, of a window, and the overview."""
    world = World(api, clock)
    for slug in ("api", "mail", "search"):
        world.service(slug, name=slug.capitalize())
    incident = world.incident("api mail search")
    window = world.window("api mail search", 60, 120)
    api(REMOVE, {"slug": "mail"})
    api(REMOVE, {"slug": "search", "purge": True})
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
    """An active incident has the state of each of its services on the page."""
    incident, window, _ = pages

    assert "Api Degraded" in incident.words()
    assert "Mail Degraded" not in incident.words()
    assert "Affects Api, Mail and Search" in overview_text(pages)
    assert "Degraded" not in window.words()


def test_states_of_a_resolved_incident(api, clock, build_site, output):
    """A resolved incident has no states, which would have to be updated."""
    world = World(api, clock)
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


@pytest.fixture
def many(api, clock, build_site, output):
    """Return how each page names the services of an incident and a window with nine."""
    world, slugs = World(api, clock), "abcdefghi"
    for slug in slugs:
        world.service(slug, name=slug.upper())
    event = " ".join(slugs)
    incident = f"/status/incidents/{world.incident(event)}/"
    window = f"/status/maintenance/{world.window(event, 0, 60)}/"
    build_site()

    def read(path):
        return (output / path.strip("/") / "index.html").read_text()

    return read, incident, window


@pytest.mark.parametrize("path", ["status", "status/history/2026-03"])
def test_many_services(many, path):
    """Lists of events name eight services, and link to the page with the others."""
    read, *hrefs = many

    page = read(path)

    assert Reader(page).words().count("A, B, C, D, E, F, G, H and 1 more") == 2
    for href in hrefs:
        assert f'<a href="{href}">1 more</a>' in page


def test_all_services_on_the_page_of_an_event(many):
    """The pages of an incident and of a window name all services."""
    read, *hrefs = many

    for href in hrefs:
        page = Reader(read(href))
        assert set("ABCDEFGHI") <= set(page.text_of("bdi"))
        assert "more" not in page.words()


@pytest.mark.parametrize("kind", ["incidents", "maintenance"])
def test_many_services_in_feeds(many, output, kind):
    """Entries of feeds name eight services too."""
    items = json.loads((output / "status/feed.json").read_bytes())["items"]
    item = next(item for item in items if kind in item["url"])

    more = f' and <a href="{item["url"]}">1 more</a></p>'
    assert f"<p>Affects: A, B, C, D, E, F, G, H{more}" in item["content_html"]
