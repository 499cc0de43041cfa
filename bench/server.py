"""Start servers in their own processes, and measure requests to them."""

import http.client
import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from models.instance import create_instance_secrets
from models.platform.keys import CreateKey, issue_key
from models.platform.rate_limits import rate_limiter_for
from models.settings import Settings
from models.storage.database import database, migrate, open_database, writing
from tests.ports import free_port

ROOT = Path(__file__).parents[1]


@contextmanager
def empty_database():
    """Yield the path of a migrated database and the secret of a full-access key."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "bench.db")
        open_database(path)
        migrate()
        with writing():
            create_instance_secrets()
        yield path, full_access_key()
        database.close()


def full_access_key():
    """Create a key with every scope and a high rate limit; return its secret."""
    request = CreateKey(
        name="bench", scopes=["*"], rate_capacity=100_000, rate_refill=10_000.0
    )
    with writing():
        _, secret = issue_key(request, now(), issuer="bench@example.com")
    return secret.text


@contextmanager
def server_process(path, processes=1):
    """
    Yield the port and the process of an API server, or of MINIMAL_FLASK.

    With several processes, the one that is yielded only waits for the others.
    """
    port = free_port()
    command = [sys.executable, "-m", "bench.server", path, str(port), str(processes)]
    process = subprocess.Popen(command)
    try:
        _wait_for_port(port)
        yield port, process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(10)


@contextmanager
def app_server(settings, port):
    """Yield the process of `app.py serve` once it listens; end it afterwards."""
    environment = os.environ | {
        "MASTHEAD_DATABASE": settings.database,
        "MASTHEAD_OUTPUT": settings.output,
        "MASTHEAD_LOG_LEVEL": "error",
        "MASTHEAD_PROCESSES": str(settings.processes),
    }
    command = [sys.executable, "app.py", "serve", "--port", str(port)]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert "listening" in process.stdout.readline()
            yield process
        finally:
            process.terminate()


def _wait_for_port(port):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError("The server did not answer within ten seconds.")


class Client:
    """A client with one persistent connection."""

    def __init__(self, port, secret):
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.headers = {"Authorization": f"Bearer {secret}"}

    def get(self, path):
        self.connection.request("GET", path, headers=self.headers)
        return self._read(path)

    def post(self, path, body):
        self.connection.request("POST", path, body, headers=self.headers)
        return self._read(path)

    def _read(self, path):
        response = self.connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise RuntimeError(f"{path}: {response.status} {body[:300]!r}")
        return body


def p95(*calls, count=400):
    """
    Return the 95th percentile of each call's duration in milliseconds.

    The calls alternate, so that other work on the machine affects all of them equally.
    The first twenty rounds are a warm-up.
    """
    durations = [[] for _ in calls]
    for iteration in range(count + 20):
        for call, milliseconds in zip(calls, durations, strict=True):
            started = time.perf_counter()
            call()
            if iteration >= 20:
                milliseconds.append((time.perf_counter() - started) * 1000)
    return [sorted(milliseconds)[int(count * 0.95)] for milliseconds in durations]


def peak_megabytes(process):
    """Return the peak resident memory of the process."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def cpu_seconds(pid):
    """Return the CPU time of a process and of those that it started."""
    total = 0
    for process in (pid, *_children(pid)):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def _children(pid):
    return map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())


def now():
    return datetime.now(UTC)


# Instead of the path of a database: a Flask application with one constant page.
MINIMAL_FLASK = "minimal-flask"


def serve(path, port, processes):
    from waitress import serve as waitress_serve

    os.environ.clear()
    listener = socket.create_server(("127.0.0.1", port), backlog=1024)
    if processes > 1 and _has_children(processes):
        return
    # Waitress logs a warning for every request that waits for a thread.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    app = minimal_flask_app() if path == MINIMAL_FLASK else masthead_app(path)
    waitress_serve(app, sockets=[listener], threads=Settings().threads)


def _has_children(count):
    """Fork, and return in each child; in this process, end them with it."""
    pids = []
    for _ in range(count):
        if (pid := os.fork()) == 0:
            return False
        pids.append(pid)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    signal.sigwait({signal.SIGTERM})
    for pid in pids:
        os.kill(pid, signal.SIGTERM)
    return True


def masthead_app(path):
    from api.http.application import create_app

    open_database(path)
    settings = Settings(database=path)
    return create_app(settings, clock=now, rate_limiter=rate_limiter_for(path))


def minimal_flask_app():
    from flask import Flask

    app = Flask("minimal")
    app.get("/")(lambda: "Hello.")
    return app


if __name__ == "__main__":
    serve(sys.argv[1], *map(int, sys.argv[2:]))
