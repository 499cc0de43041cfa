"""
Measure how long others wait while one client or one key attacks the server.

There is no proxy in front. The others list the services over new connections.
"""

import http.client
import os
import socket
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from urllib.parse import urlencode

from bench.server import app_server, empty_database, now
from bench.work import fill
from models.platform.keys import CreateKey, issue_key
from models.settings import Settings
from models.storage.database import database, writing
from tests.ports import free_port

SECONDS = 8
UNREAD_CONNECTIONS, REQUESTS_AHEAD = 64, 40
IDLE_CONNECTIONS, SLOW_CONNECTIONS = 500, 100
BODY_CONNECTIONS, BODY_BYTES = 16, 20 * 1024 * 1024
CLIENTS = 16
SEARCH_PATH = "/projects/v1/search/list?q=%22a+description%22&limit=50"
IMPORT_PATH = "/projects/v1/admin/projects/import"
LIST_PATH = "/status/v1/services/list"
PREVIEW_PATH = "/console/documents/new/"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}


def run():
    with empty_database() as (path, secret), temporary_output() as output:
        fill()
        weak_key = limited_key()
        database.close()
        settings = Settings(database=path, output=output)
        for label, attack in ATTACKS.items():
            with app_server(settings, port := free_port()), attack(port, weak_key):
                time.sleep(1)
                times = request_times(port, secret)
            yield f"{label}: others' median, ms", percentile(times, 0.5), ""
            target = "<= 250" if attack is not no_attack else ""
            yield f"{label}: others' p99, ms", percentile(times, 0.99), target
        with app_server(settings, port := free_port()) as server:
            with send_bodies(port, None):
                time.sleep(1)
                megabytes = deleted_bytes(server.pid) / 1024**2
        yield "bodies without a key: temporary files, MB", f"{megabytes:.1f}", "<= 0"


def temporary_output():
    # The builder of a killed server may still be writing.
    return TemporaryDirectory(ignore_cleanup_errors=True)


def limited_key():
    """Return a key that may only search and preview, as often as it likes."""
    request = CreateKey(
        name="weak",
        scopes=["projects:search:list", "projects:documents:*"],
        rate_capacity=100_000,
        rate_refill=10_000.0,
    )
    with writing():
        _, secret = issue_key(request, now(), issuer="bench@example.com")
    return secret.text


def percentile(times, share):
    return f"{sorted(times)[min(len(times) - 1, int(len(times) * share))]:.1f}"


def request_times(port, secret):
    """List the services over new connections; return the milliseconds of each."""
    headers = {"Authorization": f"Bearer {secret}"}
    times, end = [], time.monotonic() + SECONDS
    while time.monotonic() < end:
        started = time.perf_counter()
        assert request(port, "GET", LIST_PATH, headers=headers) == 200
        times.append((time.perf_counter() - started) * 1000)
        time.sleep(0.02)
    return times


def request(port, *arguments, **options):
    """Send one request over a new connection; return the status of its response."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    with closing(client):
        client.request(*arguments, **options)
        response = client.getresponse()
        response.read()
        return response.status


@contextmanager
def no_attack(*_):
    yield


@contextmanager
def connections(port, count, sent=b""):
    """Yield connections over which these bytes were sent, and nothing is read."""
    with ExitStack() as stack:
        clients = []
        for _ in range(count):
            client = socket.create_connection(("127.0.0.1", port), 10)
            stack.enter_context(closing(client))
            client.sendall(sent)
            clients.append(client)
        yield clients


@contextmanager
def repeating(count, action):
    """Have threads repeat the action, which may fail, until the block ends."""
    stop = Event()

    def repeat():
        while not stop.is_set():
            with suppress(OSError, http.client.HTTPException):
                action()

    threads = [Thread(target=repeat) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def leave_unread(port, _):
    """Request the largest document again and again, and read nothing."""
    ahead = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * REQUESTS_AHEAD
    return connections(port, UNREAD_CONNECTIONS, ahead)


def stay_idle(port, _):
    return connections(port, IDLE_CONNECTIONS)


@contextmanager
def send_slowly(header, port, _):
    """Send this, and then a byte at a time on each of many connections."""
    with connections(port, SLOW_CONNECTIONS, header) as clients:

        def send_bytes():
            time.sleep(0.2)
            for client in clients:
                with suppress(OSError):
                    client.sendall(b"a")

        with repeating(1, send_bytes):
            yield


@contextmanager
def send_bodies(port, _):
    """Send large bodies without a key."""
    header = (
        f"POST {IMPORT_PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: {2**26}\r\n\r\n"
    )
    with connections(port, BODY_CONNECTIONS, header.encode()) as clients:
        for client in clients:
            with suppress(OSError):
                for _ in range(BODY_BYTES // 2**20):
                    client.sendall(b" " * 2**20)
        yield


def search(port, key):
    """Keep a number of costly searches in progress with one key."""
    headers = {"Authorization": f"Bearer {key}"}
    return repeating(
        CLIENTS, lambda: request(port, "GET", SEARCH_PATH, headers=headers)
    )


def guess_keys(port, _):
    """Send requests with keys that do not exist."""
    headers = {"Authorization": "Bearer mh_00000000_" + "0" * 49}
    return repeating(CLIENTS, lambda: request(port, "GET", LIST_PATH, headers=headers))


def preview_in_console(port, key):
    """Preview a costly text again and again in one session of the console."""
    text = "\n".join(f"- [*a*](b{n}) `c`" for n in range(20_000))
    body = urlencode({"_do": "preview", "title": "List", "content": text})
    headers = FORM | SAME_ORIGIN | {"Cookie": sign_in(port, key)}
    return repeating(
        CLIENTS,
        lambda: request(port, "POST", PREVIEW_PATH, body=body, headers=headers),
    )


def sign_in(port, key):
    """Return the cookie of a new session."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    with closing(client):
        body, headers = urlencode({"key": key}), FORM | SAME_ORIGIN
        client.request("POST", "/console/sign-in/", body, headers)
        return client.getresponse().headers["Set-Cookie"].partition(";")[0]


START = b"POST /status/v1/admin/services/add HTTP/1.1\r\nHost: x\r\n"
ATTACKS = {
    "no attack": no_attack,
    "unread answers": leave_unread,
    "slow headers": partial(send_slowly, b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: "),
    "slow bodies": partial(send_slowly, START + b"Content-Length: 60000\r\n\r\n"),
    "large bodies without a key": send_bodies,
    "many idle connections": stay_idle,
    "costly searches of one key": search,
    "wrong keys": guess_keys,
    "costly pages of one console session": preview_in_console,
}


def deleted_bytes(pid):
    """Return the size of the deleted files of a process and its children on a disk."""
    total = 0
    for process in [pid, *children(pid)]:
        for link in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):
                name = str(link.readlink())
                is_on_disk = not name.startswith("/memfd:")
                if name.endswith("(deleted)") and is_on_disk:
                    total += os.stat(link).st_size
    return total


def children(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
