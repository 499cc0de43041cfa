"""Rules for the connections of the server, whatever happens to one of them."""

import os
import signal
import socket
import time
from contextlib import ExitStack
from tempfile import TemporaryFile
from threading import Event, Thread, main_thread

import pytest

from api.http.application import LOOK_UPS, create_app
from api.http.server.server import Channel, Server, limited_server
from models.settings import Settings
from tests.operations.http.test_load import wait_until
from tests.ports import served

QUICK, SLOW, LOOK_UP = "/quick", "/slow", "/look-up"


class Application:
    """Responds to each path with its name; to /slow only when it is released."""

    extensions = {LOOK_UPS: {("GET", LOOK_UP)}}

    def __init__(self):
        self.is_started, self.may_end = Event(), Event()
        # The ports of the clients, in the order of their requests.
        self.ports = []

    def __call__(self, environ, start):
        path = environ["PATH_INFO"]
        self.ports.append(int(environ["REMOTE_PORT"]))
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
    """Serve with one thread, and return a function that connects."""
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
    """Read this number of responses, and return their bodies."""
    with client.makefile("rb") as responses:
        found = []
        for _ in range(count):
            lines = iter(responses.readline, b"\r\n")
            (length,) = [line for line in lines if line.startswith(b"Content-Length")]
            found.append(responses.read(int(length.split()[1])).decode())
        return found


def test_look_up_needs_no_thread(application, connect):
    """While all threads are occupied, a look-up gets its response."""
    slow, client = connect(), connect()
    slow.sendall(request(SLOW))
    application.is_started.wait(10)

    client.sendall(request(LOOK_UP))

    assert bodies(client, 1) == [LOOK_UP]


def test_responses_in_order(application, connect):
    """Pipelined requests get their responses in the same order."""
    client, paths = connect(), [LOOK_UP, SLOW, LOOK_UP, QUICK, SLOW, LOOK_UP]
    client.sendall(b"".join(map(request, paths)))
    application.is_started.wait(10)

    application.may_end.set()

    assert bodies(client, len(paths)) == paths


@pytest.mark.parametrize("path", [QUICK, LOOK_UP])
def test_requests_ahead_do_not_delay_others(application, connect, path):
    """Pipelined requests of one client take turns with those of others."""
    greedy, other = connect(), connect()
    greedy.sendall(request(SLOW) + request(path) * 100)
    application.is_started.wait(10)
    other.sendall(request(QUICK))
    time.sleep(0.2)

    application.may_end.set()

    assert bodies(other, 1) == [QUICK]
    assert bodies(greedy, 101) == [SLOW, *[path] * 100]
    assert application.ports.index(other.getsockname()[1]) <= 2


def test_error_of_a_connection(connect, monkeypatch, caplog):
    """An error of one connection closes it, and does not end the loop."""
    bad, other = connect(), connect()
    other.sendall(request(QUICK))
    assert bodies(other, 1) == [QUICK]

    def fail(_):
        raise RuntimeError("It cannot be closed.")

    with monkeypatch.context() as broken:
        broken.setattr(Channel, "handle_close", fail)
        bad.close()
        wait_until(lambda: "It cannot be closed." in caplog.text)

    other.sendall(request(QUICK))
    assert bodies(other, 1) == [QUICK]


def test_error_of_a_new_connection(connect, monkeypatch, caplog):
    """A connection that cannot be accepted does not block the next one."""

    def fail(_, server, accepted, *__, **___):
        accepted.close()
        raise RuntimeError("It cannot be accepted.")

    with monkeypatch.context() as broken:
        broken.setattr(Channel, "__init__", fail)
        connect()
        wait_until(lambda: "It cannot be accepted." in caplog.text)

    client = connect()
    client.sendall(request(QUICK))
    assert bodies(client, 1) == [QUICK]


def test_error_between_connections(connect, monkeypatch, caplog):
    """An error while timed-out connections are closed does not end the loop."""

    def fail(*_):
        raise RuntimeError("Nothing can be closed.")

    with monkeypatch.context() as broken:
        broken.setattr(Server, "maintenance", fail)
        wait_until(lambda: "Nothing can be closed." in caplog.text)

    client = connect()
    client.sendall(request(QUICK))
    assert bodies(client, 1) == [QUICK]


def test_thread_that_ends_after_the_server():
    """
    A thread that ends after the server wakes nothing: its descriptor may be a file by
    now.
    """
    application = Application()
    listener = socket.create_server(("127.0.0.1", 0))
    server = limited_server(application, listener, threads=1)
    loop = Thread(target=server.run)
    loop.start()
    with (
        socket.create_connection(listener.getsockname(), 10) as client,
        ExitStack() as stack,
    ):
        client.sendall(request(SLOW))
        application.is_started.wait(10)
        server.task_dispatcher.shutdown(timeout=0)
        server.close()
        files = [stack.enter_context(TemporaryFile()) for _ in range(9)]

        application.may_end.set()

        wait_until(lambda: not server.task_dispatcher.threads)
        assert not any(os.fstat(file.fileno()).st_size for file in files)
    wait_until(lambda: not server.active_channels)
    server.stop()
    server.close()
    loop.join()


@pytest.mark.parametrize("look_ups", [set(), {("GET", "/")}], ids=["thread", "loop"])
def test_signal_during_a_request(look_ups):
    """A process that is told to stop still sends the response that it is computing."""
    listener = socket.create_server(("127.0.0.1", 0))

    def application(environ, start):
        # At once in the main thread, which another one may compute for.
        signal.pthread_kill(main_thread().ident, signal.SIGTERM)
        time.sleep(0.3)
        start("200 OK", [("Content-Length", "4")])
        return [b"done"]

    def serve():
        server = limited_server(application, listener, threads=1, look_ups=look_ups)
        signal.signal(signal.SIGTERM, lambda *_: server.stop())
        server.run()

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


def test_operations_that_are_look_ups(store, clock):
    """
    keys/verify runs in the loop only on SQLite; a remote database would delay all
    connections.
    """

    def routes(address):
        application = create_app(Settings(database=address), clock=lambda: clock.now)
        return application.extensions[LOOK_UPS]

    assert ("POST", "/platform/v1/keys/verify") in routes("data/masthead.db")
    assert ("POST", "/platform/v1/keys/add") not in routes("data/masthead.db")
    assert not routes("postgresql://db/masthead")
