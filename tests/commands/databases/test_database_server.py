"""The database server stops under a running service, and is started again."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error

import pytest

from models.runtime.supervisor import STARTED_SECONDS
from tests.commands.conftest import ROOT, fetch
from tests.commands.servers.test_serve import shows, until
from tests.ports import free_port
from tests.servers.test_processes import children

pytestmark = pytest.mark.postgresql

ADD = "/status/v1/admin/services/add"
STATE = "database-unreachable"


@pytest.fixture
def service(start, key):
    """The URL of a service, and its site with one service on it."""
    _, address, _ = start()
    fetch(f"{address}{ADD}", key, {"slug": "api", "name": "First"})
    until(lambda: shows(f"{address}/status/", "First"))
    return address


def refused(*route, **more):
    """Return the status and the text of a rejected request."""
    with pytest.raises(urllib.error.HTTPError) as caught:
        fetch(*route, **more)
    with caught.value as error:
        return error.code, json.loads(error.read())


def test_stopped(service, key, engine):
    """
    The site stays, writes are rejected with the state's name, and all recovers by
    itself.
    """
    more = {"slug": "mail", "name": "Second"}

    with engine.stopped():
        code, result = refused(f"{service}{ADD}", key, more, repeat="two")
        ready = refused(f"{service}/readyz")
        assert shows(f"{service}/status/", "First")
        assert "ok" in fetch(f"{service}/healthz")

    assert (code, result["state"]) == (503, STATE)
    assert (ready[0], ready[1]["states"]) == (503, [STATE])
    fetch(f"{service}{ADD}", key, more, repeat="two")
    until(lambda: shows(f"{service}/status/", "Second"))
    until(lambda: is_ready(service))


def test_started_anew(service, key, engine):
    """A restart of the database server causes no rejected request."""
    with engine.stopped():
        pass

    fetch(f"{service}{ADD}", key, {"slug": "mail", "name": "Second"}, repeat="two")

    until(lambda: shows(f"{service}/status/", "Second"))


def test_processes_killed_while_it_is_away(start, key, engine):
    """Processes that are started without a database wait for it instead of stopping."""
    process, address, _ = start()
    until(lambda: shows(f"{address}/status/", "Status"))
    killed = children(process.pid)

    with engine.stopped():
        for child in killed:
            os.kill(child, signal.SIGKILL)
        # One that was killed is a child until it is reaped.
        until(lambda: not {*killed} & {*children(process.pid)})
        until(lambda: len(children(process.pid)) == len(killed) > 0)
        waiting = children(process.pid)
        until(lambda: "ok" in fetch_or_nothing(f"{address}/healthz"))
        time.sleep(STARTED_SECONDS + 1)
        assert children(process.pid) == waiting

    fetch(f"{address}{ADD}", key, {"slug": "api", "name": "First"})
    until(lambda: shows(f"{address}/status/", "First"))
    until(lambda: is_ready(address))
    assert children(process.pid) == waiting


def is_ready(service):
    """Return whether each process has noticed that the database is back."""
    return fetch_or_nothing(f"{service}/readyz") != ""


def fetch_or_nothing(address):
    try:
        return fetch(address)
    except OSError:
        return ""


def test_too_few_connections(environment):
    """
    A server that may need more connections than the database allows says what to
    change.
    """
    environment |= {"MASTHEAD_PROCESSES": "16", "MASTHEAD_THREADS": "32"}
    words = [sys.executable, "app.py", "serve", "--port", str(free_port())]

    ran = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, text=True
    )

    assert ran.returncode == 2
    assert ran.stderr == (
        "masthead: 16 processes of 32 threads may need 556 connections to the"
        " database, which allows 197. Lower MASTHEAD_PROCESSES or MASTHEAD_THREADS,"
        " or raise its max_connections.\n"
    )


def test_password_is_nowhere(environment, start, key, tmp_path):
    """The password is in no log line, metric or file of the site."""
    address = environment["MASTHEAD_DATABASE"]
    environment["MASTHEAD_DATABASE"] = address.replace("postgres@", "postgres:hush-me@")
    environment["MASTHEAD_LOG_LEVEL"] = "debug"
    log = tmp_path / "log"
    _, service, _ = start(log=log)
    fetch(f"{service}{ADD}", key, {"slug": "api", "name": "First"})
    until(lambda: shows(f"{service}/status/", "First"))

    metrics = fetch(f"{service}/metrics")

    assert "hush-me" not in metrics + log.read_text()
    files = [each for each in (tmp_path / "output").rglob("*") if each.is_file()]
    assert files
    assert not [each for each in files if b"hush-me" in each.read_bytes()]
