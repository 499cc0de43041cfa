"""A built site behind a real web server, on a port of this machine."""

import http.client
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

from models.status.incidents.incidents import (
    IncidentRow,
    StatusRemoveIncident,
    remove_incident,
)
from models.storage.database import writing
from tests.world import populate

DEPLOY = Path(__file__).parents[2] / "deploy"


def needed(program):
    """The path of a program; where it cannot be had the test is skipped, not in CI."""
    found = shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin")
    if not found:
        assert not os.environ.get("CI"), f"CI needs {program}: see the Makefile."
        pytest.skip(f"{program} is not installed")
    return found


@pytest.fixture
def world(build_site, clock):
    """The sample content, of which the oldest incident was removed."""
    populate(clock.now, days=2)
    with writing():
        oldest = IncidentRow.select().order_by(IncidentRow.id).get()
        remove_incident(StatusRemoveIncident(id=oldest.id), clock.now)
    assert build_site().failed == []


@pytest.fixture
def run():
    """Start a program and wait until it answers on its port."""
    started = []

    def ran(port, command, **more):
        process = subprocess.Popen(command, **more)
        started.append(process)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
            except OSError:
                assert process.poll() is None, f"{command[0]} ended: see above."
                time.sleep(0.05)
            else:
                return process
        raise AssertionError(f"{command[0]} does not answer.")

    yield ran
    for process in started:
        process.terminate()
        process.wait(10)


def get(port, at, host="127.0.0.1"):
    """Ask a server; return status, headers and body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", at, headers={"Host": host})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, answer.headers, body
