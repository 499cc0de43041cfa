"""Measure incidents and requests while 10,000 documents are built, some hostile."""

import json
import shutil
import tempfile
import time
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from threading import Event, Thread
from uuid import uuid4

from bench.docs import Site, wait_until
from bench.hostile_documents import DOCUMENTS, LENGTH, LINE
from bench.server import Client, full_access_key
from models.storage.database import database, open_database
from tests.ports import free_port

COUNT, IDLE_SECONDS, PAUSE_SECONDS = 10_000, 40, 1.5
SERVICE, ADD = "api", "/status/v1/admin/incidents/add"
RESOLVE = "/status/v1/admin/incident-updates/add"
LIST = "/status/v1/services/list"


def run():
    with tempfile.TemporaryDirectory() as name:
        site = Site(Path(name), COUNT)
        site.fill(hostile_files=hostile_documents())
        yield from measure(site)


def hostile_documents():
    text = LINE * (LENGTH // len(LINE))
    return {f"hostile-{n}.md": f"# Hostile {n}\n\n{text}" for n in range(DOCUMENTS)}


def measure(site):
    """Measure from a start on an empty folder until the documents are there."""
    shutil.rmtree(site.output, ignore_errors=True)
    open_database(site.database)
    secret, port = full_access_key(), free_port()
    database.close()
    with site.start(port):
        wait_until(lambda: answers(port, secret))
        client, numbers = Writer(port, secret), count()
        add_service(client)
        list_page = site.output / "guides/index.html"
        started = time.perf_counter()
        with request_times(port, secret) as busy:
            incidents = measure_incidents(site, client, numbers, list_page.exists)
        cold = time.perf_counter() - started
        time.sleep(5)
        end = time.perf_counter() + IDLE_SECONDS
        with request_times(port, secret) as idle:
            quiet = measure_incidents(
                site, client, numbers, lambda: time.perf_counter() > end
            )
    prefix = f"{site.count:,} documents"
    yield f"{prefix}: cold build beside the API, s", f"{cold:.0f}", ""
    label = f"{prefix}: incident until its page and the overview"
    yield f"{label}, idle, p95 ms", f"{percentile(quiet, 0.95):.0f}", ""
    yield (
        f"{label}, during the build, median ms",
        f"{percentile(incidents, 0.5):.0f}",
        "",
    )
    yield f"{label}, p95 ms", f"{percentile(incidents, 0.95):.0f}", "<= 250"
    yield f"{label}, the longest, ms", f"{max(incidents):.0f}", ""
    for name, times, target in (
        ("idle", idle, ""),
        ("during the build", busy, "<= 50"),
    ):
        figures = ", ".join(f"{percentile(times, p):.1f}" for p in (0.5, 0.95))
        yield f"{prefix}: API {name}, p50, p95, ms", figures, ""
        yield f"{prefix}: API {name}, p99, ms", f"{percentile(times, 0.99):.1f}", target


def add_service(client):
    body = {"slug": SERVICE, "name": "API"}
    with suppress(RuntimeError):
        client.post("/status/v1/admin/services/add", body)


class Writer(Client):
    """A client that sends every write once, under a key of its own."""

    def post(self, path, body):
        self.headers["Idempotency-Key"] = uuid4().hex
        return super().post(path, json.dumps(body).encode())


def answers(port, secret):
    try:
        Client(port, secret).get("/healthz")
    except OSError:
        return False
    return True


def measure_incidents(site, client, numbers, is_over):
    """Open incidents one after the other; return the milliseconds of each."""
    times = []
    while not is_over():
        title = f"Errors {next(numbers)}"
        body = {"title": title, "severity": "degraded", "services": [SERVICE]}
        body |= {"body": "Looking."}
        response = client.post(ADD, body)
        started, id = time.perf_counter(), json.loads(response)["data"]["id"]
        status = site.output / "status"
        page, overview = status / f"incidents/{id}/index.html", status / "index.html"
        wait_until(lambda o=overview, p=page, t=title: p.exists() and t in text_of(o))
        times.append((time.perf_counter() - started) * 1000)
        # Else the overview would get longer and longer. The next incident does not wait
        # for the build of this change.
        solved = {"incidentId": id, "status": "resolved", "body": "Solved."}
        client.post(RESOLVE, solved)
        time.sleep(PAUSE_SECONDS)
    return times


def text_of(path):
    return path.read_text() if path.exists() else ""


@contextmanager
def request_times(port, secret):
    """Yield a list of the milliseconds of requests, sent until this is left."""
    times, stop = [], Event()

    def send():
        client = Client(port, secret)
        while not stop.is_set():
            started = time.perf_counter()
            client.get(LIST)
            times.append((time.perf_counter() - started) * 1000)
            time.sleep(0.01)

    thread = Thread(target=send)
    thread.start()
    try:
        yield times
    finally:
        stop.set()
        thread.join()


def percentile(times, share):
    return sorted(times)[int(len(times) * share)]
