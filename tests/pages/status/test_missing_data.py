"""Services without data are named where the overall status is unavailable."""

import pytest

from tests.factories.status import World
from tests.pages.html import Reader

PAGES = ("index.html", "status/index.html")


@pytest.fixture
def world(api, clock):
    return World(api, clock)


@pytest.fixture
def sentences(build_site, output):
    """
    Return the sentences about missing data on the front page, overview and status.txt.
    """

    def read():
        build_site()
        texts = [Reader((output / path).read_text()).words() for path in PAGES]
        texts.append((output / "status.txt").read_text().replace("\n", ".\n"))
        found = [text.partition("Without data: ")[2] for text in texts]
        return {text.partition(".")[0] for text in found}

    return read


def test_services_without_data(world, sentences):
    """
    Each service is named with the time of its last measurement, or as never measured.
    """
    for slug in ("api", "mail", "search"):
        world.service(slug, name=slug.capitalize())
    world.sample("api", "a", "operational", -5)
    world.sample("mail", "a", "operational", -3600)

    assert sentences() == {
        "Mail (since 1 Mar 2026, 11:00 UTC) and Search (never measured)"
    }


def test_many_services_without_data(world, sentences):
    """Three are named, and the others are counted."""
    for number in range(5):
        world.service(f"s{number}", name=f"S{number}", displayOrder=number)

    assert sentences() == {
        "S0 (never measured), S1 (never measured), S2 (never measured) and 2 more"
    }


def test_services_in_maintenance_without_data(world, sentences):
    """If no state is unknown but no measurement is fresh, all services are named."""
    world.service("api", name="API")
    world.window("api", -60, 60)

    assert sentences() == {"API (never measured)"}


def test_worse_overall_status(world, sentences):
    """A state that is worse than missing data decides the overall status alone."""
    for slug in ("api", "mail"):
        world.service(slug)
    world.incident("api", "major-outage")

    assert sentences() == {""}
