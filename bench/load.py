"""32 clients that write and read in all areas, alone and beside hostile ones."""

import http.client
import json
import socket
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from itertools import count
from threading import Event, Thread

from bench.kills import instance
from bench.server import serving
from models.storage.database import database, open_database, reading
from models.storage.integrity import integrity_problems
from tests.ports import free_port

CLIENTS, SECONDS = 32, 15
IDLE, SLOW = 500, 100
READS = (
    "/status/v1/services/list",
    "/status/v1/incidents/list",
    "/projects/v1/work-items/list?limit=20",
    "/projects/v1/search/list?q=thing",
    "/platform/v1/keys/list",
    "/status/",
    "/readyz",
)
BIG = b'{"name": "' + b"x" * 300 * 1024 + b'"}'


def run():
    for circumstance, company in (("alone", nobody), ("in bad company", hostile)):
        with instance() as found:
            told = loaded(found, CLIENTS, SECONDS, company)
        yield f"requests of {CLIENTS} clients, {circumstance}", str(told["asked"]), ""
        yield f"of these answered 5xx, {circumstance}", str(told["5xx"]), "0"
        yield f"of these not as they should be, {circumstance}", str(told["odd"]), "0"
        yield f"writes acknowledged, {circumstance}", str(told["acknowledged"]), ""
        yield f"lost or doubled, {circumstance}", str(told["lost"]), "0"
        yield f"p50, p99 ms, {circumstance}", f"{told['p50']}, {told['p99']}", "<= 2000"


def loaded(found, clients, seconds, company):
    """Let so many clients ask for so long; tell what they were answered."""
    database.close()
    port, numbers, until = free_port(), count(), []
    with ExitStack() as stack:
        stack.enter_context(serving(found.settings, port))
        stack.enter_context(company(port, found.key))
        until.append(time.monotonic() + seconds)
        threads = stack.enter_context(ThreadPoolExecutor(clients))
        asking = [
            threads.submit(ask, found, port, numbers, until[0]) for _ in range(clients)
        ]
        told = [each.result() for each in asking]
    open_database(found.path)
    return judged([one for each in told for one in each])


def ask(found, port, numbers, until):
    """Write and read in turns on one connection; tell (write, status, ms)."""
    told, headers = [], {"Authorization": f"Bearer {found.key}"}
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as client:
        while time.monotonic() < until:
            number = next(numbers)
            write = found.mix.write(number)
            told.append(timed(client, write, headers))
            path = READS[number % len(READS)]
            client_headers = {} if path == "/readyz" else headers
            told.append(timed(client, path, client_headers))
    return told


def timed(client, asked, headers):
    started = time.perf_counter()
    if isinstance(asked, str):
        client.request("GET", asked, headers=headers)
    else:
        body, text = json.dumps(asked.body), {"Idempotency-Key": asked.text}
        client.request("POST", asked.path, body, headers | text)
    response = client.getresponse()
    response.read()
    return asked, response.status, (time.perf_counter() - started) * 1000


def judged(told):
    """Count the answers, and the rows of what was written."""
    times = sorted(ms for _, _, ms in told)
    writes = [asked for asked, _, _ in told if not isinstance(asked, str)]
    result = Counter(asked=len(told), acknowledged=len(writes))
    for _, status, _ in told:
        result["5xx"] += status >= 500
        result["odd"] += status != 200
    result["lost"] = sum(write.rows != 1 for write in writes)
    with reading():
        result["odd"] += len(integrity_problems())
    result |= Counter(p50=round(times[len(times) // 2]))
    return result | Counter(p99=round(times[int(len(times) * 0.99)]))


@contextmanager
def nobody(*_):
    yield


@contextmanager
def hostile(port, key, idle=IDLE, slow=SLOW):
    """Connections that say nothing, that say a byte at a time, and bodies too big."""
    over = Event()
    with ExitStack() as stack:
        silent = [stack.enter_context(connected(port)) for _ in range(idle)]
        speaking = [stack.enter_context(connected(port)) for _ in range(slow)]
        for each in speaking:
            each.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        for work, given in ((drip, speaking), (burden, (port, key))):
            thread = Thread(target=work, args=(over, *given))
            thread.start()
            stack.callback(thread.join)
        stack.callback(over.set)
        yield silent


def connected(port):
    return socket.create_connection(("127.0.0.1", port), timeout=30)


def drip(over, *speaking):
    while not over.wait(0.5):
        for each in speaking:
            try:
                each.sendall(b"a")
            except OSError:
                continue


def burden(over, port, key):
    """One after the other, bodies that are too big, and what claims to be huge."""
    headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": "big"}
    path = "/platform/v1/keys/add"
    huge = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {10**12}\r\n\r\n"
    while not over.wait(0.05):
        with closing(http.client.HTTPConnection("127.0.0.1", port)) as client:
            client.request("POST", path, BIG, headers)
            assert client.getresponse().status == 413
        with connected(port) as client:
            client.sendall(huge.encode())
            assert b"413" in client.recv(100)
