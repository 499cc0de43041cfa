"""Servers of this machine that answer, hang, lie and die."""

import re
import socket
import ssl
import subprocess
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from threading import Event, Thread

import pytest

from api.client.check import look
from api.client.probe_config import read_plan
from models.platform.secrets import generate_secret
from tests.deploy.conftest import needed

KEY = generate_secret().text


@pytest.fixture
def over():
    """Set when the test has ended; who hangs waits for it."""
    ended = Event()
    yield ended
    ended.set()


@pytest.fixture
def serve(over):
    """
    Start a server and return where it listens.

    `behave(connection, asked)` is done with each connection, once something was
    asked on it.
    """
    listening = []

    def started(behave, context=None):
        listener = socket.create_server(("127.0.0.1", 0))
        listening.append(listener)

        def talk(plain):
            with suppress(OSError), plain:
                wrapped = context.wrap_socket(plain, server_side=True) if context else 0
                with wrapped or nullcontext(plain) as connection:
                    behave(connection, whole(connection))

        def accept():
            with suppress(OSError):
                while True:
                    Thread(target=talk, args=listener.accept()[:1], daemon=True).start()

        Thread(target=accept, daemon=True).start()
        return f"127.0.0.1:{listener.getsockname()[1]}"

    yield started
    for each in listening:
        each.shutdown(socket.SHUT_RDWR)
        each.close()


def whole(connection):
    """What is asked, with its body, which may come after its head."""
    asked = connection.recv(65_536)
    length = re.search(rb"Content-Length: (\d+)", asked)
    body = int(length[1]) if length else 0
    while len(asked.partition(b"\r\n\r\n")[2]) < body:
        asked += connection.recv(65_536)
    return asked


def answer(status=200, body="all is well", **headers):
    """What says this, whatever it is asked."""
    text = body.encode()
    lines = [f"{name.replace('_', '-')}: {told}" for name, told in headers.items()]
    head = [f"HTTP/1.1 {status} Told", f"Content-Length: {len(text)}", *lines]
    said = "\r\n".join([*head, "Connection: close", "", ""]).encode() + text
    return lambda connection, asked: connection.sendall(said)


@pytest.fixture
def plan(tmp_path):
    """Read a probe's file that says this, after what every file must say."""

    def read(text, api="http://127.0.0.1:1", **top):
        given = {"api": api, "source": "here", "retries": 0, **top}
        lines = [
            f"{n} = {f'{v!r}' if isinstance(v, str) else v}" for n, v in given.items()
        ]
        file = tmp_path / "probe.toml"
        file.write_text("\n".join([*lines, text]))
        return read_plan(file, KEY)

    return read


@pytest.fixture
def looked(plan):
    """Look once at a target that is told so; return status, why and milliseconds."""

    def at(kind, *lines):
        target = ["[[targets]]", 'service = "api"', f'kind = "{kind}"', *lines]
        (read,) = plan("\n".join(target)).targets
        found = look(read, datetime.now(UTC))
        said = found.measurement
        return said.status, found.why, said.response_time_ms

    return at


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """Make a certificate of this machine that holds for so many days."""
    folder = tmp_path_factory.mktemp("certificates")

    def made(days):
        file = folder / f"{len([*folder.iterdir()])}.pem"
        words = (
            f"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days {days}"
        )
        more = ["-subj", "/CN=here", "-addext", "subjectAltName=IP:127.0.0.1"]
        into = ["-keyout", str(file) + ".key", "-out", str(file)]
        subprocess.run(
            [needed("openssl"), *words.split(), *more, *into],
            check=True,
            capture_output=True,
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file, str(file) + ".key")
        return context, file

    return made
