"""A folder for temporary files without enough space."""

import json
import os
import tempfile
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace

import pytest
from waitress.adjustments import Adjustments

from api.http.server.parser import Parser
from models.errors import StorageBusy
from models.runtime.temporary_files import (
    choose_folder,
    reserved_file,
    temporary_faults,
)
from tests.conftest import ROUTES
from tests.factories.projects import make_project
from tests.ports import served

MIB = 1024 * 1024
ADD = "POST /projects/v1/files/add"


def test_file_that_finds_no_space(api, issue, clock, store, little_space, caplog):
    """A file that is sent or read is rejected with the state; nothing is stored."""
    key, project = issue("*"), make_project("atlas", clock.now)

    def add(name):
        query = {"projectId": project.id, "name": name}
        return api(ADD, query, file=b"x" * 3 * MIB, key=key)

    before = add("before.txt").json["data"]
    little_space(2 * MIB)

    sent = add("after.txt")
    read = api("GET /projects/v1/files/content", {"id": before["id"]}, key=key)

    for response in (sent, read):
        assert (response.status_code, response.json["state"]) == (503, "temporary-full")
        assert "Free space in the folder that TMPDIR names" in response.json["detail"]
        assert int(response.headers["Retry-After"]) > 0
    files = api("GET /projects/v1/files/list", {"projectId": project.id}, key=key)
    assert [file["name"] for file in files.json["data"]] == ["before.txt"]
    assert "state=temporary-full" in caplog.text


def test_body_that_finds_no_space(app, issue, little_space):
    """A body is rejected before it is received; other connections continue."""
    little_space(2 * MIB)
    headers = {"Authorization": f"Bearer {issue('*')}", "Content-Length": str(3 * MIB)}
    with served(app, threads=1) as port:
        other = HTTPConnection("127.0.0.1", port, timeout=20)
        other.request("GET", "/healthz")
        assert other.getresponse().read()
        client = HTTPConnection("127.0.0.1", port, timeout=20)
        path = f"{ROUTES[ADD].path}?projectId=x&name=a.txt"

        client.request("POST", path, iter([b"x" * 1024]), headers)
        response = client.getresponse()
        problem = json.loads(response.read())

        assert (response.status, problem["state"]) == (503, "temporary-full")
        other.request("GET", "/healthz")
        assert other.getresponse().status == 200
        for each in (client, other):
            each.close()


@pytest.fixture
def receiving():
    """A parser that has the header of a request with a body of a megabyte."""
    parser = Parser(Adjustments())
    parser.received(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
    return parser


def test_write_that_fails_while_receiving(receiving):
    """Where no space can be reserved, a body that finds none is rejected."""
    with Path("/dev/full").open("r+b", buffering=0) as file:
        receiving.admit(MIB, file)

        receiving.received(b"x" * 1000)

    assert receiving.error.refusal.members["state"] == "temporary-full"
    assert receiving.completed


def test_file_that_cannot_be_closed(receiving, caplog):
    """An error of closing the file of a body ends in the log."""
    file = Path("/dev/full").open("r+b")  # noqa: SIM115  the parser closes it
    file.write(b"x")
    receiving.body_rcv.getbuf().buf = file

    receiving.close()

    assert "event=body-not-closed" in caplog.text


def test_space_is_reserved():
    """The space of a file is reserved before anything is written."""
    with reserved_file(3 * MIB) as file:
        assert os.fstat(file.fileno()).st_blocks * 512 >= 3 * MIB


def with_free(size):
    return SimpleNamespace(f_blocks=1, f_bavail=size, f_frsize=1)


@pytest.mark.parametrize(
    "free", [[2 * MIB - 1], [9 * MIB, MIB - 1]], ids=["before", "after"]
)
def test_too_little_space(monkeypatch, free):
    """The space of a body must stay free, also if others reserve meanwhile."""
    statuses = iter([with_free(size) for size in free])
    monkeypatch.setattr(os, "statvfs", lambda _: next(statuses))

    with pytest.raises(StorageBusy, match="needs twice as much") as caught:
        reserved_file(MIB)

    assert caught.value.members["state"] == "temporary-full"


@pytest.mark.parametrize(
    ("status", "is_fault"),
    [
        (with_free(19 * MIB), True),
        (with_free(20 * MIB), False),
        # A file system without a limit.
        (SimpleNamespace(f_blocks=0, f_bavail=0, f_frsize=4096), False),
    ],
)
def test_fault(monkeypatch, status, is_fault):
    """/readyz names the folder without space for an upload, and stays ready."""
    monkeypatch.setattr(os, "statvfs", lambda _: status)

    faults = temporary_faults()

    assert [fault.state for fault in faults] == ["temporary-full"] * is_fault
    assert all(fault.is_harmless for fault in faults)
    assert all(tempfile.gettempdir() in fault.detail for fault in faults)


@pytest.mark.parametrize("is_usable", [True, False])
def test_folder_that_is_full_at_the_start(
    monkeypatch, tmp_path, little_space, is_usable
):
    """A server that starts on a full disk uses the folder in TMPDIR."""
    folder = tmp_path if is_usable else tmp_path / "missing"
    monkeypatch.setattr(tempfile, "tempdir", None)
    # Python tries to write a few bytes.
    little_space(0)

    choose_folder(str(folder))

    assert tempfile.gettempdir() == (str(folder) if is_usable else "/tmp")
