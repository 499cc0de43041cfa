"""The front page is for the public: it says what is the matter, and gives no hints."""

import pytest

from tests.pages.html import Reader
from tests.worlds.status import World


@pytest.fixture
def world(ask, clock):
    return World(ask, clock)


@pytest.fixture
def front(build_site, output):
    """Build the site and return the front page."""

    def read():
        build_site()
        return Reader((output / "index.html").read_text())

    return read


def test_outage(world, front):
    """During an outage the page names the incident, its severity and its start."""
    world.service("api")
    id = world.incident("api", "major-outage", -3600, title="Gone <away>")

    page = front()

    assert "Gone <away> Major outage, since 1 Mar 2026, 11:00 UTC" in page.words()
    assert {"href": f"/status/incidents/{id}/"} in page.all("a")


def test_many_incidents(world, front):
    """Three incidents are named, the most severe first; the others are counted."""
    world.service("api")
    severities = ("degraded", "major-outage", "degraded", "degraded")
    for age, severity in enumerate(severities):
        world.incident("api", severity, -age)

    page = front()

    titles = [text for text in page.text_of("bdi") if text.startswith("Trouble")]
    assert titles == ["Trouble 2", "Trouble 1", "Trouble 3"]
    assert "1 more active incident" in page.text_of("a")


def test_resolved_incident(world, front):
    """Only active incidents are named."""
    world.service("api")
    world.incident("api", status="resolved")

    assert "Trouble" not in front().words()


def test_empty_site(front):
    """An empty site says so in one sentence, and shows no status of nothing."""
    words = front().words()

    assert "Dark theme Masthead Nothing has been published here yet. Status" in words


def test_hints_are_for_operators(world, front):
    """Neither an empty site nor one that was never measured shows commands."""
    empty = front()
    world.service("api")
    never_measured = front()

    for page in (empty, never_measured):
        assert "code" not in dict(page.elements)
        assert "app.py" not in page.words()
