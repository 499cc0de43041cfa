"""
Watch the memory of each process of a server under a steady load.

MINUTES=60 runs it for an hour; the memory is shown every five minutes.
"""

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from uuid import uuid4

from bench.docs import process_tree
from bench.kills import instance
from bench.server import Client, app_server, now
from bench.tree import document
from models.fields import format_moment
from models.storage.database import database
from tests.ports import free_port

MINUTES = float(os.environ.get("MINUTES", "5"))
INTERVAL_SECONDS = 300
SERVICES, CLIENTS, PAUSE_SECONDS = 20, 4, 0.25
STATUS, DOCUMENTS = "/status/v1/admin", "/projects/v1/documents"


def run():
    with instance() as masthead:
        database.close()
        port = free_port()
        with (
            app_server(masthead.settings, port) as server,
            load(masthead, port) as sent,
        ):
            started = time.monotonic()
            while (minutes := (time.monotonic() - started) / 60) < MINUTES:
                time.sleep(min(INTERVAL_SECONDS, MINUTES * 60))
                sizes = [memory(pid) for pid in process_tree(server.pid)]
                each = ", ".join(f"{size:.0f}" for size in sizes)
                label = f"after {minutes + INTERVAL_SECONDS / 60:.0f} min: memory, MB"
                yield f"{label}, of each process", each, ""
                yield f"{label}, of all", f"{sum(sizes):.0f}", ""
            yield "requests", str(next(sent)), ""


def memory(pid):
    """Return the proportional set size of a process in megabytes."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(each.split()[1]) for each in lines if each.startswith("Pss:")) / 1024


@contextmanager
def load(masthead, port):
    """Have clients write and read at a steady pace; yield the count of requests."""
    numbers, end = count(), time.monotonic() + MINUTES * 60 + 5
    client = Mix(masthead, port, numbers)
    for number in range(SERVICES):
        service = {"slug": f"s{number}", "name": f"Service {number}"}
        client.post(f"{STATUS}/services/add", service)
    with ThreadPoolExecutor(CLIENTS) as threads:
        futures = [
            threads.submit(Mix(masthead, port, numbers).work, end)
            for _ in range(CLIENTS)
        ]
        yield numbers
        for future in futures:
            future.result()


class Mix:
    """A client that measures, opens and resolves incidents, publishes, and reads."""

    def __init__(self, masthead, port, numbers):
        self.client = Client(port, masthead.key)
        self.project, self.numbers = masthead.write_requests.project, numbers

    def work(self, end):
        steps = self.measure, self.measure, self.incident, self.publish, self.read
        while time.monotonic() < end:
            number = next(self.numbers)
            steps[number % len(steps)](number)
            time.sleep(PAUSE_SECONDS)

    def measure(self, number):
        status = "down" if number % 50 == 0 else "operational"
        samples = [
            {
                "slug": f"s{service}",
                "status": status if service == number % SERVICES else "operational",
                "responseTimeMs": 40,
                "observedAt": format_moment(now()),
            }
            for service in range(SERVICES)
        ]
        body = {"source": f"probe-{number % 3}", "measurements": samples}
        self.post(f"{STATUS}/measurements/record", body)

    def incident(self, number):
        body = {"title": f"Errors {number}", "severity": "degraded", "body": "Looking."}
        body |= {"services": [f"s{number % SERVICES}"]}
        id = self.post(f"{STATUS}/incidents/add", body)["id"]
        solved = {"incidentId": id, "status": "resolved", "body": "Solved."}
        self.post(f"{STATUS}/incident-updates/add", solved)

    def publish(self, number):
        body = {"projectId": self.project, "type": "note", "title": f"Text {number}"}
        body |= {"slug": f"text-{number}", "content": document(number, 1000)[1]}
        id = self.post(f"{DOCUMENTS}/create", body | {"collection": "guides"})["id"]
        self.post(f"{DOCUMENTS}/publish", {"id": id})

    def read(self, _):
        self.client.get("/status/v1/services/list")
        self.client.get("/status/")

    def post(self, path, body):
        self.client.headers["Idempotency-Key"] = uuid4().hex
        return json.loads(self.client.post(path, json.dumps(body)))["data"]
