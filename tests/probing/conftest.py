"""Servers on this machine that respond, hang, send wrong data and crash."""

import re
import socket
import ssl
import subprocess
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from threading import Event, Thread

import pytest

from api.client.check import check_target
from api.client.probe_config import read_config
from models.platform.secrets import generate_secret
from tests.deploy.conftest import needed

KEY = generate_secret().text


@pytest.fixture
def shutdown():
    """Return an event that is set when the test has ended."""
    ended = Event()
    yield ended
    ended.set()


@pytest.fixture
def serve(shutdown):
    """
    Start a server and return where it listens.

    `behave(connection, request)` is called with each connection and its request.
    """
    listeners = []

    def started(behave, context=None):
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)

        def handle_connection(plain):
            with suppress(OSError), plain:
                wrapped = context.wrap_socket(plain, server_side=True) if context else 0
                with wrapped or nullcontext(plain) as connection:
                    behave(connection, read_request(connection))

        def accept():
            with suppress(OSError):
                while True:
                    Thread(
                        target=handle_connection,
                        args=listener.accept()[:1],
                        daemon=True,
                    ).start()

        Thread(target=accept, daemon=True).start()
        return f"127.0.0.1:{listener.getsockname()[1]}"

    yield started
    for listener in listeners:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def read_request(connection):
    """Return the request with its body, which can arrive after its headers."""
    request = connection.recv(65_536)
    length = re.search(rb"Content-Length: (\d+)", request)
    body = int(length[1]) if length else 0
    while len(request.partition(b"\r\n\r\n")[2]) < body:
        request += connection.recv(65_536)
    return request


def answer(status=200, body="all is well", **headers):
    """Return a behaviour that sends this response to every request."""
    text = body.encode()
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    head = [f"HTTP/1.1 {status} Told", f"Content-Length: {len(text)}", *lines]
    response = "\r\n".join([*head, "Connection: close", "", ""]).encode() + text
    return lambda connection, request: connection.sendall(response)


@pytest.fixture
def config(tmp_path):
    """Read a configuration that consists of required options and this text."""

    def read(text, api="http://127.0.0.1:1", **top):
        options = {"api": api, "source": "here", "retries": 0, **top}
        lines = [
            f"{name} = {f'{option!r}' if isinstance(option, str) else option}"
            for name, option in options.items()
        ]
        file = tmp_path / "probe.toml"
        file.write_text("\n".join([*lines, text]))
        return read_config(file, KEY)

    return read


@pytest.fixture
def check(config):
    """Check a target with these options; return status, reason and milliseconds."""

    def at(kind, *lines):
        target = ["[[targets]]", 'service = "api"', f'kind = "{kind}"', *lines]
        (read,) = config("\n".join(target)).targets
        result = check_target(read, datetime.now(UTC))
        measurement = result.measurement
        return measurement.status, result.reason, measurement.response_time_ms

    return at


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """Create a certificate for this machine or another name, valid for some days."""
    folder = tmp_path_factory.mktemp("certificates")

    def make_certificate(days, of="IP:127.0.0.1"):
        file = folder / f"{len([*folder.iterdir()])}.pem"
        arguments = (
            f"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days {days}"
        )
        certificate_options = [
            "-subj",
            "/CN=here",
            "-addext",
            f"subjectAltName={of}",
        ]
        outputs = ["-keyout", str(file) + ".key", "-out", str(file)]
        subprocess.run(
            [needed("openssl"), *arguments.split(), *certificate_options, *outputs],
            check=True,
            capture_output=True,
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file, str(file) + ".key")
        return context, file

    return make_certificate
