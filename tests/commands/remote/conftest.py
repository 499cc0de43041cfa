"""A server that commands call, and a relay before it that sees all their requests."""

import http.client
import os
import subprocess
import sys
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

import app as masthead
from api.client import operations
from tests.commands.conftest import ROOT
from tests.factories.status import World
from tests.interrupts import heed_interrupts
from tests.ports import served
from tests.samples import pictures


class Cut(Exception):
    """The connection is cut here; the client gets no response."""


class Relay:
    """
    Forwards requests to a server, and records them as (verb, body).

    Reads are recorded separately, as paths in `reads`. Requests that only check whether
    the key has a scope precede the import, and are verbs in `scope_checks`.

    `before` and `after` are called with the verb and the number of a request: `before`
    before the request is forwarded, `after` before its response is returned. They may
    raise Cut, or return another response: its status, headers and body.
    """

    def __init__(self):
        self.port = None
        self.requests, self.scope_checks, self.reads = [], [], []
        self.before = self.after = lambda verb, number: None

    @property
    def verbs(self):
        return [verb for verb, _ in self.requests]

    @property
    def size(self):
        return sum(len(body) for _, body in self.requests)

    def sent(self, verb):
        return [body for seen, body in self.requests if seen == verb]

    def answer(self, request, body):
        path, _, query = request.path.partition("?")
        if request.command == "GET":
            self.reads.append(path)
            return self._pass_on(request, body)
        verb = path.rpartition("/")[2]
        if not query and not body:
            self.scope_checks.append(verb)
            return self._pass_on(request, body)
        self.requests.append((verb, body))
        number = len(self.requests)
        if result := self.before(verb, number):
            return result
        answer = self._pass_on(request, body)
        return self.after(verb, number) or answer

    def _pass_on(self, request, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            headers = dict(request.headers)
            connection.request(request.command, request.path, body, headers)
            response = connection.getresponse()
            headers = dict(response.headers) | {"Connection": "keep-alive"}
            return response.status, headers, response.read()
        except (OSError, http.client.HTTPException):
            return 502, {}, b"<h1>Bad Gateway</h1>"
        finally:
            connection.close()


@pytest.fixture
def relay():
    """A relay with a `url`; a test sets the `port` to which it forwards."""
    relay = Relay()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            try:
                status, headers, content = relay.answer(self, body)
            except Cut:
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in (headers | {"Content-Length": len(content)}).items():
                self.send_header(name, str(value))
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(content)

        do_GET = do_POST

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        relay.url = f"http://127.0.0.1:{server.server_address[1]}"
        yield relay
        server.shutdown()


@pytest.fixture
def remote_api(app, docs_project, relay):
    """A server with the database of this test, behind the relay."""
    with served(app, threads=4) as port:
        relay.port = port
        yield app


@pytest.fixture
def key_file(tmp_path, issue):
    return written_key(tmp_path, issue("projects:document-imports:*"))


def written_key(folder, key):
    file = folder / "key"
    file.touch(mode=0o600)
    file.write_text(key + "\n")
    return file


@pytest.fixture
def status_page(app, relay, api, clock):
    """A server with three services, behind the relay; calls create more through it."""
    world = World(api, clock)
    world.service("hello", name="Hello")
    world.service("api-gateway", name="Public API")
    world.service("search", name="Search")
    with served(app, threads=4) as port:
        relay.port = port
        yield world


@pytest.fixture
def on_call_key(tmp_path, issue, monkeypatch):
    """The file of a key for the status page, which the commands use."""
    file = written_key(tmp_path, issue("status:*"))
    monkeypatch.setenv("MASTHEAD_KEY_FILE", str(file))
    return file


@pytest.fixture
def run(relay, on_call_key, monkeypatch, capsys, pauses):
    """Run a command over the relay in this process; return (exit, output, errors)."""
    monkeypatch.setenv("MASTHEAD_API_URL", relay.url)
    # No file of this machine is read or written.
    monkeypatch.setenv("MASTHEAD_DATABASE", "/nowhere/masthead.db")

    def ran(*words):
        code = masthead.main([*map(str, words)])
        result = capsys.readouterr()
        return code, result.out, result.err

    return ran


@pytest.fixture
def tree(tmp_path):
    """Two pages and a picture."""
    folder = tmp_path / "tree"
    (folder / "basics").mkdir(parents=True)
    first = "# First\n\nSee [second](basics/second.md).\n\n![It](a.png)\n"
    (folder / "first.md").write_text(first)
    (folder / "basics/second.md").write_text("# Second\n\nThe second page.\n")
    (folder / "a.png").write_bytes(pictures.png())
    return folder


def words_of(tree, url, *options):
    words = ("docs", "import", tree, "--collection", "guides", "--publish")
    return [*map(str, words), "--to", url, *options]


@pytest.fixture
def import_over_relay(tree, relay, key_file, monkeypatch, capsys, pauses):
    """Import the tree over the relay in this process; return (exit, output, errors)."""
    monkeypatch.setenv("MASTHEAD_KEY_FILE", str(key_file))
    # No file of this machine is read or written.
    monkeypatch.setenv("MASTHEAD_DATABASE", "/nowhere/masthead.db")

    def run(*options, url=relay.url):
        relay.requests.clear()
        relay.scope_checks.clear()
        code = masthead.main(words_of(tree, url, *options))
        result = capsys.readouterr()
        return code, result.out, result.err

    return run


@pytest.fixture
def pauses(monkeypatch):
    """The pauses that a client would have made; sleeping takes no time."""
    made = []
    monkeypatch.setattr(operations, "sleep", made.append)
    return made


@pytest.fixture
def start_import(tree, relay, key_file):
    """Start the import as a process, which a test can kill."""
    processes = []

    def started(*options):
        environment = os.environ | {
            "MASTHEAD_KEY_FILE": str(key_file),
            "MASTHEAD_LOG_LEVEL": "error",
        }
        process = subprocess.Popen(
            [sys.executable, "app.py", *words_of(tree, relay.url, *options)],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=heed_interrupts,
        )
        processes.append(process)
        return process

    yield started
    for process in processes:
        process.kill()
        process.communicate()
