"""A server whose disks are so small that they can be filled."""

import hashlib
import http.client
import json
import os
import shutil
import socket
import subprocess
import urllib.error
from collections import Counter
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from threading import Event, Thread
from urllib.parse import urlsplit

import pytest

from models.platform.secrets import generate_secret
from tests.commands.conftest import fetch
from tests.commands.servers.test_serve import shows, until
from tests.samples.openapi_document import DESCRIBED
from tests.servers.test_processes import children

MOUNT = """
mount -t tmpfs -o size=4m tmpfs "$0/data" && mount -t tmpfs -o size=6m tmpfs "$0/site"
exec "$@"
"""
ADD = "/status/v1/admin/services/add"


@pytest.fixture
def mounting(tmp_path):
    """Return a command prefix that mounts disks; root needs no user namespace."""
    if shutil.which("unshare") is None:
        pytest.skip("There is no unshare here, which mounts without being root.")

    def words_that_mount(script, *folders):
        for folder in folders:
            (tmp_path / folder).mkdir()
        for words in (["unshare", "-m"], ["unshare", "-Urm"]):
            words = [*words, "sh", "-c", script, str(tmp_path)]
            if not subprocess.run([*words, "true"], capture_output=True).returncode:
                return words
        return pytest.skip("Nothing may be mounted here.")

    return words_that_mount


@pytest.fixture
def within(mounting):
    return mounting(MOUNT, "data", "site")


class Small:
    """The server, its disks from its point of view, and the acknowledged writes."""

    def __init__(self, start, environment, within, tmp_path, database):
        secret = generate_secret()
        digest = hashlib.sha256(secret.text.encode()).hexdigest()
        environment["MASTHEAD_BOOTSTRAP_KEY_SHA256"] = digest
        environment["MASTHEAD_DATABASE"] = database
        environment["MASTHEAD_OUTPUT"] = str(tmp_path / "site/output")
        process, self.address, _ = start(within=within)
        self.key, self.numbers, self.acknowledged = secret.text, count(), []
        self.disks = Path(f"/proc/{process.pid}/root{tmp_path}")

    def add(self):
        """Add a service; return the problem, or None."""
        slug = f"s{next(self.numbers)}"
        try:
            fetch(f"{self.address}{ADD}", self.key, {"slug": slug, "name": "x" * 100})
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())
        self.acknowledged.append(slug)
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
    """
    Writes are rejected until there is space; exactly the acknowledged ones are stored.
    """
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
    assert [
        e["slug"] for e in json.loads(listed)["data"]["services"]
    ] == small.acknowledged
    until(lambda: small.states() == [])


def test_full_output(small):
    """Writes are accepted; the page follows when there is space."""
    small.fill("site")
    assert small.add() is None
    until(lambda: small.states() == ["output-full"])

    small.free("site")
    small.add()

    until(lambda: shows(f"{small.address}/status/services/s0/", "xxx"))
    until(lambda: small.states() == [])


# Everything that a server writes: database, site, temporary files, and its log.
MOUNT_ONE = """
mount -t tmpfs -o size=20m tmpfs "$0/disk" && mkdir "$0/disk/temporary"
exec "$@" 2> "$0/disk/log"
"""
MOUNT_TEMPORARY = """
mount -t tmpfs -o size=64m tmpfs "$0/temporary"
exec "$@"
"""
WRITERS = 4


class Served:
    """A server of several processes, and a key with every scope and a high rate."""

    def __init__(self, start, environment, within, folder):
        secret = generate_secret()
        digest = hashlib.sha256(secret.text.encode()).hexdigest()
        environment["MASTHEAD_BOOTSTRAP_KEY_SHA256"] = digest
        environment["MASTHEAD_PROCESSES"] = "2"
        process, self.address, _ = start(within=within)
        self.folder = Path(f"/proc/{process.pid}/root{folder}")
        until(lambda: shows(f"{self.address}/status/", "<html"))
        until(lambda: len(self.find_processes(process.pid)) == 4)
        self.pid, self.processes = process.pid, self.find_processes(process.pid)
        rate = {"rateCapacity": 100_000, "rateRefill": 10_000.0}
        body = {"name": "load", "scopes": ["*"], **rate}
        created = fetch(f"{self.address}/platform/v1/keys/add", secret.text, body)
        self.key = json.loads(created)["data"]["secret"]

    @staticmethod
    def find_processes(pid):
        """Return the processes of the API, of the builder, and of documents."""
        own = children(pid)
        return {*own, *(child for each in own for child in children(each))}

    def is_unharmed(self):
        """Return whether all original processes of the server still run."""
        return self.find_processes(self.pid) == self.processes

    def api(self, path, body=None, **named):
        """Return the status and the JSON of any response."""
        try:
            text = fetch(f"{self.address}{path}", self.key, body, **named)
            return 200, json.loads(text)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())


class Load:
    """Clients that write and read continuously, and the responses they got."""

    def __init__(self, server):
        self.server = server
        self.acknowledged, self.refusals, self.reads = [], Counter(), Counter()
        self.errors = []
        self._stop = Event()

    def __enter__(self):
        works = [lambda n=n: self._write(n) for n in range(WRITERS)]
        self._threads = [Thread(target=self._go_on, args=(w,)) for w in works]
        self._threads.append(Thread(target=self._go_on, args=(self._read,)))
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _go_on(self, work):
        while not self._stop.wait(0.02):
            try:
                work()
            except OSError as error:
                self.errors.append(repr(error))

    def _write(self, number):
        slug = f"s{number}-{len(self.acknowledged)}-{self.refusals.total()}"
        # Off the page, which a thousand services would fill the disk with.
        body = {"slug": slug, "name": "x" * 100, "enabled": False}
        status, result = self.server.api(ADD, body, repeat=slug)
        if status == 200:
            self.acknowledged.append(slug)
        else:
            self.refusals[status, result.get("state")] += 1

    def _read(self):
        for path in ("/status/", "/status/index.json", "/healthz", "/metrics"):
            fetch(f"{self.server.address}{path}")
            self.reads[path] += 1


@contextmanager
def filled(folder):
    """Use up all space, also space that is freed, until the end."""
    stop = Event()

    def fill():
        with (folder / "filler").open("wb", buffering=0) as file:
            while not stop.is_set():
                for size in (1 << 20, 1 << 12, 1):
                    with suppress(OSError):
                        while not stop.is_set() and file.write(b"x" * size):
                            pass
                stop.wait(0.01)

    thread = Thread(target=fill)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        (folder / "filler").unlink()


@pytest.fixture
def everything(start, environment, mounting, tmp_path):
    """A server with everything on one disk."""
    disk = tmp_path / "disk"
    within = mounting(MOUNT_ONE, "disk")
    environment["MASTHEAD_DATABASE"] = str(disk / "masthead.db")
    environment["MASTHEAD_OUTPUT"] = str(disk / "output")
    environment["TMPDIR"] = str(disk / "temporary")
    return Served(start, environment, within, disk)


@pytest.mark.sqlite
def test_full_disk_with_everything(everything):
    """
    No process ends: the site is readable, writes are rejected with advice, and continue
    when there is space. No acknowledged write is lost, and no temporary file remains.
    """
    server = everything
    gets = [path for path, each in DESCRIBED["paths"].items() if "get" in each]
    with Load(server) as load:
        until(lambda: len(load.acknowledged) > 50)
        with filled(server.folder):
            until(lambda: load.refusals[503, "database-full"] > 100)
            reads = load.reads.copy()
            # Counters of requests that occur for the first time.
            statuses = {server.api(path)[0] for path in gets}
            _, refused = server.api(ADD, {"slug": "x", "name": "x" * 100})
            until(lambda: server.api("/readyz")[0] == 503)
            until(lambda: all(load.reads[path] > reads[path] + 20 for path in reads))
        acknowledged = len(load.acknowledged)
        until(lambda: len(load.acknowledged) > acknowledged + 50)

    assert server.is_unharmed()
    assert load.errors == []
    assert load.refusals.keys() == {(503, "database-full")}
    assert max(statuses - {503}) < 500
    assert "Free space on the disk" in refused["detail"]
    until(lambda: server.api("/readyz")[1]["states"] == ["temporary-full"])
    _, listed = server.api("/status/v1/admin/services/list")
    found = {each["slug"] for each in listed["data"]}
    assert found == set(load.acknowledged)
    server.api(ADD, {"slug": "last", "name": "The last one"}, repeat="last")
    until(lambda: shows(f"{server.address}/status/", "The last one"))
    assert [*(server.folder / "output").rglob("*.draft")] == []


UPLOADS, UPLOAD_BYTES = 16, 9_900_000


@pytest.fixture
def little_temporary_space(start, environment, mounting, tmp_path):
    """A server with 64 MiB for temporary files."""
    folder = tmp_path / "temporary"
    within = mounting(MOUNT_TEMPORARY, "temporary")
    environment["TMPDIR"] = str(folder)
    return Served(start, environment, within, folder)


def begin_upload(server, project, number):
    """Send the header of an upload, and return the connection."""
    place = urlsplit(server.address)
    client = socket.create_connection((place.hostname, place.port), 60)
    lines = (
        f"POST /projects/v1/files/add?projectId={project}&name=f{number}.txt HTTP/1.1",
        f"Host: {place.netloc}",
        f"Authorization: Bearer {server.key}",
        f"Idempotency-Key: {number}",
        f"Content-Length: {UPLOAD_BYTES}",
        "Expect: 100-continue",
        *("", ""),
    )
    client.sendall("\r\n".join(lines).encode())
    return client


def test_uploads_that_fill_the_temporary_folder(little_temporary_space):
    """
    An upload is received only if there is space for all of it; others are rejected with
    the state's name. No connection affects another, or the server.
    """
    server = little_temporary_space
    _, projects = server.api("/projects/v1/projects/list")
    project = projects["data"][0]["id"]
    with ExitStack() as stack:
        clients = [
            stack.enter_context(begin_upload(server, project, number))
            for number in range(UPLOADS)
        ]
        answers = [client.recv(12).decode() for client in clients]
        admitted = [
            client
            for client, answer in zip(clients, answers, strict=True)
            if answer == "HTTP/1.1 100"
        ]
        refused = clients[answers.index("HTTP/1.1 503")]
        for client in admitted[1:]:
            client.recv(100)
            client.sendall(b"x" * (UPLOAD_BYTES - 1))
        free = os.statvfs(server.folder)
        assert free.f_bavail * free.f_frsize >= UPLOAD_BYTES

        assert 3 <= len(admitted) <= 5
        assert answers.count("HTTP/1.1 503") == UPLOADS - len(admitted)
        assert b'"state":"temporary-full"' in refused.recv(4000)
        status, ready = server.api("/readyz")
        assert (status, ready["states"]) == (200, ["temporary-full"])
        assert shows(f"{server.address}/status/", "<html")
        # One that was admitted is stored, however many wait.
        admitted[1].sendall(b"x")
        response = http.client.HTTPResponse(admitted[1])
        response.begin()
        assert response.status == 200
        response.read()

    until(lambda: server.api("/readyz")[1]["states"] == [])
    assert server.is_unharmed()
