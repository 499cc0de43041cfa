"""Two processes build a site; one of them is killed, or both are interrupted."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import chdir
from pathlib import Path

import pytest

from models.projects.documents.rendered_bodies import delete_unused_bodies
from models.storage.database import database, open_database
from sitegen.theme.site_theme import STORED_CARD
from tests.interrupts import heed_interrupts
from tests.nightly import every_nth
from tests.pages.builder.test_build import files_in

ROOT = Path(__file__).parents[2]
# Enough for other processes to render them.
COUNT = 520
DRAFTS = "output/.masthead.docs.drafts"
# The progress messages of a command that takes long.
PROGRESS = re.compile(r"^\w+ \d+( of \d+)?\n", re.MULTILINE)


@pytest.fixture(scope="module", autouse=True)
def instance(engine):
    """The instance as the commands address it: by a short file name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MASTHEAD_DATABASE", engine.at(Path("masthead.db")))
        yield
    engine.leave(Path())


def command(place, *words, **named):
    """
    Start a command of app.py in the folder of its files, which it addresses by short
    names.
    """
    result = {"OUTPUT": "output", "LOG_LEVEL": "warning"}
    result = {f"MASTHEAD_{name}": value for name, value in (result | named).items()}
    return subprocess.Popen(
        [sys.executable, str(ROOT / "app.py"), *words],
        env=os.environ | result,
        cwd=place,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # As a shell starts it: Ctrl-C is for all of the group.
        process_group=0,
        preexec_fn=heed_interrupts,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder with many documents, and the site as it should be."""
    place = tmp_path_factory.mktemp("site")
    tree = place / "tree"
    tree.mkdir()
    for number in range(COUNT):
        text = f"# Page {number}\n\nSee [it](page-0001.md).\n\n" + "Words. " * 400
        (tree / f"page-{number:04}.md").write_text(text)
    words = ["docs", "import", "tree", "--collection", "guides", "--publish"]
    require_well(command(place, *words))
    require_well(command(place, "build", OUTPUT="right"))
    return place


def ended(process, timeout=None):
    """Wait for the end of a command; return its exit code and its output."""
    _, result = process.communicate(timeout=timeout)
    return process.returncode, PROGRESS.sub("", result)


def require_well(process):
    assert ended(process) == (0, "")


def worker_of(process):
    """Wait until it has a rendering process, and return its pid."""
    while True:
        for pid in children_of(process.pid):
            if b"--multiprocessing-fork" in Path(f"/proc/{pid}/cmdline").read_bytes():
                return int(pid)
        assert process.poll() is None
        time.sleep(0.005)


def children_of(pid):
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [each for task in tasks for each in (task / "children").read_text().split()]


def until_written(site):
    while len(list((site / DRAFTS).glob("*"))) < COUNT:
        time.sleep(0.001)


@pytest.fixture
def building(site):
    subprocess.run(["rm", "-rf", str(site / "output")], check=True)
    # The bodies are rendered again; and another process would draw the card.
    with chdir(site):
        open_database(os.environ["MASTHEAD_DATABASE"])
        delete_unused_bodies([])
        database.close()
    (site / "output").mkdir()
    shutil.copy(site / "right" / STORED_CARD, site / "output")
    process = command(site, "build")
    yield process
    process.kill()
    process.wait()
    process.stderr.close()


def require_right(site):
    """The next build, which starts at once, makes the folder equal to a fresh one."""
    require_well(command(site, "build"))
    assert files_in(site / "output") == files_in(site / "right")
    assert not list((site / "output").glob(".masthead.*.drafts/*"))


@pytest.mark.parametrize("seconds", every_nth([0.5, 0, None], 3))
def test_builder_killed(site, building, seconds):
    """An orphaned worker removes nothing of the next build."""
    worker_of(building)
    time.sleep(seconds) if seconds is not None else until_written(site)

    building.kill()

    require_right(site)


@pytest.mark.parametrize("seconds", every_nth([0.5, 0, None], 3))
def test_worker_killed(site, building, seconds):
    """The builder renders what the worker should have, and the site is correct."""
    worker = worker_of(building)
    time.sleep(seconds) if seconds is not None else until_written(site)

    os.kill(worker, signal.SIGKILL)

    code, result = ended(building)
    assert code == 0, result
    assert result == "" or "reason=renderers-died" in result
    assert files_in(site / "output") == files_in(site / "right")


def test_interrupted(site, building):
    """Ctrl-C ends all of them, and is reported once."""
    worker = worker_of(building)
    while not list((site / DRAFTS).glob("*")):
        time.sleep(0.001)

    os.killpg(building.pid, signal.SIGINT)

    assert ended(building, timeout=60) == (130, "masthead: Interrupted.\n")
    assert not Path(f"/proc/{worker}").exists()
    require_right(site)
