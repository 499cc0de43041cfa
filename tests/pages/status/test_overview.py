"""The overview names failing services, folds groups, and shows the days."""

import re

import pytest

from sitegen.status.overview import FEW_SERVICES, MAX_AFFECTED
from tests.factories.status import World
from tests.pages.html import Reader


@pytest.fixture
def world(api, clock):
    return World(api, clock)


@pytest.fixture
def read(build_site, output):
    def built():
        build_site()
        return (output / "status/index.html").read_text()

    return built


def test_banner_names_the_worst(world, read):
    """
    The banner names services that are not operational, worst first, and counts the
    rest.
    """
    statuses = ["operational", "degraded", "down", *["degraded"] * MAX_AFFECTED]
    for number, status in enumerate(statuses):
        world.service(f"s{number}", name=f"S{number}", displayOrder=number)
        world.sample(f"s{number}", "probe", status, -5)

    words = Reader(read()).words()

    assert (
        "Affected: S2 (Major outage), S1 (Degraded), S3 (Degraded), S4 (Degraded)"
        " and 2 more." in words
    )


def test_banner_without_problems(world, read):
    """If all services are operational, none is named."""
    world.service("api")
    world.sample("api", "probe", "operational", -5)

    assert "Affected" not in Reader(read()).words()


def groups(html):
    """Return for each group whether it is unfolded, and the text of its summary."""
    found = re.findall(
        r'<details class="group"( open)?>\n(<summary.*?</summary>)', html
    )
    return {
        key: (bool(is_open), Reader(summary).words())
        for is_open, summary in found
        for key in re.findall('data-key="([^"]*)"', summary)
    }


@pytest.mark.parametrize("count", [FEW_SERVICES, FEW_SERVICES + 1])
def test_groups(world, read, count):
    """A group with a problem is unfolded; the others are if there are few services."""
    for number in range(count):
        name = "Ends" if number in (0, count - 1) else "Middle"
        world.service(f"s{number}", group=name)
        world.sample(f"s{number}", "probe", "down" if not number else "operational", -5)

    found = groups(read())

    assert found["Ends"] == (
        True,
        "Ends Major outageMajor outage when last checked",
    )
    assert found["Middle"] == (
        count <= FEW_SERVICES,
        "Middle OperationalOperational when last checked",
    )


def test_group_that_changes_with_time(world, read):
    """The state of a group changes at the minute at which that of its service does."""
    world.service("api", group="Core")
    world.service("mail", group="Core")
    for slug in ("api", "mail"):
        world.sample(slug, "probe", "operational", -5)
    world.window("mail", 120, 180)

    html = read()

    (summary,) = re.findall("<summary data-key.*?</summary>", html)
    at = "2026-03-01T12:02:00.000Z"
    assert f'<span data-until="{at}"><span class="state">' in summary
    assert f'data-from="{at}" data-tone="maintenance" hidden' in summary


def test_days(world, read):
    """The bars of a service are one choice; a day with events has links to them."""
    world.service("api", name="Api")
    world.sample("api", "probe", "operational", -5)
    id = world.incident("api", title="Slow <b>")
    window = world.window("api", -60, 60, title="Move")

    html = read()

    bars = [found for found in Reader(html).all("input") if found["name"] == "api"]
    assert [found["type"] for found in bars] == ["radio"] * 90
    assert bars[0]["aria-label"] == "2 Dec 2025: No data"
    assert bars[-1]["value"] == "2026-03-01"
    assert bars[-1]["aria-label"] == "1 Mar 2026: Degraded"
    assert (
        '<div data-key="2026-03-01"><p>1 Mar 2026: Degraded</p><ul>'
        f'<li><a href="/status/incidents/{id}/"><bdi>Slow &lt;b&gt;</bdi></a></li>'
        f'<li><a href="/status/maintenance/{window}/"><bdi>Move</bdi></a></li>'
    ) in html
    assert html.count("data-key") == 1


def test_uptime_of_the_days_shown(world, read):
    """Phones, which show the last 30 days, have only the uptime of these."""
    world.service("api")
    for days, status in ((60, "down"), (40, "operational"), (0, "operational")):
        world.sample("api", "probe", status, -days * 86400)

    html = read()

    figures = re.findall(r'<span class="(is-\w+)">(.{1,20} uptime .*?)</span>', html)
    assert figures == [
        ("is-wide", "66.666 % uptime (data from 2 days of 90 days)"),
        ("is-narrow", "100 % uptime (data from 12 hours of 30 days)"),
    ]


def test_response_times(world, read):
    """A service with two adjacent hours has a small chart, with its average."""
    for slug in ("api", "mail"):
        world.service(slug)
        world.sample(slug, "probe", "operational", -5)
    for ago, ms in ((7800, 100), (3700, 300)):
        world.sample("api", "probe", "operational", -ago, responseTimeMs=ms)

    html = read()

    assert html.count('class="spark"') == 1
    assert "Response time in the last 24 hours: " in html


def test_incidents_lead_to_each_other(world, build_site, output):
    """The page of an incident links to the previous and the next one."""
    world.service("api")
    ids = [world.incident("api", title=f"Trouble {n}") for n in range(3)]
    build_site()

    html = (output / f"status/incidents/{ids[1]}/index.html").read_text()

    links = dict(
        re.findall(r'<a rel="(prev|next)" href="/status/incidents/(.*?)/"', html)
    )
    assert sorted(links.values()) == sorted([ids[0], ids[2]])
