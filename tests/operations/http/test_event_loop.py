"""What the loop of the server does itself, and what it waits for."""

import os
import signal
import socket
import sys
import time
from contextlib import ExitStack
from tempfile import TemporaryFile
from threading import Event, Thread

import pytest

from api.http.application import BRIEF_REQUESTS, create_app
from api.http.server.channel import Channel
from api.http.server.server import limited_server
from models.settings import Settings
from tests.operations.http.test_load import wait_until
from tests.ports import served
from tests.processor import at_most

BRIEF, SLOW = "/brief", "/slow"


class Application:
    """Answers each path with its name: /slow once it may, /brief in the loop."""

    extensions = {BRIEF_REQUESTS: {("GET", BRIEF)}}

    def __init__(self):
        self.is_started, self.may_end = Event(), Event()
        # The ports of the clients of /brief, in the order of their requests.
        self.brief_ports = []
        # Called during the first of them.
        self.on_brief = lambda: None

    def __call__(self, environ, start):
        path = environ["PATH_INFO"]
        if path == SLOW:
            self.is_started.set()
            self.may_end.wait(30)
        else:
            self._note_brief(int(environ["REMOTE_PORT"]))
        start("200 OK", [("Content-Length", str(len(path)))])
        return [path.encode()]

    def _note_brief(self, port):
        self.brief_ports.append(port)
        if len(self.brief_ports) == 1:
            self.on_brief()


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

    # The loop would otherwise find the request over and over again.
    with at_most(0.1):
        time.sleep(0.5)
    application.may_end.set()

    assert bodies(client, 2) == [SLOW, BRIEF]


def test_client_that_has_gone(application, connect):
    """The end of a connection whose request is processed costs nothing until then."""
    client = connect()
    client.sendall(request(SLOW))
    application.is_started.wait(10)
    linger = b"\1\0\0\0\0\0\0\0"
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    client.close()

    with at_most(0.1):
        time.sleep(0.5)


def test_error_of_a_connection(application, connect, monkeypatch, caplog):
    """Whatever goes wrong with one connection ends it, and not the loop."""
    bad, other = connect(), connect()
    other.sendall(request(BRIEF))
    assert bodies(other, 1) == [BRIEF]

    def fail(_):
        raise RuntimeError("It cannot be closed.")

    with monkeypatch.context() as broken:
        broken.setattr(Channel, "handle_close", fail)
        bad.close()
        wait_until(lambda: "It cannot be closed." in caplog.text)

    other.sendall(request(BRIEF))
    assert bodies(other, 1) == [BRIEF]


def test_error_of_a_new_connection(application, connect, monkeypatch, caplog):
    """A connection that cannot be accepted does not keep the next one out."""

    def fail(_, server, accepted, *__, **___):
        accepted.close()
        raise RuntimeError("It cannot be accepted.")

    with monkeypatch.context() as broken:
        broken.setattr(Channel, "__init__", fail)
        connect()
        wait_until(lambda: "It cannot be accepted." in caplog.text)

    client = connect()
    client.sendall(request(BRIEF))
    assert bodies(client, 1) == [BRIEF]


def test_requests_ahead_do_not_delay_others(application, connect):
    """What one client has sent ahead is processed beside the requests of others."""
    greedy, other = connect(), connect()
    application.on_brief = lambda: other.sendall(request(BRIEF))

    greedy.sendall(request(BRIEF) * 100)

    assert bodies(other, 1) == [BRIEF]
    assert bodies(greedy, 100) == [BRIEF] * 100
    # The first request of the other client came during the first of all.
    assert application.brief_ports.index(other.getsockname()[1]) <= 2


def test_thread_that_ends_after_the_server():
    """It wakes nobody: a file may have the descriptor of what it would write to."""
    application = Application()
    listener = socket.create_server(("127.0.0.1", 0))
    server = limited_server(application, listener, threads=1)
    loop = Thread(target=server.run)
    loop.start()
    with (
        socket.create_connection(listener.getsockname(), 10) as client,
        ExitStack() as s,
    ):
        client.sendall(request(SLOW))
        application.is_started.wait(10)
        # The loop stops waiting for the connection, so that the thread would wake it.
        client.sendall(request(BRIEF))
        time.sleep(0.2)
        server.event_loop.stop()
        loop.join()
        server.task_dispatcher.shutdown(timeout=0)
        server.close()
        files = [s.enter_context(TemporaryFile()) for _ in range(9)]

        application.may_end.set()

        wait_until(lambda: not server.task_dispatcher.threads)
        assert not any(os.fstat(file.fileno()).st_size for file in files)
    for channel in list(server.active_channels.values()):
        channel.handle_close()
    server.close()


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
