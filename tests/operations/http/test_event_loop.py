"""What the loop of the server does itself, and what it waits for."""

import os
import signal
import socket
import sys
import time
from contextlib import ExitStack
from threading import Event
from time import process_time

import pytest

from api.http.application import BRIEF_REQUESTS, create_app
from api.http.server.server import limited_server
from models.settings import Settings
from tests.ports import served

BRIEF, SLOW = "/brief", "/slow"


class Application:
    """Answers each path with its name: /slow once it may, /brief in the loop."""

    extensions = {BRIEF_REQUESTS: {("GET", BRIEF)}}

    def __init__(self):
        self.is_started, self.may_end = Event(), Event()

    def __call__(self, environ, start):
        path = environ["PATH_INFO"]
        if path == SLOW:
            self.is_started.set()
            self.may_end.wait(30)
        start("200 OK", [("Content-Length", str(len(path)))])
        return [path.encode()]


@pytest.fixture
def application():
    return Application()


@pytest.fixture
def connect(application):
    """Serve with one thread, and return a way to connect."""
    with ExitStack() as stack:
        port = stack.enter_context(served(application, threads=1))
        stack.callback(application.may_end.set)

        def connected():
            client = socket.create_connection(("127.0.0.1", port), 10)
            return stack.enter_context(client)

        yield connected


def request(path):
    return f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()


def bodies(client, count):
    """Read so many responses, and return their bodies."""
    with client.makefile("rb") as responses:
        found = []
        for _ in range(count):
            lines = iter(responses.readline, b"\r\n")
            (length,) = [line for line in lines if line.startswith(b"Content-Length")]
            found.append(responses.read(int(length.split()[1])).decode())
        return found


def test_brief_request_needs_no_thread(application, connect):
    """While all threads are occupied, a brief request gets its response."""
    slow, brief = connect(), connect()
    slow.sendall(request(SLOW))
    application.is_started.wait(10)

    brief.sendall(request(BRIEF))

    assert bodies(brief, 1) == [BRIEF]


def test_responses_in_order(application, connect):
    """A brief request that was sent ahead waits for the response before it."""
    client, paths = connect(), [BRIEF, SLOW, BRIEF, BRIEF, SLOW, BRIEF]
    client.sendall(b"".join(map(request, paths)))
    application.is_started.wait(10)

    application.may_end.set()

    assert bodies(client, len(paths)) == paths


def test_request_sent_ahead(application, connect):
    """
    A request that comes while another is processed costs nothing until then, and is
    processed afterwards.
    """
    client = connect()
    client.sendall(request(SLOW))
    application.is_started.wait(10)
    client.sendall(request(BRIEF))
    started = process_time()
    time.sleep(0.5)
    taken = process_time() - started

    application.may_end.set()

    assert bodies(client, 2) == [SLOW, BRIEF]
    # The loop would otherwise find the request over and over again.
    assert taken < 0.1


def test_client_that_has_gone(application, connect):
    """The end of a connection whose request is processed costs nothing until then."""
    client = connect()
    client.sendall(request(SLOW))
    application.is_started.wait(10)
    linger = b"\1\0\0\0\0\0\0\0"
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    client.close()
    started = process_time()
    time.sleep(0.5)

    assert process_time() - started < 0.1


def test_signal_during_a_brief_request():
    """A process that is told to end sends the response that it is computing."""
    listener = socket.create_server(("127.0.0.1", 0))

    def application(environ, start):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.3)
        start("200 OK", [("Content-Length", "4")])
        return [b"done"]

    def serve():
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        brief = {("GET", "/")}
        limited_server(application, listener, threads=1, brief_requests=brief).run()

    pid = os.fork()
    if pid == 0:
        try:
            serve()
        except BaseException:
            os._exit(1)
        os._exit(0)
    with listener, socket.create_connection(listener.getsockname(), 10) as client:
        client.sendall(request("/"))

        assert bodies(client, 1) == ["done"]
    assert os.waitpid(pid, 0)[1] == 0


def test_brief_operations(store, clock):
    """
    An operation that looks one row up is brief where that is a file; a database on
    another machine would have the loop wait.
    """

    def routes(address):
        application = create_app(Settings(database=address), clock=lambda: clock.now)
        return application.extensions[BRIEF_REQUESTS]

    assert ("POST", "/platform/v1/keys/verify") in routes("data/masthead.db")
    assert ("POST", "/platform/v1/keys/add") not in routes("data/masthead.db")
    assert not routes("postgresql://db/masthead")
