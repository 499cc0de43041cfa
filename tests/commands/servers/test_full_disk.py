"""A server whose disks are so small that they can be filled."""

import hashlib
import json
import shutil
import subprocess
import urllib.error
from itertools import count
from pathlib import Path

import pytest

from models.platform.secrets import generate_secret
from tests.commands.conftest import fetch
from tests.commands.servers.test_serve import shows, until

MOUNT = """
mount -t tmpfs -o size=4m tmpfs "$0/data" && mount -t tmpfs -o size=6m tmpfs "$0/site"
exec "$@"
"""
ADD = "/status/v1/admin/services/add"


@pytest.fixture
def within(tmp_path):
    """Words before a command that give it disks of its own; root needs no user."""
    if shutil.which("unshare") is None:
        pytest.skip("There is no unshare here, which mounts without being root.")
    for words in (["unshare", "-m"], ["unshare", "-Urm"]):
        told = [*words, "sh", "-c", MOUNT, str(tmp_path)]
        (tmp_path / "data").mkdir(exist_ok=True)
        (tmp_path / "site").mkdir(exist_ok=True)
        if not subprocess.run([*told, "true"], capture_output=True).returncode:
            return told
    pytest.skip("Nothing may be mounted here.")


class Small:
    """The server, its disks as it sees them, and what it has acknowledged."""

    def __init__(self, start, environment, within, tmp_path, database):
        secret = generate_secret()
        digest = hashlib.sha256(secret.text.encode()).hexdigest()
        environment["MASTHEAD_BOOTSTRAP_KEY_SHA256"] = digest
        environment["MASTHEAD_DATABASE"] = database
        environment["MASTHEAD_OUTPUT"] = str(tmp_path / "site/output")
        process, self.address, _ = start(within=within)
        self.key, self.numbers, self.kept = secret.text, count(), []
        self.disks = Path(f"/proc/{process.pid}/root{tmp_path}")

    def add(self):
        """Add a service; return what was refused, None where it was not."""
        slug = f"s{next(self.numbers)}"
        try:
            fetch(f"{self.address}{ADD}", self.key, {"slug": slug, "name": "x" * 100})
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())
        self.kept.append(slug)
        return None

    def fill(self, disk):
        with (self.disks / disk / "filler").open("wb", buffering=0) as file:
            try:
                while file.write(b"x" * 1024):
                    pass
            except OSError:
                return

    def free(self, disk):
        (self.disks / disk / "filler").unlink()

    def states(self):
        try:
            return json.loads(fetch(f"{self.address}/readyz"))["states"]
        except urllib.error.HTTPError as error:
            return json.loads(error.read())["states"]


@pytest.fixture
def small(start, environment, within, tmp_path, beside):
    database = beside("data/masthead.db")
    server = Small(start, environment, within, tmp_path, database)
    until(lambda: shows(f"{server.address}/status/", "<html"))
    return server


@pytest.mark.sqlite
def test_full_database(small):
    """Refused until there is room; what was acknowledged is there, the rest not."""
    small.fill("data")
    for _ in range(400):
        if (refused := small.add()) is not None:
            break

    assert refused[0] == 503
    assert refused[1]["state"] == "database-full"
    assert "database-full" in small.states()

    small.free("data")
    assert small.add() is None
    listed = fetch(f"{small.address}/status/v1/services/list", small.key)
    assert [e["slug"] for e in json.loads(listed)["data"]["services"]] == small.kept
    until(lambda: small.states() == [])


def test_full_output(small):
    """Writes are taken; the page follows when there is room."""
    small.fill("site")
    assert small.add() is None
    until(lambda: small.states() == ["output-full"])

    small.free("site")
    small.add()

    until(lambda: shows(f"{small.address}/status/services/s0/", "xxx"))
    until(lambda: small.states() == [])
