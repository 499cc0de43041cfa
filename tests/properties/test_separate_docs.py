"""Documents that a process of their own builds are right once they are in place."""

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from models.changes import behind
from models.response_headers import candidate_files
from models.settings import Settings
from models.storage.database import database, open_database
from sitegen.builder import docs_builder, separate_docs
from sitegen.builder.build import build
from sitegen.output.folder import OutputFolder
from sitegen.page import BuildContext
from tests.conftest import Clock
from tests.pages.builder.local_docs import PROBLEMS, ManualBuilder
from tests.pages.builder.test_build import files_in
from tests.properties.histories import Quick, World, add_service, histories

pytestmark = pytest.mark.both_engines

URL = Settings().site_url
LINK = re.compile(rf'(?:href="|<loc>{URL})(/[^"<#]*)')


@pytest.fixture
def new_world(store, settings, empty_database, keeping, monkeypatch):
    """Make a world anew, with a folder that is there for one history only."""
    for name in ("_sync", "_sync_all"):
        monkeypatch.setattr(OutputFolder, name, lambda *_: None)
    monkeypatch.setattr(separate_docs, "FILES_AT_ONCE", 5)
    monkeypatch.setattr(docs_builder, "FIRST_FILES_SECONDS", 0.0)

    def made(folder):
        database.close()
        keeping.copy(empty_database, settings.database)
        open_database(settings.database)
        return World(replace(settings, output=str(folder / "site")), Clock())

    return made


def require_whole(folder):
    """The pages that all areas share link to nothing that does not exist yet."""
    for name in ("index.html", "sitemap.xml", "status/index.html"):
        for address in LINK.findall((folder / name).read_text()):
            files = candidate_files(address)
            assert any((folder / file).is_file() for file in files), (name, address)


@bounds(
    max_examples=8,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(history=histories, responses=st.lists(st.booleans(), min_size=1))
def test_any_order_equals_fresh(new_world, history, responses):
    """However late documents are, no link leads nowhere, and the end is as if fresh."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        world, memory, builder = new_world(folder), None, None
        for number, (event, slug, choice) in enumerate(
            [(add_service, "api", 1), *history]
        ):
            event(world, slug, choice)
            if builder is None or world.memory is not memory:
                # A restart, at which the documents of before may be under way.
                builder = ManualBuilder(world.settings, world.clock)
                memory = world.memory
            builder.build()
            require_whole(folder / "site")
            if responses[number % len(responses)]:
                builder.respond()
                require_whole(folder / "site")
        builder.settle()
        fresh = folder / "fresh"
        context = BuildContext(
            world.clock.now, world.settings, world.theme, problems=PROBLEMS
        )
        build(context, folder=Quick(str(fresh)))

        assert files_in(folder / "site") == files_in(fresh)
        assert behind() == set()
