"""A time has its date if that is not the day of the page."""

from datetime import timedelta

import pytest

from tests.factories.status import World
from tests.pages.html import Reader

OVERVIEW, EMBED = "status/index.html", "status/embed/mail/index.html"


@pytest.fixture
def words(api, clock, build_site, output):
    """Return the text of a page that is built minutes from midnight."""

    def read(minutes, path=OVERVIEW):
        clock.now += timedelta(hours=12, minutes=minutes)
        world = World(api, clock)
        world.service("api")
        world.service("mail")
        world.sample("mail", "probe", "down", -180)
        world.sample("api", "probe", "operational", 0)
        build_site()
        return Reader((output / path).read_text()).words()

    return read


@pytest.mark.parametrize(
    ("minutes", "due"),
    [(-10, "23:52 UTC."), (-4, "23:58 UTC."), (-2, "2 Mar 2026, 00:00 UTC.")],
)
def test_next_update(words, minutes, due):
    """The next update may be due tomorrow."""
    assert f"The next update is due by {due}" in words(minutes)


@pytest.mark.parametrize(
    ("minutes", "at"),
    [(-1, "23:56 UTC"), (1, "1 Mar 2026, 23:58 UTC"), (3, "00:00 UTC")],
)
def test_reason(words, minutes, at):
    """A service may have been measured yesterday."""
    assert f"The probe found it down at {at}" in words(minutes)


@pytest.mark.parametrize(
    ("minutes", "due"), [(-10, "23:52 UTC."), (-1, "2 Mar 2026, 00:01 UTC.")]
)
def test_embed(words, minutes, due):
    """The next check of an embed may be due tomorrow."""
    assert f"The next check is due by {due}" in words(minutes, EMBED)
