"""A server of its own process on a free port of this machine, and its database."""

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
from models.platform.shared_rate_limits import rate_limiter_for
from models.settings import Settings
from models.storage.database import database, migrate, open_database, writing
from tests.ports import free_port

ROOT = Path(__file__).parents[1]


@contextmanager
def empty_database():
    """Yield the path of a migrated database and the secret of a key for all."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "bench.db")
        open_database(path)
        migrate()
        with writing():
            create_instance_secrets()
        yield path, key_for_all()
        database.close()


def key_for_all():
    """Make a key that may do everything, at any rate; return its secret."""
    asked = CreateKey(
        name="bench", scopes=["*"], rate_capacity=100_000, rate_refill=10_000.0
    )
    with writing():
        _, secret = issue_key(asked, now(), issuer="bench@example.com")
    return secret.text


@contextmanager
def served(path):
    """Yield the port and the process of a server of the database, or of HELLO."""
    port = free_port()
    command = [sys.executable, "-m", "bench.server", path, str(port)]
    process = subprocess.Popen(command)
    try:
        _wait(port)
        yield port, process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(10)


@contextmanager
def serving(settings, port):
    """Yield the process of `app.py serve`, once it answers; at the end it is killed."""
    own = {"DATABASE": settings.database, "OUTPUT": settings.output}
    own["LOG_LEVEL"] = "error"
    environment = os.environ | {f"MASTHEAD_{name}": own[name] for name in own}
    words = [sys.executable, "app.py", "serve", "--port", str(port)]
    pipe = {"stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, cwd=ROOT, env=environment, **pipe) as process:
        try:
            assert "listening" in process.stdout.readline()
            yield process
        finally:
            process.kill()


def _wait(port):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError("The server did not answer within ten seconds.")


class Client:
    """One connection, kept open."""

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
    Return the 95th percentile of the milliseconds that each call takes.

    They take turns, so that whatever else the machine does meets them alike.
    """
    times = [[] for _ in calls]
    for turn in range(count + 20):
        for call, taken in zip(calls, times, strict=True):
            started = time.perf_counter()
            call()
            if turn >= 20:
                taken.append((time.perf_counter() - started) * 1000)
    return [sorted(taken)[int(count * 0.95)] for taken in times]


def peak_megabytes(process):
    """Return the most memory the process has held so far."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    line = next(each for each in status.splitlines() if each.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def now():
    return datetime.now(UTC)


# In the place of a database: the least that Flask can do.
HELLO = "hello"


def serve(path, port):
    from waitress import serve as wait

    os.environ.clear()
    # It warns of each request that has to wait for a thread.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    app = hello() if path == HELLO else product(path)
    wait(app, host="127.0.0.1", port=port, threads=Settings().threads)


def product(path):
    from api.http.application import create_app

    open_database(path)
    settings = Settings(database=path)
    return create_app(settings, clock=now, rate_limiter=rate_limiter_for(path))


def hello():
    from flask import Flask

    app = Flask("hello")
    app.get("/")(lambda: "Hello.")
    return app


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
