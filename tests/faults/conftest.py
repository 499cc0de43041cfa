"""A user who is bound by file modes, and the service as its monitoring sees it."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from api.http.application import create_app
from models.changes import AREAS
from models.storage.database import database, open_database
from sitegen.builder.builder import Builder, Timing
from sitegen.docs.body_cache import BodyCache
from sitegen.page import BuildContext
from sitegen.theme.site_theme import site_theme
from tests.pages.builder.test_builder import eventually

NOBODY_UID = 65534
SERVICE = {"slug": "api", "name": "Public API"}
ADD = "POST /status/v1/admin/services/add"
HOLD_READ_TRANSACTION = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT * FROM area").fetchall()
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def home():
    """Files at a place that another user can enter."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        home = Path(folder) / "home"
        home.mkdir()
        yield home


@pytest.fixture
def little_space():
    """Limit the size of the files that this process writes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def as_user(store, settings, home):
    """Continue as a user who is bound by file modes, because root is not."""
    is_root = os.geteuid() == 0

    def switch_user():
        database.close()
        if is_root:
            for each in [home, *home.rglob("*")]:
                shutil.chown(each, NOBODY_UID, NOBODY_UID)
            os.seteuid(NOBODY_UID)
        open_database(settings.database)

    yield switch_user
    if is_root:
        os.seteuid(0)


@pytest.fixture
def reader(store, settings):
    """
    Another process that reads; closing the last connection deletes the write-ahead log.
    """
    words = [sys.executable, "-c", HOLD_READ_TRANSACTION, settings.database]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(words, **pipes) as process:
        assert process.stdout.readline() == b"held\n"
        yield process


@pytest.fixture
def builders(store, clock):
    """Create builders with a short tick, each of which has built once."""
    made = []

    def start(settings):
        shared = {
            "theme": site_theme(settings),
            "bodies": BodyCache(),
            "process_cache": {},
        }
        built = Builder(
            AREAS,
            clock,
            lambda: BuildContext(now=clock(), settings=settings, **shared),
            timing=Timing(tick=0.02),
        )
        made.append(built)
        built.start()
        assert eventually(lambda: built._next_change)
        return built

    yield start
    for each in made:
        each.stop()


@pytest.fixture
def builder(builders, settings):
    return builders(settings)


@pytest.fixture
def states(store, settings, clock, monkeypatch):
    """Return the states in /readyz, including those of the builder if one is passed."""
    monkeypatch.setattr("api.http.health.PROBE_SECONDS", 0.0)
    monkeypatch.setattr("api.http.health.MET_SECONDS", 0.0)

    def read_states(builder=None):
        faults = builder.faults if builder else list
        app = create_app(settings, clock=clock, list_faults=faults)
        answer = app.test_client().get("/readyz")
        found = answer.json["states"]
        assert answer.status_code == (503 if found else 200)
        assert len(answer.json["troubles"]) >= len(found)
        return found

    return read_states
