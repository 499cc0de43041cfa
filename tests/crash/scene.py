"""A site that can be reset, and the requirements for it after each kill."""

import filecmp
import json
import os
import shutil
from functools import partial

from models.changes import behind
from models.response_headers import cache_class, path_rule
from models.settings import Settings
from models.site_addresses import url_path
from models.storage.database import database, open_database
from sitegen.output.folder import OutputFolders, is_site_unfinished
from sitegen.output.manifest import LIVE, MANIFEST
from tests.crash.child import Deadly, Quick, Steps, survives
from tests.pages.builder.test_build import files_in

URL = Settings().site_url


class Scene:
    """A database and an output folder that can be reset."""

    def __init__(self, settings, build_site, output, aside, engine):
        self.path, self.engine = settings.database, engine
        self.build = build_site
        self.output = output
        self.before, self.stored = aside / "before", engine.at(aside / "kept.db")
        database.close()
        shutil.copytree(output, self.before)
        engine.copy(self.path, self.stored)
        self.old, self.right = files_in(output), self.fresh(aside / "fresh")
        self.seen = json.loads((output / "build.json").read_text())["generation"]

    def fresh(self, folder):
        """Return the files of a build of the database into an empty folder."""
        self.set_back()
        open_database(self.path)
        self.build(folders=OutputFolders(str(folder), Quick))
        return files_in(folder)

    def set_back(self):
        database.close()
        self.engine.copy(self.stored, self.path)
        # Most files are unchanged, and recreating all of them would take longest.
        for each in sorted(self.output.rglob("*"), reverse=True):
            if not (self.before / each.relative_to(self.output)).exists():
                each.rmdir() if each.is_dir() else each.unlink()
        shutil.copytree(
            self.before, self.output, dirs_exist_ok=True, copy_function=_put_back
        )

    def survives(self, step):
        """Build in a child that dies before this step; return whether it completed."""
        folders = OutputFolders(str(self.output), partial(Deadly, Steps(step)))
        return survives(lambda: self.build(folders=folders), self.path)

    def build_again(self):
        open_database(self.path)
        self.build(folders=OutputFolders(str(self.output), Quick))


def _put_back(source, target):
    if not (os.path.exists(target) and filecmp.cmp(source, target)):
        shutil.copy2(source, target)


def require_nothing_torn(scene):
    """Every file has its old or its new content, byte for byte."""
    found = files_in(scene.output)
    # These are written with each area.
    for path in (MANIFEST, LIVE):
        json.loads(found.pop(path))
    for path, content in found.items():
        assert content in (scene.old.get(path), scene.right.get(path)), path


def require_repaired(scene):
    """The folder equals a fresh one, and no area has unbuilt changes."""
    assert files_in(scene.output) == scene.right
    assert behind() == set()
    left = list(scene.output.glob(".masthead.*.drafts/*"))
    empty = [
        each
        for each in scene.output.rglob("[!.]*")
        if each.is_dir() and not any(each.iterdir())
    ]
    assert (left, empty) == ([], [])
    assert not is_site_unfinished(scene.output)


def require_reported(scene, half):
    """
    Every difference from the old state, and from the interrupted one, is in the purge
    lists.
    """
    now, result = files_in(scene.output), purged_since(scene.output, scene.seen)
    unreported = (different(scene.old, scene.right) | different(half, now)) - result
    assert not unreported, unreported


def purged_since(output, generation):
    """Return what a host purges that has last seen this generation."""
    found = set()
    for path in (output / "builds").iterdir():
        note = json.loads(path.read_text())
        if note["generation"] >= generation:
            found |= set(note["purge"])
    return found


def different(before, after):
    """Return the addresses at which a host without purges would show outdated files."""
    paths = before.keys() | after.keys()
    changed = {each for each in paths if before.get(each) != after.get(each)}
    return {
        URL + url_path(path)
        for path in changed
        if path_rule(path) and cache_class(path) in ("page", "volatile")
    }
