"""Measure how long others wait while one client or one key attacks the server."""

import http.client
import os
import socket
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

from bench.server import app_server, empty_database, now
from bench.work import fill
from models.platform.keys import CreateKey, issue_key
from models.settings import Settings
from models.storage.database import database, writing
from tests.ports import free_port

SECONDS = 8
UNREAD_CONNECTIONS, REQUESTS_AHEAD = 64, 40
BODY_CONNECTIONS, BODY_BYTES = 16, 20 * 1024 * 1024
SEARCHES = 16
SEARCH_PATH = "/projects/v1/search/list?q=%22a+description%22&limit=50"
IMPORT_PATH = "/projects/v1/admin/projects/import"


def run():
    with empty_database() as (path, secret), temporary_output() as output:
        fill()
        low_scope_key = limited_key()
        database.close()
        settings = Settings(database=path, output=output)
        for label, attack, probe in (
            ("no attack: /healthz", no_attack, probe_health),
            ("unread /openapi.json: /healthz", leave_unread, probe_health),
            ("no attack: services/list", no_attack, probe_services),
            ("searches of one key: services/list", search, probe_services),
        ):
            port = free_port()
            with app_server(settings, port), attack(port, low_scope_key):
                time.sleep(1)
                times = probe(port, secret)
            figures = f"{percentile(times, 0.5)}, {percentile(times, 0.95)}"
            yield f"{label}, p50 and p95, ms", figures, ""
            yield f"{label}, slowest, ms", str(percentile(times, 1)), ""
        with app_server(settings, port := free_port()) as server:
            megabytes = send_bodies(port, server.pid) / 1024**2
        yield "bodies without a key: temporary files, MB", f"{megabytes:.1f}", "0"


def temporary_output():
    # The builder of a killed server may still be writing.
    return TemporaryDirectory(ignore_cleanup_errors=True)


def limited_key():
    request = CreateKey(
        name="low scope",
        scopes=["projects:search:list"],
        rate_capacity=100_000,
        rate_refill=10_000.0,
    )
    with writing():
        _, secret = issue_key(request, now(), issuer="bench@example.com")
    return secret.text


def percentile(times, share):
    return round(sorted(times)[min(len(times) - 1, int(len(times) * share))], 1)


def probe_health(port, _):
    return request_times(port, "/healthz", {})


def probe_services(port, secret):
    headers = {"Authorization": f"Bearer {secret}"}
    return request_times(port, "/status/v1/services/list", headers)


def request_times(port, path, headers):
    """Request the path over new connections, and return the milliseconds of each."""
    times, end = [], time.monotonic() + SECONDS
    while time.monotonic() < end:
        started = time.perf_counter()
        with closing(
            http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        ) as client:
            client.request("GET", path, headers=headers)
            response = client.getresponse()
            response.read()
        assert response.status == 200
        times.append((time.perf_counter() - started) * 1000)
        time.sleep(0.02)
    return times


def connect(port):
    return http.client.HTTPConnection("127.0.0.1", port, timeout=60)


@contextmanager
def no_attack(*_):
    yield


@contextmanager
def leave_unread(port, _):
    """Request the largest document again and again, and read nothing."""
    request = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * REQUESTS_AHEAD
    with ExitStack() as stack:
        for _ in range(UNREAD_CONNECTIONS):
            client = socket.create_connection(("127.0.0.1", port))
            stack.enter_context(closing(client))
            client.sendall(request)
        yield


@contextmanager
def search(port, key):
    """Keep a number of costly searches in progress with one key."""
    stop = Event()
    threads = [
        Thread(target=keep_searching, args=(port, key, stop)) for _ in range(SEARCHES)
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def keep_searching(port, key, stop):
    headers = {"Authorization": f"Bearer {key}"}
    while not stop.is_set():
        with (
            suppress(OSError),
            closing(
                http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            ) as client,
        ):
            client.request("GET", SEARCH_PATH, headers=headers)
            client.getresponse().read()


def send_bodies(port, pid):
    """Send bodies without a key, and return the bytes of the server's deleted files."""
    header = (
        f"POST {IMPORT_PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: {2**26}\r\n\r\n"
    )
    with ExitStack() as stack:
        for _ in range(BODY_CONNECTIONS):
            client = socket.create_connection(("127.0.0.1", port), 10)
            stack.enter_context(closing(client))
            with suppress(OSError):
                client.sendall(header.encode())
                for _ in range(BODY_BYTES // 2**20):
                    client.sendall(b" " * 2**20)
        time.sleep(1)
        return deleted_bytes(pid)


def deleted_bytes(pid):
    total = 0
    for process in [pid, *children(pid)]:
        for link in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):
                is_deleted = str(link.readlink()).endswith("(deleted)")
                total += os.stat(link).st_size if is_deleted else 0
    return total


def children(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
