"""The page of a service answers whether the reader or the service has a problem."""

import pytest

from tests.factories.status import World
from tests.pages.html import Reader

OPERATIONAL = "operational"


@pytest.fixture
def world(api, clock):
    world = World(api, clock)
    world.service("api", name="Api")
    return world


@pytest.fixture
def answer(build_site, output):
    """Return the first sentence below the state of the service."""

    def read():
        build_site()
        html = (output / "status/services/api/index.html").read_text()
        words = Reader(html).words()
        start = words.index("Status data out of date") + len("Status data out of date")
        return words[start:].partition(".")[0].strip()

    return read


@pytest.mark.parametrize(
    ("statuses", "text"),
    [
        ([OPERATIONAL], "The probe reaches Api and finds it working"),
        ([OPERATIONAL] * 3, "All probes reach Api and find it working"),
        (
            [OPERATIONAL, "degraded"],
            "It may not be you: a problem with Api was found by 1 of 2 probes",
        ),
        (
            [OPERATIONAL, "down", "down"],
            "It is probably not you: Api is down according to 2 of 3 probes",
        ),
        (
            ["down", "down"],
            "It is probably not you: all probes report that Api is down",
        ),
        ([], "We cannot tell: Api has not been measured yet"),
    ],
)
def test_answer_of_measurements(world, answer, statuses, text):
    """The answer is based on the probes, and has their number."""
    for number, status in enumerate(statuses):
        world.sample("api", f"probe-{number}", status, -5)

    assert answer() == text


def test_answer_of_old_measurements(world, answer):
    """Without a fresh measurement the answer is unknown."""
    world.sample("api", "probe", OPERATIONAL, -3600)

    assert answer() == "We cannot tell: there is no recent measurement of Api"


def test_answer_of_declarations(world, answer):
    """Maintenance and incidents take precedence over the probes."""
    world.sample("api", "probe", OPERATIONAL, -5)

    world.window("api", -60, 60)
    assert answer() == "It is probably not you: maintenance of Api is in progress"

    world.incident("api")
    assert answer() == "It is probably not you: an incident affects Api"
