"""Which part of its period an uptime percentage covers."""

from datetime import timedelta

import pytest

from models.status.uptime.uptime import PERIODS
from sitegen.page import BuildContext
from sitegen.status.service_data import ServiceReader
from sitegen.theme.site_theme import site_theme
from tests.factories.status import World

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def measured_parts(api, clock, settings):
    """Return the measured part of each period, for samples of these ages."""

    def read(*ages, sources=1):
        world = World(api, clock)
        world.service("api")
        for age in ages:
            for number in range(sources):
                world.sample("api", f"s{number}", "down", -age.total_seconds())
        context = BuildContext(clock.now, settings, site_theme(settings))
        data = ServiceReader(context).data_of("api")
        return [data.measured_part(context, each) for each in data.detail.uptime]

    return read


def test_service_measured_for_minutes(measured_parts):
    """Two minutes are two minutes of every period, whatever the number of sources."""
    parts = measured_parts(2 * MINUTE, MINUTE, timedelta(0), sources=3)

    assert parts == [
        f"2 minutes of {period}"
        for period in ("24 hours", "7 days", "30 days", "90 days")
    ]


def test_service_without_samples(measured_parts):
    """Without a percentage there is no measured part."""
    assert measured_parts() == [None] * len(PERIODS)


def test_service_measured_for_days(measured_parts):
    """Days with samples count as whole days, at any interval of the probe."""
    parts = measured_parts(*(days * DAY for days in range(12)))

    assert parts == [None, None, "11 days of 30 days", "11 days of 90 days"]


@pytest.mark.parametrize(
    ("first", "part"), [(11 * HOUR, "11 hours of 24 hours"), (12 * HOUR, None)]
)
def test_half_of_the_period(measured_parts, first, part):
    """A percentage represents the period if at least half of it was measured."""
    assert measured_parts(first, timedelta(0))[0] == part
