"""The short form of bench/load.py, and the limits of connections one by one."""

import socket
import time
from contextlib import ExitStack, suppress
from functools import partial

import pytest

from api.http.server import limits
from bench import load
from bench.kills import instance
from tests.ports import served


def test_load_in_bad_company():
    """
    Beside hostile connections there is no 5xx, nothing is lost and no client starves.
    """
    with instance() as found:
        result = load.loaded(found, 8, 2, partial(load.hostile, idle=100, slow=20))

    assert result["acknowledged"] > 8
    assert (result["5xx"], result["odd"], result["lost"]) == (0, 0, 0)
    assert result["p99"] < 5000


def hello(environ, start):
    start("200 OK", [("Content-Length", "5")])
    return [b"hello"]


def long(environ, start):
    start("200 OK", [])
    return [b"x" * 1024 * 1024] * 64


@pytest.fixture
def serve():
    """Serve an application with our limits, and return a way to connect."""
    with ExitStack() as stack:

        def started(app):
            port = stack.enter_context(served(app, threads=1))

            def connect():
                address = ("127.0.0.1", port)
                return stack.enter_context(socket.create_connection(address, 10))

            return connect

        yield started


GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


def is_closed(client):
    """Return whether the other side has closed the connection."""
    try:
        return client.recv(1) == b""
    except ConnectionError:
        return True


def test_header_a_byte_at_a_time(serve, monkeypatch):
    """Single bytes are no activity: a header that takes too long is cut off."""
    monkeypatch.setattr(limits, "TIMEOUT_SECONDS", 0.5)
    client = serve(hello)()
    began = time.monotonic()

    with suppress(ConnectionError):
        while time.monotonic() - began < 10:
            client.sendall(b"G")
            time.sleep(0.05)

    assert time.monotonic() - began < 5


def test_body_that_comes_steadily(serve, monkeypatch):
    """A long body gets more time, as long as it arrives at the minimum rate."""
    monkeypatch.setattr(limits, "TIMEOUT_SECONDS", 0.5)
    monkeypatch.setattr(limits, "MIN_BYTES_PER_SECOND", 100)
    client = serve(hello)()
    client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n")

    for _ in range(25):
        client.sendall(b"x" * 20)
        time.sleep(0.1)

    assert client.recv(100).startswith(b"HTTP/1.1 200")


def test_answers_that_are_not_taken(serve):
    """
    A client that reads no response occupies no thread, whatever their number and size.
    """
    connect = serve(long)
    connect().sendall(GET * 4)
    time.sleep(0.2)
    other = connect()

    other.sendall(GET)

    assert other.recv(100).startswith(b"HTTP/1.1 200")


def test_requests_ahead_of_an_unread_response(serve):
    """The next request is processed once the client has read the response before it."""
    paths = []

    def noting(environ, start):
        paths.append(environ["PATH_INFO"])
        start("200 OK", [("Content-Length", str(64 * limits.MIB))])
        return [b"x" * limits.MIB] * 64

    connect = serve(noting)
    ahead = b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n"
    connect().sendall(b"".join(ahead % number for number in range(3)))
    wait_until(lambda: paths)

    for path in ("/other", "/last"):
        connect().sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        wait_until(lambda path=path: path in paths)

    assert paths == ["/0", "/other", "/last"]


def test_answer_a_byte_at_a_time(serve, monkeypatch):
    """A client that reads a response slower than the minimum rate is disconnected."""
    monkeypatch.setattr(limits, "TIMEOUT_SECONDS", 0.5)
    # What the client's system buffers counts as read, which is a few megabytes.
    monkeypatch.setattr(limits, "MIN_BYTES_PER_SECOND", 10 * 1024 * 1024)
    client = serve(long)()
    client.sendall(GET)

    for _ in range(15):
        client.recv(40_000)
        time.sleep(0.2)

    assert taken_until_closed(client) < 60 * 1024 * 1024


def test_answer_that_is_taken_steadily(serve, monkeypatch):
    """A long response gets more time, as long as it is read at the minimum rate."""
    monkeypatch.setattr(limits, "TIMEOUT_SECONDS", 0.5)
    client = serve(long)()
    client.sendall(GET)
    received, began = 0, time.monotonic()

    while part := client.recv(1024 * 1024):
        received += len(part)
        time.sleep(0.02)

    assert received > 64 * 1024 * 1024
    assert time.monotonic() - began > 1


def test_requests_ahead_of_their_answers(serve):
    """
    Pipelined requests are answered in order, each once the previous response is read.
    """

    def numbered(environ, start):
        body = environ["PATH_INFO"].encode() * 300_000
        start("200 OK", [("Content-Length", str(len(body)))])
        return [body]

    client = serve(numbered)()
    api = b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n"
    client.sendall(b"".join(api % number for number in range(9)))
    time.sleep(0.2)

    with client.makefile("rb") as answers:
        for number in range(9):
            while answers.readline() != b"\r\n":
                pass
            assert answers.read(600_000) == b"/%d" % number * 300_000


def test_answers_that_nobody_takes_together(serve, monkeypatch, caplog):
    """
    The total of unread responses is bounded: the oldest waiting connections are closed.
    """
    monkeypatch.setattr(limits, "MAX_UNREAD_BYTES", 100 * 1024 * 1024)
    connect = serve(long)
    first, second = connect(), connect()

    for client in (first, second):
        client.sendall(GET)
        time.sleep(0.2)
    wait_until(lambda: "event=unread connections=1" in caplog.text)

    assert taken_until_closed(first) < 64 * 1024 * 1024
    assert taken_until_closed(second) > 64 * 1024 * 1024


def wait_until(is_so):
    """Wait until a condition of the other side holds."""
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def taken_until_closed(client):
    """Read until the connection is closed; return the number of bytes."""
    received = 0
    with suppress(ConnectionError):
        while part := client.recv(1024 * 1024):
            received += len(part)
    return received


def test_crowd(serve, monkeypatch):
    """With many connections, the oldest idle ones make room for active ones."""
    monkeypatch.setattr(limits, "HIGH_WATER_CONNECTIONS", 5)
    connect = serve(hello)
    first, *_, last = [connect() for _ in range(12)]

    assert is_closed(first)
    last.sendall(GET)
    assert last.recv(100).startswith(b"HTTP/1.1 200")
