"""Links in the texts of incidents and maintenance."""

import json
import re
from dataclasses import replace

import pytest

from sitegen.markdown.rendering import render_entry
from tests.factories.status import World
from tests.pages.html import Reader
from tests.pages.markdown.english import ENGLISH

SITE = "https://example.com/docs/v2"
TEXT = "See [the guide](/guides/limits.md#rates) and [nothing](/nowhere/)."
HREF = "/guides/limits/#rates"


@pytest.fixture
def settings(settings):
    """The site is below a path, where an address needs more than the host."""
    return replace(settings, site_url=SITE)


@pytest.fixture
def site(api, clock, docs_project, build_site, output):
    docs_project.publish("limits", "## Rates\n")
    world = World(api, clock)
    world.service("api")
    world.incident("api", body=TEXT)
    world.window("api", 60, 120, description=TEXT)
    build_site()
    return output


def links_in(html):
    """Return the addresses of the links to the guide, and of broken links."""
    link = r'<a[^>]* href="([^"]*)"[^>]*>(?:the guide|nothing)</a>'
    return re.findall(link, html)


@pytest.mark.parametrize(
    "page", ["status", "status/incidents/*", "status/maintenance/*"]
)
def test_pages(site, page):
    """A link from the root works on the page, like one in a document."""
    for path in site.glob(f"{page}/index.html"):
        links = links_in(path.read_text())

        assert set(links) == {f"/docs/v2{HREF}"}


def test_feeds(site):
    """Feeds are read elsewhere, so links have the whole address."""
    feed = json.loads((site / "status/feed.json").read_text())

    links = [links_in(item["content_html"]) for item in feed["items"]]

    assert links == [[f"{SITE}{HREF}"]] * 2


def test_calendar(site):
    """A calendar has the texts as written, with whole addresses."""
    lines = (site / "status/maintenance.ics").read_bytes().replace(b"\r\n ", b"")

    text = f"DESCRIPTION:See the guide ({SITE}{HREF}) and nothing.\\n\\nAffects"
    assert text.encode() in lines


@pytest.mark.parametrize(
    ("target", "href"),
    [
        ("/", "/"),
        ("/guides/", "/guides/"),
        ("/guides/index.json", "/guides/"),
        ("/support/a-b", "/support/a-b/"),
        ("/products/a.md?b=c#d", "/products/a/?b=c#d"),
        ("/guides/ä%20b", "/guides/%C3%A4%20b/"),
        ("/status/history/", "/status/history/"),
        ("/openapi.json", "/openapi.json"),
        # Of a single build, or of no build.
        ("/assets/a.js", None),
        ("/files/a.png", None),
        ("/elsewhere/", None),
        ("/%2F/example.com/", None),
        ("//example.com/guides/", None),
        ("/guides/\u202e", None),
        ("guides/a", None),
        ("#a", None),
    ],
)
def test_address(target, href):
    """An address that cannot exist on the site becomes text."""
    links = [
        e.get("href")
        for e in Reader(render_entry(f"[a](<{target}>)", ENGLISH)).all("a")
    ]

    assert links == ([href] if href else [])
