"""Importing another status page over the network: which requests are made."""

import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from api.client import fetch
from api.client.fetch import fetch_documents
from models.errors import ValidationFailed
from tests.commands.conftest import ROOT
from tests.interrupts import heed_interrupts

PAGE = Path(__file__).parents[1] / "elsewhere/statuspage"


class Elsewhere(BaseHTTPRequestHandler):
    """Serves the sample page, and other configured responses."""

    answers: dict = {}

    def do_GET(self):
        name = self.path.rsplit("/", 1)[-1]
        result = self.answers.get(name)
        if result is None and (PAGE / name).is_file():
            result = (200, {}, (PAGE / name).read_bytes())
        status, headers, body = result or (404, {}, b"Nothing here.")
        self.send_response(status)
        for header, value in headers.items():
            self.send_header(header, value)
        self.end_headers()
        with suppress(ConnectionError):
            for part in [body] if isinstance(body, bytes) else body:
                self.wfile.write(part)

    def log_message(self, *_):
        pass


@pytest.fixture
def base():
    """The address of another status page."""
    Elsewhere.answers = {}
    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_import(command, base):
    """An import from an address equals one from the saved documents."""
    first = command("status", "import", f"{base}/")
    second = command("status", "import", PAGE)

    assert "added 7, unchanged 0, left out 1" in first[1]
    assert second[1] == "added 0, unchanged 7, left out 1\n"


def test_document_that_is_missing(command, base):
    """If a document is missing, nothing is imported."""
    Elsewhere.answers = {"incidents.json": (500, {}, b"")}

    code, out, err = command("status", "import", base)

    assert (code, out) == (2, "")
    assert err.endswith("/api/v2/incidents.json returned 500, not 200.\n")


def test_redirect_on_the_host(base):
    """A redirect on the host is followed, but not in circles."""
    Elsewhere.answers = {
        "old.json": (301, {"Location": "/else/summary.json"}, b""),
        "round.json": (302, {"Location": "round.json"}, b""),
    }

    found = fetch_documents(base, ["old.json"])

    assert found == {"old.json": (PAGE / "summary.json").read_text()}
    with pytest.raises(ValidationFailed, match="redirects more than 3 times"):
        fetch_documents(base, ["round.json"])


@pytest.mark.parametrize(
    "target", ["http://127.0.0.1:1/a", "https://elsewhere.example/", "//other.example/"]
)
def test_redirect_off_the_host(base, target):
    """A redirect to another host is rejected, because no one named that host."""
    Elsewhere.answers = {"a.json": (302, {"Location": target}, b"")}

    with pytest.raises(ValidationFailed, match="which is on another host"):
        fetch_documents(base, ["a.json"])


def test_too_much(base, monkeypatch):
    """The total size of all documents is limited."""
    size = (PAGE / "summary.json").stat().st_size
    monkeypatch.setattr(fetch, "MAX_BYTES", 2 * size)

    assert len(fetch_documents(base, ["summary.json"])) == 1
    with pytest.raises(ValidationFailed, match=f"has more than {2 * size} bytes"):
        fetch_documents(base, ["summary.json", "summary.json", "components.json"])


@pytest.mark.parametrize("status", [200, 302])
def test_too_slow(base, monkeypatch, status):
    """The total time of all documents is limited, for slow servers too."""
    monkeypatch.setattr(fetch, "MAX_SECONDS", 0.5)
    headers = {"Location": "a.json", "Content-Length": "1000"}
    Elsewhere.answers = {"a.json": (status, headers, drip())}

    with pytest.raises(ValidationFailed, match=r"more than 0\.5 seconds"):
        fetch_documents(base, ["a.json"])


def drip():
    """Send a body byte by byte, for longer than any limit of these tests."""
    for _ in range(1000):
        time.sleep(0.05)
        yield b" "


def test_no_text(base):
    """A document that is no text is named."""
    Elsewhere.answers = {"a.json": (200, {}, b"\xff\xfe")}

    with pytest.raises(ValidationFailed, match="is not text in UTF-8"):
        fetch_documents(base, ["a.json"])


def test_nobody_there():
    """A closed port is reported with a sentence."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    with pytest.raises(ValidationFailed, match="cannot be read"):
        fetch_documents(f"http://127.0.0.1:{port}", ["a.json"])


def test_silence(monkeypatch):
    """A server that does not respond is given up."""
    monkeypatch.setattr(fetch, "MAX_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]

        with pytest.raises(ValidationFailed, match=r"more than 0\.2 seconds"):
            fetch_documents(f"http://127.0.0.1:{port}", ["a.json"])


def test_interrupted(environment):
    """Ctrl-C while waiting ends with a sentence, and nothing was imported."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        base = f"http://127.0.0.1:{silent.getsockname()[1]}"
        words = [sys.executable, "app.py", "status", "import", base]
        process = subprocess.Popen(
            words,
            cwd=ROOT,
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=heed_interrupts,
        )
        body, _ = silent.accept()
        with body:
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert err == "masthead: Interrupted. Nothing was imported.\n"
