"""However often a builder is killed, what it changed is told in the end."""

import json
import shutil
from itertools import count

from models.database import open_database
from models.hosting import address, cache_class, place_of
from models.settings import Settings
from tests.crash.child import Quick
from tests.crash.test_builder import scene  # noqa: F401  (a fixture)
from tests.pages.test_build import files_in

URL = Settings().site_url


def told_since(output, generation):
    """What a host purges that has seen this generation, before it changed further."""
    found = set()
    for path in (output / "builds").iterdir():
        note = json.loads(path.read_text())
        if note["generation"] >= generation:
            found |= set(note["purge"])
    return found


def different(before, after):
    """The addresses at which a host that kept everything would show the past."""
    paths = before.keys() | after.keys()
    changed = {each for each in paths if before.get(each) != after.get(each)}
    return {
        URL + address(path)
        for path in changed
        if place_of(path) and cache_class(path) in ("page", "volatile")
    }


def test_killed_builds_are_told(scene):  # noqa: F811
    """After each kill the next build tells all that differs, also what it found."""
    seen = json.loads((scene.before / "build.json").read_text())["generation"]
    due = different(scene.old, scene.right)

    for step in count(1):
        scene.set_back()
        survived = scene.survives(step)
        half = files_in(scene.output)
        open_database(scene.path)
        scene.build(folder=Quick(str(scene.output)))

        told = told_since(scene.output, seen)
        assert due <= told, step
        assert different(half, files_in(scene.output)) <= told, step
        if survived:
            break

    assert step > 40


def test_killed_while_it_makes_up(scene):  # noqa: F811
    """A second builder that dies on what the first has left loses nothing either."""
    seen = json.loads((scene.before / "build.json").read_text())["generation"]

    for first, second in ((20, 5), (60, 30), (90, 3), (75, 75)):
        scene.set_back()
        scene.survives(first)
        half = files_in(scene.output)
        scene.survives(second)
        open_database(scene.path)
        scene.build(folder=Quick(str(scene.output)))

        told = told_since(scene.output, seen)
        assert different(scene.old, scene.right) <= told
        assert different(half, scene.right) <= told


def test_history_taken_away(scene):  # noqa: F811
    """A site without its notes begins new ones, and is right all the same."""
    scene.set_back()
    shutil.rmtree(scene.output / "builds")
    open_database(scene.path)

    scene.build(folder=Quick(str(scene.output)))

    assert files_in(scene.output) == scene.right
    assert len(list((scene.output / "builds").iterdir())) == 1
