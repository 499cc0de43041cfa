"""When the public state changes next without a write."""

from datetime import timedelta

import pytest

from models.status.snapshot.snapshot import status_snapshot
from tests.factories.status import UPDATE_WINDOW, World

FRESH = timedelta(seconds=300)


@pytest.fixture
def world(api, clock):
    world = World(api, clock)
    world.service("api")
    return world


@pytest.fixture
def coming(clock):
    """Return the seconds until the next change."""

    def found():
        at = status_snapshot(clock.now, FRESH).next_change_at()
        return None if at is None else (at - clock.now).total_seconds()

    return found


def test_nothing_ahead(world, coming):
    """Without readings, windows or incidents nothing changes by itself."""
    assert coming() is None


def test_reading_goes_stale(world, coming):
    """The first millisecond at which a reading is stale."""
    world.sample("api", "a", "operational", -100)

    assert coming() == 200.001


def test_incident_begins(api, world, coming):
    """An incident with a future start begins at that time."""
    world.incident("api", started=50)

    assert coming() == 50


def test_window_begins_and_ends(api, world, clock, coming):
    """The start of a window, then its end; a cancelled one changes nothing."""
    id = world.window("api", 60, 120)

    assert coming() == 60
    clock.pass_(seconds=60)
    assert coming() == 60
    api(UPDATE_WINDOW, {"id": id, "status": "cancelled"})
    assert coming() is None


def test_nothing_changes_before(api, world, clock, coming):
    """Until then the response stays the same, and then it differs."""
    world.sample("api", "a", "operational", -100)
    world.window("api", 60, 120)
    world.incident("api", started=90)

    for _ in range(4):
        before = status_snapshot(clock.now, FRESH).service_list()
        clock.pass_(seconds=coming(), milliseconds=-1)
        assert status_snapshot(clock.now, FRESH).service_list() == before
        clock.pass_(milliseconds=1)
        assert status_snapshot(clock.now, FRESH).service_list() != before


def test_queries_do_not_grow(api, world, clock, raw_database):
    """The number of queries does not depend on the number of services."""

    def count():
        with raw_database.statements() as statements:
            status_snapshot(clock.now, FRESH).service_list()
        return len(statements)

    one = count()
    for n in range(5):
        world.service(f"s{n}")
        world.sample(f"s{n}", "a", "operational", 0)

    assert count() == one > 3
