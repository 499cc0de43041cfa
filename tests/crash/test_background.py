"""The builder is killed while another process makes counters for it."""

import shutil

import pytest

from sitegen.builder import work_split
from tests.crash.child import Deadly, survives
from tests.crash.scene import require_mended
from tests.pages.builder.test_build import files_in


@pytest.mark.parametrize("step", [1, 2, 9, 33])
def test_killed_beside_it(scene, monkeypatch, step):
    """No file is torn, whoever wrote it, and the next build makes up for the rest."""
    monkeypatch.setattr(work_split, "PART_SIZE", 1)
    monkeypatch.setattr(work_split, "MIN_SHARED", 0)
    scene.set_back()
    shutil.rmtree(scene.output)
    folder = Deadly(str(scene.output), step)

    assert not survives(lambda: scene.build(folder=folder), scene.path)

    scene.build_again()
    require_mended(scene)
    assert "status/data/mail.csv" in files_in(scene.output)
