"""Uptime over HTTP."""

import pytest

from models.status.measurements.rollups import roll_up
from tests.factories.status import GET_UPTIME, UPDATE_WINDOW, World

pytestmark = pytest.mark.both_engines


@pytest.fixture
def world(api, clock):
    world = World(api, clock)
    world.service("api")
    return world


@pytest.fixture
def read_uptime(api):
    def read(**more):
        return api(GET_UPTIME, {"slug": "api"} | more).json["data"]

    return read


def test_without_samples(world, read_uptime):
    """Without samples there is no percentage; the default period is a day."""
    assert read_uptime() == {
        "slug": "api",
        "period": "24h",
        "from": world.text(-86400),
        "to": world.text(),
        "uptimePct": None,
        "samples": 0,
        "intervalSeconds": 60,
        "avgResponseTimeMs": None,
    }


@pytest.mark.parametrize(
    ("period", "days"), [("24h", 1), ("7d", 7), ("30d", 30), ("90d", 90)]
)
def test_window(world, read_uptime, period, days):
    """The period is (now - period, now]: its start is excluded, its end included."""
    for seconds in (-days * 86400, -days * 86400 + 0.001, 0, 0.001):
        world.sample("api", "a", "operational", seconds)

    answer = read_uptime(period=period)

    assert answer["period"] == period
    assert answer["from"] == world.text(-days * 86400)
    assert answer["samples"] == 2


@pytest.mark.parametrize("period", ["", "1d", "24H", "90", "365d"])
def test_wrong_period(api, world, period):
    """The period is one of the four, or omitted."""
    response = api(GET_UPTIME, {"slug": "api", "period": period})

    assert response.status_code == 422
    assert response.json["errors"][0]["parameter"] == "period"


def test_percentage(world, read_uptime):
    """Degraded counts as up; the percentage is rounded down to three decimals."""
    for n, status in enumerate(["operational", "degraded", "down"]):
        world.sample("api", "a", status, -n)

    assert read_uptime()["uptimePct"] == 66.666


def test_average(world, read_uptime):
    """The mean of the response times that are not down, with halves rounded up."""
    for n, (status, ms) in enumerate(
        [("operational", 1), ("degraded", 2), ("down", 500), ("operational", None)]
    ):
        world.sample("api", "a", status, -n, responseTimeMs=ms)

    assert read_uptime()["avgResponseTimeMs"] == 2


@pytest.mark.parametrize("rolled", [False, True])
def test_maintenance_is_left_out(api, clock, world, read_uptime, rolled):
    """Samples in [startsAt, endsAt) do not count, unless the window is cancelled."""
    world.service("mail")
    for seconds in (-7200.001, -7200, -3600.001, -3600):
        world.sample("api", "a", "down", seconds)
    if rolled:
        roll_up(clock.now)

    world.window("mail", -9000, 0)
    id = world.window("api", -7200, -3600)

    assert read_uptime()["samples"] == 2
    api(UPDATE_WINDOW, {"id": id, "status": "completed"})
    assert read_uptime()["samples"] == 2
    api(UPDATE_WINDOW, {"id": id, "status": "cancelled"})
    assert read_uptime()["samples"] == 4


def test_incidents_do_not_enter(world, read_uptime):
    """Incidents are not measurements and do not affect uptime."""
    world.sample("api", "a", "operational", -10)
    world.incident("api", "major-outage", -60)

    assert read_uptime()["uptimePct"] == 100.0
