"""For any history of writes, incremental builds equal a full build."""

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as bounds

from models.storage.database import database, open_database
from tests.conftest import Clock
from tests.pages.builder.test_build import files_in
from tests.properties import histories as happens
from tests.properties.histories import World, add_service, histories

pytestmark = pytest.mark.both_engines


@pytest.fixture
def new_world(store, settings, empty_database, engine, monkeypatch):
    """Create a new site, with a folder for this history only."""
    # So that a few incidents are many chunks, and several pages of each list.
    monkeypatch.setattr("sitegen.status.event_pages.EVENTS_OF_CHUNK", 2)
    monkeypatch.setattr("sitegen.status.published.EVENTS_OF_FILE", 2)
    monkeypatch.setattr("sitegen.search.sitemaps.EVENTS_OF_SITEMAP", 2)

    def made(folder):
        database.close()
        engine.copy(empty_database, settings.database)
        open_database(settings.database)
        return World(replace(settings, output=str(folder / "site")), Clock())

    return made


# Each kind of change at least once, after several incidents and windows of several
# services, and everything that time alone changes.
EVERYTHING = [
    (happens.add_service, "mail", 0),
    (happens.add_service, "web", 2),
    (happens.measure, "api", 0),
    *[
        (event, slug, number)
        for number in range(3)
        for slug in ("api", "mail", "web")
        for event in (happens.open_incident, happens.schedule)
    ],
    (happens.tell_of_incident, "api", 2),
    (happens.tell_of_incident, "api", 1),
    (happens.correct_update, "api", 0),
    (happens.correct_update, "api", 3),
    (happens.measure, "api", 1),
    (happens.measure_twice, "api", 0),
    (happens.wait, "api", 0),
    (happens.wait, "api", 1),
    (happens.measure, "mail", 2),
    (happens.update_service, "api", 1),
    (happens.change_window, "api", 0),
    (happens.change_window, "api", 1),
    (happens.change_severity, "api", 0),
    (happens.update_service, "mail", 2),
    (happens.update_service, "mail", 1),
    (happens.tell_of_incident, "api", 0),
    (happens.remove_subject, "api", 0),
    (happens.remove_subject, "api", 1),
    (happens.open_incident, "web", 0),
    (happens.remove_service, "web", 0),
    (happens.wait, "api", 2),
    (happens.measure, "api", 3),
    (happens.wait, "api", 3),
    (happens.wait_for_months, "api", 0),
]


def test_every_kind_of_change(new_world, tmp_path):
    """No change of the status page, and no passing of time, leaves a page behind."""
    world = new_world(tmp_path)
    for number, (event, slug, choice) in enumerate(EVERYTHING):
        event(world, slug, choice)
        world.build()
        world.build(tmp_path / f"fresh-{number}")

        fresh = files_in(tmp_path / f"fresh-{number}")
        assert files_in(tmp_path / "site") == fresh, event.__name__


@bounds(
    max_examples=4,
    # A failing history is short enough to be read; making it shorter takes minutes.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(histories)
def test_incremental_equals_fresh(new_world, history):
    """After every write the folder equals one built from nothing, byte for byte."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        world = new_world(folder)
        for number, (event, slug, choice) in enumerate(
            [(add_service, "api", 1), *history]
        ):
            event(world, slug, choice)
            world.build()
            world.build(folder / f"fresh-{number}")

            right = files_in(folder / f"fresh-{number}")
            assert files_in(folder / "site") == right
            assert (again := world.build()).written == []
            assert again.removed == []
