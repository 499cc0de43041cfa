"""Several servers of one database, as they would run on several hosts."""

import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import replace
from http.client import HTTPException
from pathlib import Path

import pytest

from api.http.application import create_app
from models.platform.keys import CreateKey, issue_key
from models.storage.database import writing
from tests.ports import free_port

ROOT = Path(__file__).parents[2]
# The errors of a server that was killed or has not started yet.
SERVER_DOWN = (OSError, HTTPException, json.JSONDecodeError)


class Server:
    """A process, and the folder it would build into."""

    def __init__(self, settings, folder):
        self.port = free_port()
        self.output = folder / f"output-{self.port}"
        own = {
            "MASTHEAD_DATABASE": settings.database,
            "MASTHEAD_OUTPUT": str(self.output),
            "MASTHEAD_PORT": str(self.port),
        }
        words = [sys.executable, "app.py", "serve"]
        with (folder / f"log-{self.port}").open("w") as log:
            self.process = subprocess.Popen(
                words, cwd=ROOT, env=os.environ | own, stdout=log, stderr=log
            )

    def api(self, path, data=None, key=None, repeat=None):
        """Return the status and the body of the response; raise one of SERVER_DOWN."""
        body = None if data is None else json.dumps(data).encode()
        headers = {"Content-Type": "application/json"} if body else {}
        headers |= {"Authorization": f"Bearer {key}"} if key else {}
        headers |= {"Idempotency-Key": repeat} if repeat else {}
        address = f"http://127.0.0.1:{self.port}{path}"
        request = urllib.request.Request(address, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    @property
    def is_up(self):
        with suppress(*SERVER_DOWN):
            return self.api("/healthz")[0] == 200
        return False

    @property
    def builds(self):
        """Return whether this is the server that shows the site."""
        with suppress(*SERVER_DOWN):
            return self.api("/status/")[0] == 200
        return False

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def until(what, seconds=300.0):
    """
    Wait until the condition holds, also on a slow machine; return the seconds waited.
    """
    began = time.monotonic()
    while not (found := what()):
        assert time.monotonic() - began < seconds, "It did not come."
        time.sleep(0.05)
    return found, time.monotonic() - began


@pytest.fixture
def servers(store, settings, tmp_path):
    """Start so many servers of the database; they end with the test."""
    started = []

    def start(count):
        started.extend(Server(settings, tmp_path) for _ in range(count))
        until(lambda: all(each.is_up for each in started))
        return started

    yield start
    for each in started:
        each.kill()


@pytest.fixture
def key(store, clock):
    """A key with all scopes and no practical rate limit."""
    request = CreateKey(name="test", scopes=["*"], rate_capacity=100_000)
    with writing():
        _, secret = issue_key(request, clock.now, issuer="ada@example.com")
    return secret.text


@pytest.fixture
def rng():
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    return random.Random(seed)


@pytest.fixture
def post(settings, clock, issue):
    """Post to one of two hosts; return the status and the JSON of the response."""
    hosts = [create_app(settings, clock=clock) for _ in range(2)]
    key = issue("*", rate_capacity=100_000)

    def post(host, path, body, secret=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers["Authorization"] = f"Bearer {secret or key}"
        client = hosts[host].test_client()
        sent = {"data": body} if isinstance(body, bytes) else {"json": body}
        response = client.post(path, headers=headers, **sent)
        return response.status_code, response.json

    return post


@pytest.fixture
def get(settings, clock, issue):
    client = create_app(settings, clock=clock).test_client()
    headers = {"Authorization": f"Bearer {issue('*', rate_capacity=100_000)}"}

    def get(path, **query):
        response = client.get(path, query_string=query, headers=headers)
        assert response.status_code == 200, response.text
        return response.json["data"]

    return get


@pytest.fixture
def strict(settings):
    """Settings under which a developer has one key, and a source one owner."""
    return replace(settings, developer_keys_max=1, source_policy="owned")


@pytest.fixture
def strict_post(strict, clock, store):
    hosts = [create_app(strict, clock=clock) for _ in range(2)]

    def post(host, path, body, secret, repeat="repeat"):
        headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": repeat}
        response = hosts[host].test_client().post(path, json=body, headers=headers)
        return response.status_code

    return post
