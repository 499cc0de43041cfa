"""The builder is killed before each of its steps in turn, until it survives."""

import json
import random
import shutil
from itertools import count

import pytest

from models.changes import behind
from models.storage.database import open_database
from tests.crash.scene import require_nothing_torn, require_repaired, require_reported
from tests.pages.builder.test_build import files_in


def test_killed_before_each_step(scene, stride):
    """
    No file is ever partially written; the next build repairs the site, and reports all
    changes.
    """
    first = random.randint(1, stride)
    print(f"from step {first}")
    for step in count(first, stride):
        scene.set_back()
        survived = scene.survives(step)
        require_nothing_torn(scene)
        half = files_in(scene.output)
        scene.build_again()
        require_repaired(scene)
        require_reported(scene, half)
        if survived:
            break

    assert step > 40


@pytest.mark.parametrize(
    ("first", "second"), [(20, 5), (60, 30), (90, 3), (75, 75)], ids=str
)
def test_killed_while_it_makes_up(scene, first, second):
    """
    A second builder that dies while it repairs the first one's work loses nothing
    either.
    """
    scene.set_back()
    scene.survives(first)
    half = files_in(scene.output)
    scene.survives(second)

    scene.build_again()

    require_reported(scene, half)


def test_history_taken_away(scene):
    """A site whose generation reports were deleted starts new ones, and is correct."""
    scene.set_back()
    shutil.rmtree(scene.output / "builds")

    scene.build_again()

    assert files_in(scene.output) == scene.right
    live = json.loads((scene.output / "build.json").read_text())["generation"]
    assert (scene.output / f"builds/{live}.json").exists()


@pytest.mark.parametrize("step", [1, 2, 3, 10, 31, 64, 97])
def test_killed_in_its_first_build(scene, step):
    """A first build that dies leaves only complete files, and is repaired."""
    scene.set_back()
    shutil.rmtree(scene.output)

    assert not scene.survives(step)

    for path, content in files_in(scene.output).items():
        assert content == scene.right[path]
    scene.build_again()
    require_repaired(scene)


@pytest.mark.parametrize("step", [9, 30])
def test_draft_is_not_served(scene, app, step):
    """Temporary files of a killed builder are not served at any address."""
    scene.set_back()
    scene.survives(step)
    open_database(scene.path)

    hidden = [each for each in scene.output.rglob("*") if each.parent.name[:1] == "."]

    assert hidden
    for each in (*hidden, *scene.output.glob(".masthead.*")):
        address = each.relative_to(scene.output).as_posix()
        assert app.test_client().get(f"/{address}").status_code == 404


def test_killed_between_answer_and_build(scene):
    """An acknowledged write that was not built is marked as unbuilt after any crash."""
    scene.set_back()
    open_database(scene.path)

    assert behind() == {"docs", "status"}
