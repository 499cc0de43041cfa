"""
Writers and builders killed, and what is left of what they had answered.

Before each step in turn: a process that writes into all areas and builds the site is
killed before its first statement, its second, its first file, …, until it survives.
At random moments: a server under the load of four clients.
"""

import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path

from api.http.application import create_app
from api.openapi.document import api_description
from bench.mix import Mix, publication
from bench.server import Client as Connection
from bench.server import empty_database, now
from models.projects.projects.projects import ensure_docs_project
from models.settings import NIL_UUID, Settings
from models.storage.database import database, open_database, reading, writing
from models.storage.integrity import integrity_problems
from sitegen.build.build import build
from sitegen.page import context_factory
from tests.crash.child import Deadly, Quick, forget, survives
from tests.pages.build.test_build import files_in
from tests.ports import free_port

ROOT = Path(__file__).parents[1]
WRITES, CLIENTS, MOMENTS = 10, 4, 60
LONGEST_LIFE = 1.0
READS = ("SELECT", "PRAGMA", "BEGIN", "--")


def run():
    seed = int(os.environ.get("SEED", random.randrange(10**9)))
    print(f"seed {seed}", flush=True)
    with instance() as found:
        steps = killed_at_steps(found, count(1))
    with instance() as found:
        moments = killed_at_moments(found, MOMENTS, random.Random(seed))
    total = steps + moments
    yield "kills before a step of a writer or builder", str(steps["kills"]), ""
    yield "kills of a server at a random moment", str(moments["kills"]), ""
    yield "kills", str(total["kills"]), ">= 200"
    yield "writes acknowledged", str(total["acknowledged"]), ""
    for name in (
        "lost",
        "doubled",
        "answered otherwise",
        "refused",
        "faults of the database",
    ):
        yield name, str(total[name]), "0"
    yield "files unlike those of a full build", str(total["files"]), "0"


class Instance:
    """A database, an output folder, a key for all, and the writes to come."""

    def __init__(self, path, key):
        self.path, self.key = path, key
        folder = Path(path).parent
        self.settings = Settings(database=path, output=str(folder / "output"))
        ensure_docs_project(now(), slug="docs", owner_id=NIL_UUID)
        with writing():
            self.mix = Mix()
        self.at = now()
        self.context = context_factory(self.settings, *api_description(self.settings))
        build(self.context(self.at), folder=Quick(self.settings.output))

    def ask(self, write, client=None):
        """Ask in this process; return the status and the answer's bytes."""
        app = client or create_app(self.settings, clock=now).test_client()
        headers = {"Authorization": f"Bearer {self.key}", "Idempotency-Key": write.text}
        answer = app.post(write.path, json=write.body, headers=headers)
        return answer.status_code, answer.data

    def judge(self, tried, answers):
        """Repeat every write, and tell what is not as it was answered."""
        told = Counter(acknowledged=len(answers))
        client = create_app(self.settings, clock=now).test_client()
        for number, write in tried.items():
            rows = write.rows
            told["lost"] += number in answers and rows == 0
            status, answer = self.ask(write, client)
            is_same = status == 200 and answers.get(number, answer) == answer
            told["answered otherwise"] += not is_same
            told["doubled"] += write.rows > 1
            told["doubled"] += write.is_audited and write.records != 1
        with reading():
            told["faults of the database"] = len(integrity_problems())
        return told

    def differences(self):
        """How many files a build leaves otherwise than a full one would make them."""
        context = self.context(now())
        build(context, folder=Quick(self.settings.output))
        with tempfile.TemporaryDirectory() as folder:
            build(context, folder=Quick(f"{folder}/site"))
            left = files_in(Path(self.settings.output))
            right = files_in(Path(folder) / "site")
        names = left.keys() | right.keys()
        return sum(left.get(name) != right.get(name) for name in names)


@contextmanager
def instance():
    with empty_database() as (path, key):
        yield Instance(path, key)


def killed_at_steps(found, steps):
    """Kill at each of the steps, until they are over or the process survives."""
    total, aside = Counter(), Path(found.path).parent / "aside"
    told = aside / "told"
    database.close()
    shutil.copytree(found.settings.output, aside / "output")
    shutil.copy(found.path, aside / "bench.db")
    for step in steps:
        database.close()
        forget(found.path)
        shutil.copy(aside / "bench.db", found.path)
        shutil.rmtree(found.settings.output)
        shutil.copytree(aside / "output", found.settings.output)
        told.write_text("")
        if survives(partial(work, found, step, told), found.path):
            break
        open_database(found.path)
        total += judged(found, told.read_text())
    return total


def judged(found, told):
    lines = [json.loads(line) for line in told.splitlines()]
    tried = {n: found.mix.write(n) for n in range(WRITES)}
    answers = {each["number"]: each["answer"].encode() for each in lines}
    for number, line in enumerate(lines, WRITES):
        if "/documents/" in tried[line["number"]].path:
            tried[number] = publication(json.loads(line["answer"])["data"])
    result = Counter(kills=1) + found.judge(tried, answers)
    return result + Counter(files=found.differences())


def work(found, step, told):
    """Write, tell each answer, publish what was written and build; die at the step."""
    folder = Deadly(found.settings.output, step)

    def trace(statement):
        if not statement.lstrip().upper().startswith(READS):
            folder.step()

    database.connect(reuse_if_open=True)
    database.connection().set_trace_callback(trace)
    client = create_app(found.settings, clock=now).test_client()
    with told.open("a", buffering=1) as file:
        for number in range(WRITES):
            write = found.mix.write(number)
            status, answer = found.ask(write, client)
            assert status == 200, answer
            folder.step()
            file.write(json.dumps({"number": number, "answer": answer.decode()}) + "\n")
            if "/documents/" in write.path:
                found.ask(publication(json.loads(answer)["data"]), client)
    build(found.context(now()), folder=folder)


def killed_at_moments(found, kills, chance):
    """Kill a server under load; each is followed by another on the same database."""
    total, first, before = Counter(), 0, {}
    for number in range(kills):
        database.close()
        life = Life(found, first)
        life.spend(chance.uniform(0.05, LONGEST_LIFE))
        open_database(found.path)
        total += Counter(kills=1) + found.judge(life.tried, life.answers)
        if number % 5 == 4 or number == kills - 1:
            total += Counter(files=found.differences())
            total["lost"] += sum(write.rows != 1 for write in before.values())
        before |= life.tried
        total["refused"] += len(life.refused)
        first = next(life.numbers)
    return total


class Life:
    """A server, its clients, and what they were answered."""

    def __init__(self, found, first):
        self.found = found
        self.numbers = count(first)
        self.tried, self.answers, self.refused = {}, {}, []
        self.lock = threading.Lock()
        self.port = free_port()

    def spend(self, seconds):
        """Serve and load for so long after the first answer can be had; kill."""
        threads = [threading.Thread(target=self._load) for _ in range(CLIENTS)]
        with self._server() as server:
            assert "listening" in server.stdout.readline()
            for each in threads:
                each.start()
            time.sleep(seconds)
            server.send_signal(signal.SIGKILL)
            for each in threads:
                each.join()

    def _server(self):
        settings = self.found.settings
        own = {"DATABASE": settings.database, "OUTPUT": settings.output}
        own["LOG_LEVEL"] = "error"
        environment = os.environ | {f"MASTHEAD_{n}": v for n, v in own.items()}
        words = [sys.executable, "app.py", "serve", "--port", str(self.port)]
        return subprocess.Popen(
            words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
        )

    def _load(self):
        client = Connection(self.port, self.found.key)
        # Until the server is dead, which is when nothing comes any more.
        with (
            closing(client.connection),
            suppress(OSError, http.client.HTTPException),
        ):
            while True:
                self._write(client)

    def _write(self, client):
        with self.lock:
            number = next(self.numbers)
            write = self.tried[number] = self.found.mix.write(number)
        try:
            self._ask(client, number, write)
        except RuntimeError as error:
            self.refused.append(str(error))

    def _ask(self, client, number, write):
        client.headers["Idempotency-Key"] = write.text
        answer = client.post(write.path, json.dumps(write.body))
        self.answers[number] = answer
        if write.path.endswith("/documents/create"):
            shown = publication(json.loads(answer)["data"])
            self.tried[f"{number} shown"] = shown
            self._ask(client, f"{number} shown", shown)
