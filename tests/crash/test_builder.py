"""The builder is killed before each of its steps in turn, until it survives."""

import json
import shutil
from itertools import count

import pytest

from models.changes import behind
from models.database import database, open_database
from sitegen.files import DRAFT, UNFINISHED
from sitegen.manifest import MANIFEST
from tests.crash.child import Deadly, Quick, forget, survives
from tests.pages.test_build import files_in

ADMIN = "POST /status/v1/admin"


class Scene:
    """A database and an output folder that can be set back to where they were."""

    def __init__(self, settings, build_site, output, aside):
        self.path = settings.database
        self.build = build_site
        self.output = output
        self.before, self.kept = aside / "before", aside / "kept.db"
        database.close()
        shutil.copytree(output, self.before)
        shutil.copy(self.path, self.kept)
        self.old, self.right = files_in(output), self.fresh(aside / "fresh")

    def fresh(self, folder):
        """What a build into an empty folder makes of the database."""
        self.set_back()
        open_database(self.path)
        self.build(output=folder)
        return files_in(folder)

    def set_back(self):
        database.close()
        forget(self.path)
        shutil.copy(self.kept, self.path)
        shutil.rmtree(self.output)
        shutil.copytree(self.before, self.output)

    def survives(self, step):
        """Build in a child that dies before this step; tell whether it lived."""
        folder = Deadly(str(self.output), step)
        return survives(lambda: self.build(folder=folder), self.path)


@pytest.fixture
def scene(ask, shelf, build_site, settings, output, tmp_path, clock):
    """A site on which much has changed since its build."""
    ask(f"{ADMIN}/services/add", {"slug": "api", "name": "API"})
    ask(f"{ADMIN}/services/add", {"slug": "mail", "name": "Mail"})
    moving, going = shelf.publish("limits"), shelf.publish("old", section="Old")
    build_site()
    clock.pass_(minutes=1)
    ask(f"{ADMIN}/services/remove", {"slug": "api"})
    incident = {"title": "Slow", "severity": "degraded", "body": "Looking."}
    ask(f"{ADMIN}/incidents/add", incident | {"services": ["mail"]})
    shelf.update(moving, collection="support")
    shelf.withdraw(going)
    shelf.publish("new", "See [limits](limits.md).\n")
    return Scene(settings, build_site, output, tmp_path)


def require_nothing_torn(scene):
    """Every file is what it was or what it should be, to the byte."""
    found = files_in(scene.output)
    del found[MANIFEST]
    for path, content in found.items():
        assert content in (scene.old.get(path), scene.right.get(path)), path
    json.loads((scene.output / MANIFEST).read_text())


def require_mended(scene):
    """The next build makes the folder equal to a fresh one, and says so."""
    open_database(scene.path)
    scene.build(folder=Quick(str(scene.output)))
    assert files_in(scene.output) == scene.right
    assert behind() == set()
    left = [each for each in scene.output.rglob("*") if each.name.endswith(DRAFT)]
    empty = [e for e in scene.output.rglob("*") if e.is_dir() and not any(e.iterdir())]
    assert (left, empty) == ([], [])
    assert not (scene.output / UNFINISHED).exists()


def test_killed_before_each_step(scene):
    """No file is ever torn, and the next build mends what the last one left."""
    for step in count(1):
        scene.set_back()
        survived = scene.survives(step)
        require_nothing_torn(scene)
        require_mended(scene)
        if survived:
            break

    assert step > 40


@pytest.mark.parametrize("step", [1, 2, 3, 10, 31, 64, 97])
def test_killed_in_its_first_build(scene, step):
    """A first build that dies leaves no file that is not whole, and is made up for."""
    scene.set_back()
    shutil.rmtree(scene.output)

    assert not scene.survives(step)

    for path, content in files_in(scene.output).items():
        assert content == scene.right[path]
    require_mended(scene)


@pytest.mark.parametrize("step", [9, 30])
def test_draft_is_not_served(scene, app, step):
    """What a killed builder leaves half is at no address of the site."""
    scene.set_back()
    scene.survives(step)
    open_database(scene.path)

    drafts = [e for e in scene.output.rglob("*") if e.name.endswith(DRAFT)]

    assert len(drafts) <= 1
    for each in (*drafts, scene.output / UNFINISHED):
        address = each.relative_to(scene.output).as_posix()
        assert app.test_client().get(f"/{address}").status_code == 404


def test_killed_between_answer_and_build(scene):
    """What was answered and not built is behind, whatever became of the process."""
    scene.set_back()
    open_database(scene.path)

    assert behind() == {"docs", "status"}
