"""
Measure the memory of a server with a builder during mixed work with large texts.

MINUTES=60 runs it for an hour.
"""

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from pathlib import Path

from bench.kills import instance
from bench.server import Client, app_server, now, peak_megabytes
from bench.tree import document
from models.settings import NIL_UUID
from models.storage.database import database
from tests.ports import free_port

MINUTES = float(os.environ.get("MINUTES", "1"))
CLIENTS, PAUSE_SECONDS = 4, 2
TEXT_LENGTH = 400_000
# The documents on the site, and those of the project that is exported: its bundle has
# 40 MB, since it contains the text of each document and that of its only revision.
PUBLISHED, EXPORTED = 40, 50
DOCUMENTS = "/projects/v1/documents"
SAMPLE_SECONDS = 2
MAX_MEGABYTES = 250


def run():
    with instance() as masthead:
        database.close()
        port = free_port()
        with app_server(masthead.settings, port) as server:
            load = Load(masthead, port)
            load.prepare()
            samples = load.run(server.pid, MINUTES * 60)
            peak = peak_megabytes(server)
        database_bytes = Path(masthead.path).stat().st_size
    last = samples[-max(1, len(samples) // 10) :]
    yield "minutes", f"{MINUTES:g}", ""
    yield "requests", str(next(load.numbers)), ""
    yield "exports of 40 MB over HTTP", str(load.exports), ""
    yield "saves of 400 KB", str(load.saves), ""
    yield "responses other than 200", str(load.failures), "0"
    yield "database at the end, MB", str(database_bytes >> 20), ""
    limit = f"<= {MAX_MEGABYTES}"
    yield "memory of the server (RSS), peak, MB", f"{peak:.0f}", limit
    mean = sum(last) // len(last)
    yield "the same, mean of the last tenth, MB", str(mean >> 20), ""


class Load:
    """Clients that save, publish, read, compare and export large texts in turn."""

    def __init__(self, masthead, port):
        self.key, self.port = masthead.key, port
        self.write_requests = masthead.write_requests
        self.numbers = count()
        self.failures = self.exports = self.saves = 0
        self.published, self.exported_project = [], ""

    def prepare(self):
        client = Client(self.port, self.key)
        body = {"slug": "atlas", "name": "Atlas", "ownerId": NIL_UUID}
        self.exported_project = self.post(client, "/projects/v1/projects/create", body)
        for number in range(EXPORTED):
            self.create(client, number, self.exported_project["id"])
        for number in range(PUBLISHED):
            project = self.write_requests.project
            id = self.create(client, number, project, collection="guides")["id"]
            self.post(client, f"{DOCUMENTS}/publish", {"id": id})
            self.published.append(id)

    def create(self, client, number, project, **fields):
        body = {"projectId": project, "type": "note", "title": f"Text {number}"}
        body |= {"slug": f"text-{number}", "content": text(number, 0)} | fields
        return self.post(client, f"{DOCUMENTS}/create", body)

    def run(self, pid, seconds):
        """Return the resident memory of the process in bytes, every few seconds."""
        end, samples = time.monotonic() + seconds, []
        with ThreadPoolExecutor(CLIENTS) as threads:
            futures = [threads.submit(self.work, end) for _ in range(CLIENTS)]
            while time.monotonic() < end:
                samples.append(resident_bytes(pid))
                time.sleep(SAMPLE_SECONDS)
            for future in futures:
                future.result()
        return samples

    def work(self, end):
        client = Client(self.port, self.key)
        steps = self.save, self.read, self.export, self.write_small, self.read_lists
        while time.monotonic() < end:
            number = next(self.numbers)
            try:
                steps[number % len(steps)](client, number)
            except RuntimeError:
                self.failures += 1
            time.sleep(PAUSE_SECONDS)

    def save(self, client, number):
        """Save a new version of a document, and publish it."""
        id = self.published[number // 5 % PUBLISHED]
        body = {"id": id, "content": text(number % PUBLISHED, number)}
        self.post(client, f"{DOCUMENTS}/update", body)
        self.post(client, f"{DOCUMENTS}/publish", {"id": id})
        self.saves += 1

    def read(self, client, number):
        """Read a document, the difference of its newest versions, and its page."""
        id = self.published[number // 5 % PUBLISHED]
        path = f"{DOCUMENTS}/get?id={id}"
        version = json.loads(client.get(path))["data"]["version"]
        if version > 1:
            between = f"from={version - 1}&to={version}"
            path = f"/projects/v1/document-revisions/diff?documentId={id}&{between}"
            client.get(path)
        # The page may not be built yet.
        with suppress(RuntimeError):
            client.get(f"/guides/text-{number // 5 % PUBLISHED}/")

    def export(self, client, number):
        """Export the project; most often only a part of the work of this turn."""
        if number % 25 == 2:
            id = self.exported_project["id"]
            client.get(f"/projects/v1/projects/export?id={id}")
            self.exports += 1
        else:
            client.get("/projects/v1/published/list?limit=20")

    def write_small(self, client, number):
        write = self.write_requests.write(number // 5 * 5 + number // 5 % 5)
        self.post(client, write.path, write.body, write.idempotency_key)

    def read_lists(self, client, _):
        client.get("/projects/v1/search/list?q=server%20queues")
        client.get("/status/v1/services/list")
        client.get("/status/")

    def post(self, client, path, body, idempotency_key=None):
        headers = client.headers | {"Content-Type": "application/json"}
        if idempotency_key:
            headers["Idempotency-Key"] = idempotency_key
        client.connection.request("POST", path, json.dumps(body), headers)
        response = client.connection.getresponse()
        content = response.read()
        if response.status != 200:
            raise RuntimeError(f"{path}: {response.status} {content[:300]!r}")
        return json.loads(content)["data"]


def text(number, revision):
    """Return sections of a document until they have about 400 KB."""
    parts, numbers = [], count(number * 100)
    while sum(map(len, parts)) < TEXT_LENGTH:
        parts.append(document(next(numbers), 10_000, revision)[1])
    return "\n".join(parts)[:TEXT_LENGTH] + f"\n\nSaved {now()}.\n"


def resident_bytes(pid):
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    line = next(line for line in lines if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024
