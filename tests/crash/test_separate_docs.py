"""The builder is killed before each step while it puts documents in place."""

import random
from itertools import count
from pathlib import Path

import pytest

from models.storage.database import open_database
from sitegen.builder import docs_builder, separate_docs
from sitegen.builder.separate_docs import SeparateDocs
from sitegen.output.folder import STAGING, OutputFolder
from sitegen.output.manifest import MANIFEST
from sitegen.theme.site_theme import site_theme
from tests.crash.child import Quick
from tests.crash.scene import require_mended, require_told
from tests.pages.builder.local_docs import LocalDocs
from tests.pages.builder.test_build import files_in


class Recording(Quick):
    """A folder that remembers every file that readers could have seen in it."""

    def __init__(self, path):
        super().__init__(path)
        self.seen = set()

    def _rename(self, draft, target):
        super()._rename(draft, target)
        self.seen.add((target, Path(target).read_bytes()))


@pytest.fixture
def by_parts(scene, settings, clock, monkeypatch):
    """Have the scene's folder built as a server does; any other folder at once."""
    build = scene.build
    monkeypatch.setattr(separate_docs, "FILES_AT_ONCE", 4)
    monkeypatch.setattr(docs_builder, "FIRST_FILES_SECONDS", 0.0)
    for name in ("_sync", "_sync_all"):
        monkeypatch.setattr(OutputFolder, name, lambda *_: None)

    def build_by_parts(folder):
        docs = SeparateDocs(LocalDocs(settings))
        build(["status"], folder=folder, separate_docs=docs)
        docs.request(clock.now, site_theme(settings).version)
        docs.process.respond()
        for turn in count():
            if docs.result() is None:
                break
            # Some parts come with a manifest, and the others suspend the build.
            areas = ["docs"] if turn % 3 else ["docs", "status"]
            build(areas, folder=folder, separate_docs=docs)
        docs.process.docs_builder._folder.remove_staged()

    scene.build = build_by_parts
    return scene


def test_killed_before_each_step(by_parts, stride):
    """No file is ever torn; the next start mends what is left, and tells all of it."""
    scene = by_parts
    scene.set_back()
    open_database(scene.path)
    whole = Recording(str(scene.output))
    scene.build(folder=whole)
    assert files_in(scene.output) == scene.right
    first = random.randint(1, stride)
    print(f"from step {first}")
    for step in count(first, stride):
        scene.set_back()
        survived = scene.survives(step)
        half = files_in(scene.output)
        for path, content in half.items():
            is_seen = (str(scene.output / path), content) in whole.seen
            assert path == MANIFEST or is_seen or content == scene.old[path], path
        scene.build_again()
        require_mended(scene)
        require_told(scene, half)
        assert not (scene.output / STAGING).exists()
        if survived:
            break

    assert step > 40
