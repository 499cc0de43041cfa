"""Run `app.py serve` with clients that write, and record what it has acknowledged."""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from bench.server import Client
from bench.write_requests import publish_request
from tests.ports import free_port

ROOT = Path(__file__).parents[1]
CLIENTS = 4
BROKEN = OSError, http.client.HTTPException
RETRY_SECONDS = 0.01
# Of a client whose writes go on through many kills: each is repeated and counted at
# the end, which takes longer than the kills otherwise.
PAUSE_SECONDS = 0.05


class LoadedServer:
    """A server process with clients that write, and the responses they received."""

    def __init__(self, masthead, first_number, **settings):
        self.masthead, self.settings = masthead, settings
        self.numbers = count(first_number)
        self.writes, self.responses, self.errors = {}, {}, []
        self.lock = threading.Lock()
        self.port = free_port()

    def start(self):
        """Start the server, and wait until it listens."""
        settings = self.masthead.settings
        environment = os.environ | {
            "MASTHEAD_DATABASE": settings.database,
            "MASTHEAD_OUTPUT": settings.output,
            "MASTHEAD_LOG_LEVEL": "error",
        }
        command = [sys.executable, "app.py", "serve", "--port", str(self.port)]
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment | self.settings,
            stdout=subprocess.PIPE,
            text=True,
        )
        if "listening" not in process.stdout.readline():
            process.kill()
            process.wait()
            process.stdout.close()
            raise RuntimeError("The server did not start.")
        return process

    def run_and_kill(self, seconds):
        """Put the server under load as soon as it listens; kill it after `seconds`."""
        with self.start() as process, ThreadPoolExecutor(CLIENTS) as threads:
            futures = [threads.submit(self._write_until_broken) for _ in range(CLIENTS)]
            time.sleep(seconds)
            process.send_signal(signal.SIGKILL)
        for future in futures:
            future.result()

    @contextmanager
    def under_load(self):
        """Have clients write; a request that breaks is repeated until it succeeds."""
        stopped = threading.Event()
        with ThreadPoolExecutor(CLIENTS) as threads:
            futures = [threads.submit(self._write_all, stopped) for _ in range(CLIENTS)]
            try:
                yield
            finally:
                stopped.set()
        for future in futures:
            future.result()

    def _write_until_broken(self):
        client = Client(self.port, self.masthead.key)
        try:
            while True:
                self._send(client, *self._next_write())
        except BROKEN:
            client.connection.close()

    def _write_all(self, stopped):
        client = Client(self.port, self.masthead.key)
        while not stopped.wait(PAUSE_SECONDS):
            number, write = self._next_write()
            while number not in self.responses and not stopped.is_set():
                try:
                    self._send(client, number, write)
                except BROKEN:
                    client.connection.close()
                    client = Client(self.port, self.masthead.key)
                    time.sleep(RETRY_SECONDS)
        client.connection.close()

    def _next_write(self):
        with self.lock:
            number = next(self.numbers)
            write = self.masthead.write_requests.write(number)
            self.writes[number] = write
        return number, write

    def _send(self, client, number, write):
        client.headers["Idempotency-Key"] = write.idempotency_key
        try:
            response = client.post(write.path, json.dumps(write.body))
        except RuntimeError as error:
            self.errors.append(str(error))
            response = b""
        self.responses[number] = response
        if response and write.path.endswith("/documents/create"):
            publish = publish_request(json.loads(response)["data"])
            self.writes[f"{number} published"] = publish
            self._send(client, f"{number} published", publish)
