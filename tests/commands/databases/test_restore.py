"""Backup and restore as in the manual: copied while written to, restored, checked."""

import json
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing, suppress
from http.client import HTTPException
from pathlib import Path

import pytest

from tests.commands.conftest import ROOT, fetch
from tests.commands.servers.test_serve import until
from tests.servers.test_processes import children, is_running

pytestmark = pytest.mark.both_engines

NOTE = {"severity": "degraded", "services": ["api"], "body": "We are looking."}


@pytest.fixture
def run(environment):
    """Run a command of app.py in its own process; return its output."""

    def ran(*words):
        command = [sys.executable, "app.py", *map(str, words)]
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True
        )
        return done.returncode, done.stdout

    return ran


@pytest.fixture
def writer(start, key):
    """
    A server, and a client that opens incidents continuously; with the acknowledged
    ones.
    """
    process, address, _ = start()
    add = f"{address}/status/v1/admin/services/add"
    fetch(add, key, {"slug": "api", "name": "API"})
    acknowledged, stopped = [], threading.Event()

    def write():
        path = f"{address}/status/v1/admin/incidents/add"
        # The server is killed meanwhile.
        with suppress(OSError, HTTPException):
            while not stopped.is_set():
                body = NOTE | {"title": f"Slow {len(acknowledged)}"}
                data = fetch(path, key, body, repeat=f"n{len(acknowledged)}")
                acknowledged.append(json.loads(data)["data"]["id"])

    thread = threading.Thread(target=write)
    thread.start()
    yield process, acknowledged
    stopped.set()
    thread.join()


def ids(database):
    with closing(sqlite3.connect(database)) as read:
        return [row[0] for row in read.execute("SELECT id FROM incident ORDER BY id")]


def put_back(copy, database):
    """
    Restore as in the manual: the copy replaces the database, and its logs are removed.
    """
    for name in ("-wal", "-shm"):
        Path(f"{database}{name}").unlink(missing_ok=True)
    Path(database).write_bytes(copy.read_bytes())


@pytest.mark.sqlite
def test_restore_of_a_copy_made_while_writing(writer, run, environment, tmp_path):
    """A backup has all earlier acknowledged writes, and is intact when restored."""
    process, acknowledged = writer
    until(lambda: len(acknowledged) >= 5)
    before, copy = list(acknowledged), tmp_path / "copy.db"

    assert run("backup", copy)[0] == 0
    others = children(process.pid)
    process.kill()
    process.wait()
    # Its other processes end by themselves, and may still build until then.
    until(lambda: not any(map(is_running, others)))

    found = ids(copy)
    assert set(before) <= set(found)
    put_back(copy, environment["MASTHEAD_DATABASE"])
    assert run("migrate") == (0, "nothing to apply\n")
    assert run("build", "--full")[0] == 0
    assert run("check") == (0, "no problems found: database, audit logs, built site\n")
    shown = {path.name for path in Path(tmp_path, "output/status/incidents").iterdir()}
    assert {f"{id}.json" for id in found} <= shown
    assert not {f"{id}.json" for id in acknowledged if id not in found} & shown
