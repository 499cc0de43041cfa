"""
The server is killed between any two steps of publishing and recording what is live.
"""

import os
import shutil
import signal
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from models.changes import built_generations, note_published, published_generations
from models.storage.database import database, open_database
from sitegen.output.publishing.publisher import Publisher
from tests.crash.child import forget, survives

pytestmark = pytest.mark.both_engines

ADD = "POST /status/v1/admin/services/add"


class Steps:
    """Kills the process before the step of this number."""

    def __init__(self, last):
        self.left = last

    def before(self, function):
        def stepped(*arguments, **options):
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)

        return stepped


@pytest.fixture
def to_folder(settings, tmp_path):
    return replace(settings, publish=str(tmp_path / "web"))


def publisher(settings, clock):
    return Publisher(
        settings,
        clock,
        find_generations=built_generations,
        on_published=lambda found: note_published(settings.publish_location, found),
    )


def publish(settings, clock):
    assert publisher(settings, clock)._publish_and_handle_errors() <= 1


def work(settings, clock, last_step):
    """Publish as a server does, until that step."""
    steps, engine = Steps(last_step), database.obj
    engine.execute_sql = steps.before(engine.execute_sql)
    os.replace = steps.before(os.replace)
    publish(settings, clock)


def test_killed_before_each_step(
    api, build_site, to_folder, clock, engine, tmp_path, stride
):
    """
    What is recorded as live is at the target, earlier records stay, and the next
    publication records everything that was built.
    """
    target, at = Path(to_folder.publish), to_folder.publish_location
    api(ADD, {"slug": "first", "name": "First"})
    build_site()
    publish(to_folder, clock)
    before = published_generations(at)
    api(ADD, {"slug": "second", "name": "Second"})
    build_site()
    built = built_generations()
    shutil.copytree(target, tmp_path / "kept")
    stored = engine.at(tmp_path / "kept.db")
    database.close()
    engine.copy(to_folder.database, stored)
    noted = set()
    for step in count(1, stride):
        forget(to_folder.database)
        engine.copy(stored, to_folder.database)
        shutil.rmtree(target)
        shutil.copytree(tmp_path / "kept", target)
        survived = survives(
            lambda last=step: work(to_folder, clock, last), to_folder.database
        )
        open_database(to_folder.database)
        found = published_generations(at)
        assert found in (before, built), step
        noted.add(found == built)
        is_live = b"Second" in (target / "status/index.html").read_bytes()
        assert is_live or found == before, step
        publish(to_folder, clock)
        assert published_generations(at) == built, step
        database.close()
        if survived:
            break

    assert before != built
    assert noted == {False, True}
    assert step > 10
