"""The server as a process: started, asked, stopped, killed, started again."""

import json
import re
import signal
import socket
import subprocess
import sys
import time

from models.storage.database import database_exists
from tests.commands.conftest import ROOT, fetch
from tests.ports import free_port

SECONDS = 20


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
    assert not database_exists(environment["MASTHEAD_DATABASE"])


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
    until(lambda: shows(f"{address}/guides/quick-start/", "Masthead"))
    listed = json.loads(fetch(f"{address}/status/v1/services/list", key))["data"]
    assert listed["overall"] == "degraded"
    assert listed["stale"] is False
    assert "openapi" in json.loads(fetch(f"{address}/openapi.json"))
