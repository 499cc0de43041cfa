"""A user whom file modes bind, and the service as whoever watches it sees it."""

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

NOBODY = 65534
SERVICE = {"slug": "api", "name": "Public API"}
ADD = "POST /status/v1/admin/services/add"
HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT * FROM area").fetchall()
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def home():
    """Files at a place that another user can come to."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        home = Path(folder) / "home"
        home.mkdir()
        yield home


@pytest.fixture
def little_space():
    """Let no file of this process be longer than this."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def as_user(store, settings, home):
    """Go on as a user whom file modes bind: they do not bind root."""
    is_root = os.geteuid() == 0

    def go_on():
        database.close()
        if is_root:
            for each in [home, *home.rglob("*")]:
                shutil.chown(each, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        open_database(settings.database)

    yield go_on
    if is_root:
        os.seteuid(0)


@pytest.fixture
def reader(store, settings):
    """Another process that reads: with the last one goes the write-ahead log."""
    words = [sys.executable, "-c", HOLD, settings.database]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(words, **pipes) as process:
        assert process.stdout.readline() == b"held\n"
        yield process


@pytest.fixture
def builders(store, clock):
    """Make builders that tick fast; each has built once."""
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
    """Return the states that /readyz names, of this builder if there is one."""
    monkeypatch.setattr("api.http.health.PROBE_SECONDS", 0.0)
    monkeypatch.setattr("api.http.health.MET_SECONDS", 0.0)

    def asked(builder=None):
        troubles = builder.troubles if builder else list
        app = create_app(settings, clock=clock, list_faults=troubles)
        answer = app.test_client().get("/readyz")
        found = answer.json["states"]
        assert answer.status_code == (503 if found else 200)
        assert len(answer.json["troubles"]) >= len(found)
        return found

    return asked
