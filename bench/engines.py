"""The same questions to SQLite and to PostgreSQL: in one run, and in turns."""

import json
import random
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, mkdtemp

from bench import services
from bench.docs import Site, memory_of, timed
from bench.keys import asked, connected, got, posted, verification
from bench.measurements import BATCH, RECORD, batch, by_hand
from bench.server import key_for_all, now, served
from bench.work import WORDS
from models.platform.secrets import hash_secret
from models.projects.fields import Actor
from models.projects.projects.projects import docs_project
from models.projects.work.items import CreateWorkItem, create_work_item
from models.runtime.startup import open_instance
from models.settings import NIL_UUID, Settings
from models.storage.database import database, writing
from models.storage.engines.engine import is_postgresql
from models.storage.engines.postgresql_driver import connect_to
from tests.databases.databases import Files, databases

HEADS = "What", "SQLite", "PostgreSQL"
ITEMS, DOCUMENTS = 2_000, 1_000
# So long each load runs, so often in turn with the others; so often one publishes.
SECONDS, TURNS, PUBLICATIONS = 1, 3, 8
WORK = "/projects/v1/work-items"
SEARCH = "/projects/v1/search/list?q=cursor+w7*"
# As Debian starts it, every commit on the disk; only that nobody else finds it.
IN_SERVICE = {"listen_addresses": ""}
# No two requests of a run have the same.
numbers = count(1)


def run():
    private = Path(mkdtemp(prefix="cluster"))
    with TemporaryDirectory() as name, databases(private, IN_SERVICE) as server:
        folder, keepings = Path(name), (Files(Path(name)), server)
        beside = [each.at(folder / "alone.db") for each in keepings]
        what = "the driver alone, one row a commit, writes/s"
        yield row(what, in_turns(*(partial(alone, each) for each in beside)))
        worlds = [World(each.at(folder / "api.db")) for each in keepings]
        yield from apart(worlds)
        yield from together(worlds[1])
        sites = [each.at(folder / "site.db") for each in keepings]
        yield from pages(
            Site(folder / str(number), DOCUMENTS, each)
            for number, each in enumerate(sites)
        )


def row(what, figures, form=",.0f"):
    return what, *(format(each, form) for each in figures)


def in_turns(*loads):
    """Return the middle of what each load tells; other work meets all alike."""
    told = [[load() for load in loads] for _ in range(TURNS)]
    return [median(each) for each in zip(*told, strict=True)]


def alone(address):
    """Keep a row as often as it goes in a second, and nothing else."""
    connection = connect_to(address) if is_postgresql(address) else by_hand(address)
    with closing(connection):
        connection.execute("CREATE TABLE IF NOT EXISTS alone (n BIGINT, text TEXT)")
        kept, started = 0, time.perf_counter()
        while time.perf_counter() < started + SECONDS:
            kept += 1
            connection.execute("INSERT INTO alone VALUES (?, ?)", (kept, "x" * 300))
        return kept / (time.perf_counter() - started)


class World:
    """A database with services and work, and what is asked of it."""

    def __init__(self, address):
        self.address = address
        open_instance(Settings(database=address), now())
        self.key, self.project = key_for_all(), docs_project().id
        services.fill(BATCH)
        chance, actor = random.Random(1), Actor("account", NIL_UUID)
        with writing():
            for number in range(ITEMS):
                words = f"{chance.choice(WORDS)} {chance.choice(WORDS)} w{number}"
                create_work_item(CreateWorkItem(**self._item(words)), now(), actor)
        database.close()

    def _item(self, title):
        return {"project_id": self.project, "type": "task", "title": title}

    def get(self, path, _):
        return got(self.key, path)

    def verify(self, _):
        return verification(self.key, hash_secret(self.key))

    def create(self, number):
        asked = {"projectId": self.project, "type": "task", "title": f"More {number}"}
        return posted(self.key, f"{WORK}/create", json.dumps(asked))

    def record(self, number):
        return posted(self.key, RECORD, batch(f"probe-{number % 10}", now()))

    def asks(self):
        """Yield what it is called, how many ask at once, the request, its parts."""
        alive = partial(self.get, "/healthz")
        yield "healthz, one connection, requests/s", 1, alive, 1
        yield "keys/verify, one connection, requests/s", 1, self.verify, 1
        yield "healthz, 8 connections, requests/s", 8, alive, 1
        yield "keys/verify, 8 connections, requests/s", 8, self.verify, 1
        yield "work-items/create, one connection, writes/s", 1, self.create, 1
        yield "work-items/create, 8 connections, writes/s", 8, self.create, 1
        what = f"measurements/record, {BATCH} a batch, samples/s"
        yield what, 4, self.record, BATCH
        listed = partial(self.get, "/status/v1/services/list")
        yield f"services/list of {BATCH} services, requests/s", 1, listed, 1
        found = partial(self.get, SEARCH)
        yield f"search/list over {ITEMS:,} and more, requests/s", 1, found, 1
        items = partial(self.get, f"{WORK}/list?limit=20")
        yield "work-items/list, requests/s", 1, items, 1


def apart(worlds):
    """One server of each engine, without a builder."""
    with ExitStack() as stack:
        ports = [stack.enter_context(served(each.address))[0] for each in worlds]
        for asks in zip(*(each.asks() for each in worlds), strict=True):
            loads = [
                partial(load, [port], connections, request, parts)
                for port, (_, connections, request, parts) in zip(
                    ports, asks, strict=True
                )
            ]
            yield row(asks[0][0], in_turns(*loads))


def together(world):
    """Servers of one PostgreSQL; 8 connections ask whatever number there is."""
    with ExitStack() as stack:
        ports = [stack.enter_context(served(world.address))[0] for _ in range(4)]
        for what, request in (("verify", world.verify), ("create", world.create)):
            loads = (partial(load, ports[:most], 8, request) for most in (1, 2, 4))
            for most, rate in zip((1, 2, 4), in_turns(*loads), strict=True):
                told = f"{what} on PostgreSQL, servers together: {most}, a second"
                yield told, "", f"{rate:,.0f}"


def load(ports, connections, request, parts=1):
    """Return how many parts so many connections get answered in a second."""
    end = time.perf_counter() + SECONDS

    def ask(place):
        answered = 0
        with connected(ports[place % len(ports)]) as connection:
            while time.perf_counter() < end:
                asked(connection, request(next(numbers)))
                answered += parts
        return answered

    started = time.perf_counter()
    with ThreadPoolExecutor(connections) as threads:
        answered = sum(threads.map(ask, range(connections)))
    return answered / (time.perf_counter() - started)


def pages(sites):
    """The whole of `app.py`: its builds, then a server that builds."""
    sites = list(sites)
    for each in sites:
        each.fill()
    of = f"{DOCUMENTS:,} documents"
    for what, act in (
        ("a cold build", lambda each: timed(each.build())),
        ("nothing changed", lambda each: timed(each.build())),
        ("from kept bodies", Site.from_kept),
    ):
        yield row(f"{of}: {what}, s", [act(each)[0] for each in sites], ".2f")
    shown = [list(published(each)) for each in sites]
    waits, memories = zip(*shown, strict=True)
    yield row(f"{of}: publish to its page, median ms", waits)
    yield row(f"{of}: memory of the server, MB (PSS)", memories)


def published(site):
    with site.served() as (client, process):
        turns = [site.publish(client, turn)[0] for turn in range(PUBLICATIONS)]
        yield median(turns)
        yield memory_of(process)
