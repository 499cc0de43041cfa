"""Measure 32 clients that read and write, without and with hostile clients."""

import http.client
import json
import socket
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from itertools import count
from threading import Event, Thread
from typing import NamedTuple

from bench.kills import instance
from bench.server import app_server
from bench.write_requests import Write
from models.storage.database import database, open_database, reading
from models.storage.integrity import integrity_problems
from tests.ports import free_port

CLIENTS, SECONDS = 32, 15
IDLE_CONNECTIONS, SLOW_CONNECTIONS = 500, 100
READ_PATHS = (
    "/status/v1/services/list",
    "/status/v1/incidents/list",
    "/projects/v1/work-items/list?limit=20",
    "/projects/v1/search/list?q=thing",
    "/platform/v1/keys/list",
    "/status/",
    "/readyz",
)
TOO_LARGE_BODY = b'{"name": "' + b"x" * 300 * 1024 + b'"}'


def run():
    for suffix, other_clients in (
        ("alone", no_other_clients),
        ("with hostile clients", hostile),
    ):
        with instance() as masthead:
            result = loaded(masthead, CLIENTS, SECONDS, other_clients)
        percentiles = f"{result['p50']}, {result['p99']}"
        yield f"requests of {CLIENTS} clients, {suffix}", str(result["requests"]), ""
        yield f"responses with 5xx, {suffix}", str(result["5xx"]), "0"
        label = f"responses other than 200 and database errors, {suffix}"
        yield label, str(result["odd"]), "0"
        yield f"writes acknowledged, {suffix}", str(result["acknowledged"]), ""
        yield f"writes lost or duplicated, {suffix}", str(result["lost"]), "0"
        yield f"response time, p50 and p99, ms, {suffix}", percentiles, "<= 2000"


class Exchange(NamedTuple):
    """A request, which is a Write or a path to read, and how it was answered."""

    request: Write | str
    status: int
    milliseconds: float


def loaded(masthead, clients, seconds, other_clients):
    """Run the clients for `seconds`; return the counts and the response times."""
    database.close()
    port, numbers = free_port(), count()
    with ExitStack() as stack:
        stack.enter_context(app_server(masthead.settings, port))
        stack.enter_context(other_clients(port, masthead.key))
        end = time.monotonic() + seconds
        threads = stack.enter_context(ThreadPoolExecutor(clients))
        futures = [
            threads.submit(run_client, masthead, port, numbers, end)
            for _ in range(clients)
        ]
        exchanges = [exchange for future in futures for exchange in future.result()]
    open_database(masthead.path)
    return summarize(exchanges)


def run_client(masthead, port, numbers, end):
    """Write and read alternately on one connection; return the exchanges."""
    exchanges, headers = [], {"Authorization": f"Bearer {masthead.key}"}
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as client:
        while time.monotonic() < end:
            number = next(numbers)
            write = masthead.write_requests.write(number)
            exchanges.append(send(client, write, headers))
            path = READ_PATHS[number % len(READ_PATHS)]
            read_headers = {} if path == "/readyz" else headers
            exchanges.append(send(client, path, read_headers))
    return exchanges


def send(client, request, headers):
    started = time.perf_counter()
    if isinstance(request, str):
        client.request("GET", request, headers=headers)
    else:
        write_headers = headers | {"Idempotency-Key": request.idempotency_key}
        client.request("POST", request.path, json.dumps(request.body), write_headers)
    response = client.getresponse()
    response.read()
    milliseconds = (time.perf_counter() - started) * 1000
    return Exchange(request, response.status, milliseconds)


def summarize(exchanges):
    """Count the responses, and the rows of each write."""
    times = sorted(exchange.milliseconds for exchange in exchanges)
    writes = [
        exchange.request
        for exchange in exchanges
        if isinstance(exchange.request, Write)
    ]
    result = Counter(requests=len(exchanges), acknowledged=len(writes))
    for exchange in exchanges:
        result["5xx"] += exchange.status >= 500
        result["odd"] += exchange.status != 200
    result["lost"] = sum(write.row_count != 1 for write in writes)
    with reading():
        result["odd"] += len(integrity_problems())
    result |= Counter(p50=round(times[len(times) // 2]))
    return result | Counter(p99=round(times[int(len(times) * 0.99)]))


@contextmanager
def no_other_clients(*_):
    yield


@contextmanager
def hostile(port, key, idle=IDLE_CONNECTIONS, slow=SLOW_CONNECTIONS):
    """Open idle and slow connections, and keep sending bodies that are too large."""
    stop = Event()
    with ExitStack() as stack:
        for _ in range(idle):
            stack.enter_context(connect(port))
        slow_connections = [stack.enter_context(connect(port)) for _ in range(slow)]
        for connection in slow_connections:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        for thread in (
            Thread(target=send_header_bytes, args=(stop, slow_connections)),
            Thread(target=send_large_bodies, args=(stop, port, key)),
        ):
            thread.start()
            stack.callback(thread.join)
        stack.callback(stop.set)
        yield


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=30)


def send_header_bytes(stop, connections):
    """Send one header byte on every connection twice a second."""
    while not stop.wait(0.5):
        for connection in connections:
            try:
                connection.sendall(b"a")
            except OSError:
                continue


def send_large_bodies(stop, port, key):
    """Alternately send a body above the limit and announce a terabyte."""
    headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": "big"}
    path = "/platform/v1/keys/add"
    huge = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {10**12}\r\n\r\n"
    while not stop.wait(0.05):
        with closing(http.client.HTTPConnection("127.0.0.1", port)) as client:
            client.request("POST", path, TOO_LARGE_BODY, headers)
            assert client.getresponse().status == 413
        with connect(port) as client:
            client.sendall(huge.encode())
            assert b"413" in client.recv(100)
