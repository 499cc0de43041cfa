"""
Kill writers, builders and servers, and compare what remains with their responses.

A process that writes to all areas and builds the site is killed before its first write
statement, before its second, before its first file and so on, until it survives.

Then servers are killed at random times under the load of four clients, and finally each
of the processes of a server, while the others continue.
"""

import json
import os
import random
import shutil
import tempfile
from collections import Counter
from contextlib import contextmanager
from functools import partial
from itertools import count, cycle, islice
from pathlib import Path

from api.http.application import create_app
from api.http.problem_types import describe_problems
from api.openapi.document import current_openapi
from bench.loaded_server import LoadedServer
from bench.process_kills import VICTIMS, killed_processes
from bench.server import empty_database, now
from bench.write_requests import WriteRequests, publish_request
from models.projects.projects.projects import ensure_docs_project
from models.settings import NIL_UUID, Settings
from models.storage.database import database, open_database, reading, writing
from models.storage.integrity import integrity_problems
from sitegen.builder.build import build
from sitegen.output.folder import OutputFolders
from sitegen.page import context_factory
from tests.crash.child import Deadly, Quick, Steps, forget, survives
from tests.pages.builder.test_build import files_in

WRITES, RANDOM_KILLS, PROCESS_KILLS = 10, 30, 30
MIN_LIFETIME_SECONDS, MAX_LIFETIME_SECONDS = 0.05, 1.0
READ_STATEMENTS = ("SELECT", "PRAGMA", "BEGIN", "--")
FAILURES = (
    "writes lost",
    "writes duplicated",
    "different responses when repeated",
    "requests refused",
    "errors in the database",
)


def run():
    seed = int(os.environ.get("SEED", random.randrange(10**9)))
    print(f"seed {seed}", flush=True)
    with instance() as masthead:
        step_result = killed_at_steps(masthead, count(1))
    with instance() as masthead:
        random_result = killed_at_moments(masthead, RANDOM_KILLS, random.Random(seed))
    with instance() as masthead:
        victims = list(islice(cycle(VICTIMS), PROCESS_KILLS))
        process_result = killed_processes(masthead, victims, random.Random(seed))
    kills, longest = process_result.pop("by process"), process_result.pop("longest")
    total = step_result + random_result + process_result
    yield "kills before a step of a writer or builder", str(step_result["kills"]), ""
    yield "kills of a server at a random time", str(random_result["kills"]), ""
    for name, number in sorted(kills.items()):
        yield f"kills of a process of a server: {name}", str(number), ""
    for name, seconds in sorted(longest.items()):
        yield f"longest time until {name}, seconds", f"{seconds:.1f}", "<= 2"
    yield "kills in total", str(total["kills"]), ">= 200"
    yield "writes acknowledged", str(total["acknowledged"]), ""
    for failure in FAILURES:
        yield failure, str(total[failure]), "0"
    yield "files that differ from a full build", str(total["files"]), "0"


class Instance:
    """A database, an output folder, a full-access key and the writes to send."""

    def __init__(self, path, key):
        self.path, self.key = path, key
        folder = Path(path).parent
        self.settings = Settings(database=path, output=str(folder / "output"))
        ensure_docs_project(now(), slug="docs", owner_id=NIL_UUID)
        with writing():
            self.write_requests = WriteRequests()
        openapi = current_openapi(self.settings.site_name)
        self.context = context_factory(self.settings, describe_problems(), openapi, now)
        build(self.context(), folders=OutputFolders(self.settings.output, Quick))

    def test_client(self):
        return create_app(self.settings, clock=now).test_client()

    def send(self, write, client):
        """Send the write in this process; return the status and the body."""
        headers = {
            "Authorization": f"Bearer {self.key}",
            "Idempotency-Key": write.idempotency_key,
        }
        response = client.post(write.path, json=write.body, headers=headers)
        return response.status_code, response.data

    def count_failures(self, writes, responses):
        """Repeat every write, and count what contradicts its first response."""
        result = Counter(acknowledged=len(responses))
        client = self.test_client()
        for number, write in writes.items():
            result["writes lost"] += number in responses and write.row_count == 0
            status, body = self.send(write, client)
            is_same = status == 200 and responses.get(number, body) == body
            result["different responses when repeated"] += not is_same
            result["writes duplicated"] += write.row_count > 1
            result["writes duplicated"] += (
                write.is_audited and write.audit_record_count != 1
            )
        with reading():
            result["errors in the database"] = len(integrity_problems())
        return result

    def count_different_files(self):
        """Build, and return how many files differ from those of a full build."""
        context = self.context()
        build(context, folders=OutputFolders(self.settings.output, Quick))
        with tempfile.TemporaryDirectory() as folder:
            build(context, folders=OutputFolders(f"{folder}/site", Quick))
            actual = files_in(Path(self.settings.output))
            expected = files_in(Path(folder) / "site")
        names = actual.keys() | expected.keys()
        return sum(actual.get(name) != expected.get(name) for name in names)


@contextmanager
def instance():
    with empty_database() as (path, key):
        yield Instance(path, key)


def killed_at_steps(masthead, steps):
    """Kill a writer at one step after the other, until one survives; return counts."""
    total, initial = Counter(), Path(masthead.path).parent / "initial"
    response_log = initial / "responses.jsonl"
    database.close()
    shutil.copytree(masthead.settings.output, initial / "output")
    shutil.copy(masthead.path, initial / "bench.db")
    for step in steps:
        database.close()
        forget(masthead.path)
        shutil.copy(initial / "bench.db", masthead.path)
        shutil.rmtree(masthead.settings.output)
        shutil.copytree(initial / "output", masthead.settings.output)
        response_log.write_text("")
        writer = partial(write_and_build, masthead, step, response_log)
        if survives(writer, masthead.path):
            break
        open_database(masthead.path)
        total += count_after_kill(masthead, response_log.read_text())
    return total


def count_after_kill(masthead, response_log):
    records = [json.loads(line) for line in response_log.splitlines()]
    writes = {number: masthead.write_requests.write(number) for number in range(WRITES)}
    responses = {record["number"]: record["response"].encode() for record in records}
    for number, record in enumerate(records, WRITES):
        if "/documents/" in writes[record["number"]].path:
            writes[number] = publish_request(json.loads(record["response"])["data"])
    result = Counter(kills=1) + masthead.count_failures(writes, responses)
    return result + Counter(files=masthead.count_different_files())


def write_and_build(masthead, step, response_log):
    """Write, log the responses, publish the documents and build; die at `step`."""
    steps = Steps(step)
    folders = OutputFolders(masthead.settings.output, partial(Deadly, steps))

    def count_write_statement(statement):
        if not statement.lstrip().upper().startswith(READ_STATEMENTS):
            steps.next()

    database.connect(reuse_if_open=True)
    database.connection().set_trace_callback(count_write_statement)
    client = masthead.test_client()
    with response_log.open("a", buffering=1) as log:
        for number in range(WRITES):
            write = masthead.write_requests.write(number)
            status, body = masthead.send(write, client)
            assert status == 200, body
            steps.next()
            log.write(json.dumps({"number": number, "response": body.decode()}) + "\n")
            if "/documents/" in write.path:
                masthead.send(publish_request(json.loads(body)["data"]), client)
    build(masthead.context(), folders=folders)


def killed_at_moments(masthead, kills, rng):
    """Kill one server after the other at random times under load; return counts."""
    total, first_number, earlier_writes = Counter(), 0, {}
    for kill in range(kills):
        database.close()
        server = LoadedServer(masthead, first_number)
        server.run_and_kill(rng.uniform(MIN_LIFETIME_SECONDS, MAX_LIFETIME_SECONDS))
        open_database(masthead.path)
        total += Counter(kills=1)
        total += masthead.count_failures(server.writes, server.responses)
        if kill % 5 == 4 or kill == kills - 1:
            total += Counter(files=masthead.count_different_files())
            total["writes lost"] += sum(
                write.row_count != 1 for write in earlier_writes.values()
            )
        earlier_writes |= server.writes
        total["requests refused"] += len(server.errors)
        first_number = next(server.numbers)
    return total
