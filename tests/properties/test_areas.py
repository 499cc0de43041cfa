"""The areas of a site are built by independent processes."""

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from models.changes import AREAS, behind
from models.settings import Settings
from models.site_addresses import candidate_files
from models.storage.database import database, open_database
from sitegen.builder.build import build
from sitegen.builder.builder import Builder
from sitegen.output.folder import OutputFolder, OutputFolders
from sitegen.page import BuildContext
from tests.conftest import Clock
from tests.pages.builder.test_build import files_in
from tests.properties.histories import Quick, World, add_service, histories

pytestmark = pytest.mark.both_engines

URL = Settings().site_url
LINK = re.compile(rf'(?:href="|<loc>{URL})(/[^"<#]*)')


@pytest.fixture
def new_world(store, settings, empty_database, engine, monkeypatch):
    """Create a new site, with a folder for this history only."""
    for name in ("_sync", "_sync_all"):
        monkeypatch.setattr(OutputFolder, name, lambda *_: None)

    def made(folder):
        database.close()
        engine.copy(empty_database, settings.database)
        open_database(settings.database)
        return World(replace(settings, output=str(folder / "site")), Clock())

    return made


def create_builder(world, area):
    """Create the builder of an area as in its own process: without memory."""
    memory = {}

    def context():
        now, settings = world.clock.now, world.settings
        return BuildContext(now, settings, world.theme, process_cache=memory)

    return Builder([area], world.clock, context)


def build_if_behind(builder):
    builder._attempt(builder._is_behind)
    assert builder._fault is None, builder._fault


def require_links(folder):
    """The pages that all areas share link only to existing pages."""
    for name in ("index.html", "sitemap.xml", "status/index.html"):
        page = folder / name
        for address in LINK.findall(page.read_text()) if page.exists() else ():
            files = candidate_files(address)
            is_built = any((folder / file).is_file() for file in files)
            # The links between the areas are fixed.
            assert is_built or address in ("/status/", "/reference/"), (name, address)


@bounds(
    max_examples=3,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(history=histories, turns=st.lists(st.booleans(), min_size=1))
def test_any_order_equals_fresh(new_world, history, turns):
    """
    However late documents are built, no link is broken, and the result equals a full
    build.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        world, memory, builders = new_world(folder), None, {}
        for number, (event, slug, choice) in enumerate(
            [(add_service, "api", 1), *history]
        ):
            event(world, slug, choice)
            if world.memory is not memory:
                # A restart.
                builders = {area: create_builder(world, area) for area in AREAS}
                memory = world.memory
            build_if_behind(builders["status"])
            require_links(folder / "site")
            if turns[number % len(turns)]:
                build_if_behind(builders["docs"])
                build_if_behind(builders["status"])
                require_links(folder / "site")
        for area in ("docs", "status"):
            build_if_behind(builders[area])
        context = BuildContext(world.clock.now, world.settings, world.theme)
        build(context, folders=OutputFolders(str(folder / "fresh"), Quick))

        assert files_in(folder / "site") == files_in(folder / "fresh")
        assert behind() == set()
