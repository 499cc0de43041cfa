"""The front page is for the public: it shows problems, and no hints for operators."""

from dataclasses import replace
from pathlib import Path

import pytest

from sitegen.builder.build import build
from sitegen.page import BuildContext
from sitegen.theme.site_theme import site_theme
from tests.factories.status import World
from tests.pages.html import Reader


@pytest.fixture
def world(api, clock):
    return World(api, clock)


@pytest.fixture
def front(build_site, output):
    """Build the site and return the front page."""

    def read():
        build_site()
        return Reader((output / "index.html").read_text())

    return read


def main_of(html):
    return html.partition("<main")[2].partition("</main>")[0]


def test_outage(world, front):
    """During an outage the page has the incident, its severity and its start."""
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


def test_order_of_active_incidents(world, front, output):
    """Pages list active incidents alike: the most severe first, then the newest."""
    world.service("api")
    severities = ("partial-outage", "degraded", "major-outage", "degraded")
    for age, severity in enumerate(severities):
        world.incident("api", severity, age - 9)

    pages = front(), Reader((output / "status" / "index.html").read_text())

    for page in pages:
        titles = [text for text in page.text_of("bdi") if text.startswith("Trouble")]
        assert list(dict.fromkeys(titles))[:3] == [
            "Trouble 3",
            "Trouble 1",
            "Trouble 4",
        ]


def test_resolved_incident(world, front):
    """Only active incidents are named."""
    world.service("api")
    world.incident("api", status="resolved")

    assert "Trouble" not in front().words()


def test_empty_site(front):
    """An empty site says so in one sentence, and shows no status."""
    words = front().words()

    assert "Masthead Search Nothing has been published here yet. Status" in words


def test_newest_documents(docs_project, clock, front):
    """The newest day is first, once; documents of a day are in reading order."""
    for position, day, slug in ((3, 0, "c"), (2, 1, "b"), (1, 1, "a")):
        clock.pass_(days=day, seconds=1)
        docs_project.publish(slug, title=slug.upper(), position=position)
    clock.pass_(days=1)
    docs_project.publish("d", title="D", position=9)

    words = front().words().partition("What is new")[2]

    days = ("4 March 2026 D", "3 March 2026 A", "2 March 2026 B", "1 March 2026 C")
    assert [words.index(day) for day in days] == sorted(map(words.index, days))


def test_documents_of_one_day(docs_project, clock, front):
    """Each date is shown once, and later publications do not change the order."""
    for position, slug in enumerate("abc"):
        clock.pass_(seconds=1)
        docs_project.publish(slug, title=slug.upper(), position=position)

    words = front().words().partition("What is new")[2]

    assert words.startswith(" 1 March 2026 A B C")


def test_tagline(settings, clock, store):
    """The tagline is on the front page, and in its description for search engines."""
    result = replace(settings, tagline="All about <us>.")

    build(BuildContext(clock.now, result, site_theme(result)))

    html = (Path(settings.output) / "index.html").read_text()
    assert '<p class="lead"><bdi>All about &lt;us&gt;.</bdi></p>' in html
    assert '<meta name="description" content="All about &lt;us&gt;.">' in html


def test_status_as_front_page(settings, clock, world, docs_project):
    """The status page can be the front page; its own address is the canonical one."""
    world.service("api")
    docs_project.publish("start")
    result = replace(settings, front="status")

    report = build(BuildContext(clock.now, result, site_theme(result)))

    output = Path(settings.output)
    front = (output / "index.html").read_text()
    status = (output / "status/index.html").read_text()
    assert report.failed == []
    canonical = f'<link rel="canonical" href="{settings.site_url}/status/">'
    assert canonical in front
    assert canonical in status
    assert main_of(front) == main_of(status)
    assert '<a href="/guides/">' in front


def test_hints_are_for_operators(world, front):
    """Neither an empty site nor one without measurements shows commands."""
    empty = front()
    world.service("api")
    never_measured = front()

    for page in (empty, never_measured):
        assert "code" not in dict(page.elements)
        assert "app.py" not in page.words()
