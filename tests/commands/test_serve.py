"""The server as a process: started, asked, stopped, killed, started again."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECONDS = 20


@pytest.fixture
def environment(tmp_path):
    return os.environ | {
        "MASTHEAD_DATABASE": str(tmp_path / "masthead.db"),
        "MASTHEAD_OUTPUT": str(tmp_path / "output"),
    }


@pytest.fixture
def start(environment):
    """Start a command of app.py that serves, and return it with its address."""
    started = []

    def run(name="serve"):
        words = [sys.executable, "app.py", name, "--port", str(free_port())]
        process = subprocess.Popen(
            words,
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        started.append(process)
        told = ""
        while "listening on" not in told:
            line = process.stdout.readline()
            assert line, f"{name} ended before it listened: {told}"
            told += line
        return process, re.search(r"listening on (\S+)", told)[1], told

    yield run
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def key(environment):
    words = [sys.executable, "app.py", "keys", "bootstrap", "--email", "a@example.com"]
    ran = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, check=True, text=True
    )
    return ran.stdout.strip()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def fetch(address, key=None, body=None):
    headers = {"Idempotency-Key": "one"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    data = json.dumps(body).encode() if body else None
    if data:
        headers["Content-Type"] = "application/json"
    asked = urllib.request.Request(address, data, headers)
    with urllib.request.urlopen(asked, timeout=10) as answer:
        return answer.read().decode()


def until(holds, seconds=SECONDS):
    """Wait until it holds, and return how long that took."""
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < seconds, "It never came true."
        time.sleep(0.02)
    return time.monotonic() - began


def shows(address, words):
    try:
        return words in fetch(address)
    except OSError:
        return False


SERVICE = {"slug": "api", "name": "Quayside API"}


def test_write_becomes_a_page(start, key):
    """What was answered stands on the page soon after; SIGTERM ends it cleanly."""
    process, address, _ = start()

    fetch(f"{address}/status/v1/admin/services/add", key, SERVICE)

    until(lambda: shows(f"{address}/status/", "Quayside API"))
    assert json.loads(fetch(f"{address}/readyz"))["status"] == "ready"
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0


def test_killed_between_answer_and_build(start, key):
    """After SIGKILL and a restart the page shows what was acknowledged."""
    process, address, _ = start()
    fetch(f"{address}/status/v1/admin/services/add", key, SERVICE)
    process.kill()
    process.wait()

    _, address, _ = start()

    until(lambda: shows(f"{address}/status/", "Quayside API"))


def test_port_in_use(environment):
    """A port that is taken is named in a sentence, and nothing is made."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = [sys.executable, "app.py", "serve", "--port", str(port)]

        ran = subprocess.run(
            words, cwd=ROOT, env=environment, capture_output=True, text=True
        )

    assert ran.returncode == 2
    assert f"127.0.0.1:{port}" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert not Path(environment["MASTHEAD_DATABASE"]).exists()


def test_output_that_cannot_be_written(environment, tmp_path):
    """The server does not start, and says why in a sentence."""
    (tmp_path / "file").write_text("")
    environment["MASTHEAD_OUTPUT"] = str(tmp_path / "file/output")
    words = [sys.executable, "app.py", "serve", "--port", str(free_port())]

    ran = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, text=True
    )

    assert ran.returncode == 2
    assert "cannot be written" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_demo(start):
    """The demo answers with a status page, a document and the API's description."""
    _, address, told = start("demo")
    key = re.search(r"mh_\w+", told)[0]

    until(lambda: shows(f"{address}/status/", "Object storage"))
    until(lambda: shows(f"{address}/guides/first-steps/", "Masthead"))
    listed = json.loads(fetch(f"{address}/status/v1/services/list", key))["data"]
    assert listed["overall"] == "degraded"
    assert listed["stale"] is False
    assert "openapi" in json.loads(fetch(f"{address}/openapi.json"))
