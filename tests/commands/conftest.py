"""Commands and servers, each on its own instance."""

import json
import os
import re
import sqlite3
import subprocess
import sys
import urllib.request
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import app
from models.storage.database import database
from tests.databases.databases import Databases, databases
from tests.interrupts import heed_interrupts
from tests.ports import free_port

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def environment_in(engine):
    """Return the environment that makes this folder the instance of a command."""
    return lambda folder: (
        os.environ
        | {
            "MASTHEAD_DATABASE": engine.at(folder / "masthead.db"),
            "MASTHEAD_OUTPUT": str(folder / "output"),
        }
    )


@pytest.fixture
def environment(tmp_path, engine, environment_in):
    yield environment_in(tmp_path)
    engine.leave(tmp_path)


@contextmanager
def serving(environment, name="serve", *, within=(), log=None, port=None):
    """
    Start a command of app.py that serves; yield its process, address and output.

    If there is a file `log`, the log lines go to it.
    """
    at = str(port or free_port())
    words = [*within, sys.executable, "app.py", name, "--port", at]
    errors = log.open("w") if log else subprocess.DEVNULL
    pipes = {"stdout": subprocess.PIPE, "stderr": errors, "text": True}
    process = subprocess.Popen(
        words, cwd=ROOT, env=environment, preexec_fn=heed_interrupts, **pipes
    )
    if log:
        errors.close()
    result = ""
    try:
        while "listening on" not in result:
            line = process.stdout.readline()
            assert line, f"{name} ended before it listened: {result}"
            result += line
        yield process, re.search(r"listening on (\S+)", result)[1], result
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def start(environment):
    """Start commands that serve, which end with the test."""
    with ExitStack() as servers:
        yield lambda *args, **named: servers.enter_context(
            serving(environment, *args, **named)
        )


# For tests that only read, or that use their own names.
@pytest.fixture(scope="module")
def shared_environment(tmp_path_factory, engine, environment_in):
    folder = tmp_path_factory.mktemp("shared")
    yield environment_in(folder)
    engine.leave(folder)


@pytest.fixture(scope="module")
def shared_key(shared_environment):
    return bootstrapped(shared_environment)


@pytest.fixture(scope="module")
def shared_server(shared_environment):
    """One server for the tests of a file: its process and its address."""
    with serving(shared_environment) as (process, address, _):
        yield process, address


@pytest.fixture
def key(environment):
    return bootstrapped(environment)


def bootstrapped(environment):
    """Return the secret of an initial key."""
    words = [sys.executable, "app.py", "keys", "bootstrap", "--email", "a@example.com"]
    ran = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, check=True, text=True
    )
    return ran.stdout.strip()


def fetch(address, key=None, body=None, repeat="one"):
    headers = {"Idempotency-Key": repeat}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    data = json.dumps(body).encode() if body else None
    if data:
        headers["Content-Type"] = "application/json"
    request = urllib.request.Request(address, data, headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read().decode()


@pytest.fixture
def address(beside):
    """The database of `command`."""
    return beside("data/masthead.db")


@pytest.fixture
def command(address, tmp_path, monkeypatch, capsys):
    """Run a command on its own instance; return (exit, output, errors)."""
    monkeypatch.setenv("MASTHEAD_DATABASE", address)
    monkeypatch.setenv("MASTHEAD_OUTPUT", str(tmp_path / "output"))
    monkeypatch.setenv("MASTHEAD_LOG_LEVEL", "error")
    monkeypatch.chdir(tmp_path)

    def ran(*words):
        code = app.main([str(word) for word in words])
        result = capsys.readouterr()
        return code, result.out, result.err

    yield ran
    # Not every command opens one.
    if not database.deferred:
        database.close()


@pytest.fixture(scope="session")
def server(engine):
    """A PostgreSQL, whatever the engine of this run."""
    if isinstance(engine, Databases):
        yield engine
        return
    with TemporaryDirectory(prefix="cluster") as folder:
        with databases(Path(folder)) as cluster:
            yield cluster


@pytest.fixture
def served(server):
    """The address of a database of a server, without tables."""
    with server.place(Path("served"), False) as address:
        yield address
        if not database.deferred:
            database.close()


@pytest.fixture
def file(tmp_path, command, monkeypatch):
    """An instance on SQLite with some rows, on which commands are run."""
    path = tmp_path / "data/masthead.db"
    monkeypatch.setenv("MASTHEAD_DATABASE", str(path))
    command("migrate")
    add_services(path, 20)
    return path


def add_services(path, number):
    database.close()
    with closing(sqlite3.connect(path)) as write, write:
        for each in range(1, number + 1):
            write.execute(
                "INSERT INTO service (number, id, slug, name, display_order, enabled,"
                " created_at, updated_at) VALUES (?, ?, ?, 'A', 1, 1, 1, 1)",
                (each, f"id{each}", f"slug{each}"),
            )


@pytest.fixture(params=["file", "server"])
def to(request, served, tmp_path):
    return served if request.param == "server" else str(tmp_path / "new/moved.db")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with the database and the output of commands."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/a.md").write_text("# A\n\nText.\n")
    (tmp_path / "file").write_text("This is no database, and no folder.\n" * 200)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/something").touch()
    return tmp_path
