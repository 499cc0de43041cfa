"""Compare SQLite with PostgreSQL under the same load, in alternating intervals."""

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
from typing import NamedTuple

from bench import services
from bench.closed_loop import connect
from bench.docs import Site, measure_process, memory_megabytes
from bench.keys import (
    get_request,
    post_request,
    request_seconds,
    verify_request,
)
from bench.measurements import (
    BATCH_SIZE,
    RECORD_PATH,
    measurement_batch,
    sqlite_connection,
)
from bench.server import full_access_key, now, server_process
from bench.work import WORDS
from models.fields import format_moment
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

COLUMNS = "What", "SQLite", "PostgreSQL"
WORK_ITEMS, DOCUMENTS = 2_000, 1_000
INTERVAL_SECONDS, INTERVALS, PUBLICATIONS = 1, 3, 8
WORK_ITEMS_PATH = "/projects/v1/work-items"
SEARCH_PATH = "/projects/v1/search/list?q=cursor+w7*"
# The server keeps Debian's defaults, which sync every commit to disk. It listens
# only on its socket, so that no other process connects to it.
POSTGRESQL_OPTIONS = {"listen_addresses": ""}
# Every request of a run has a number of its own.
request_numbers = count(1)


def run():
    private = Path(mkdtemp(prefix="cluster"))
    with (
        TemporaryDirectory() as name,
        databases(private, POSTGRESQL_OPTIONS) as postgresql,
    ):
        folder = Path(name)
        engines = (Files(folder), postgresql)
        addresses = [raw_database.at(folder / "alone.db") for raw_database in engines]
        loads = [partial(driver_writes_per_second, address) for address in addresses]
        yield row("driver only, one row per commit, writes/s", median_rates(loads))
        workloads = [
            Workload(raw_database.at(folder / "api.db")) for raw_database in engines
        ]
        yield from compare_single_servers(workloads)
        addresses = [raw_database.at(folder / "site.db") for raw_database in engines]
        yield from compare_sites(
            [
                Site(folder / str(number), DOCUMENTS, address)
                for number, address in enumerate(addresses)
            ]
        )


def row(label, figures, number_format=",.0f"):
    return label, *(format(figure, number_format) for figure in figures)


def median_rates(loads):
    """
    Run the loads alternately, and return the median rate of each load.

    They alternate so that other work on the machine affects all of them equally.
    """
    intervals = [[load() for load in loads] for _ in range(INTERVALS)]
    return [median(rates) for rates in zip(*intervals, strict=True)]


def driver_writes_per_second(address):
    """Return how many single-row commits per second the driver alone achieves."""
    connection = (
        connect_to(address) if is_postgresql(address) else sqlite_connection(address)
    )
    with closing(connection):
        connection.execute("CREATE TABLE IF NOT EXISTS alone (n BIGINT, text TEXT)")
        writes, started = 0, time.perf_counter()
        while time.perf_counter() < started + INTERVAL_SECONDS:
            writes += 1
            connection.execute("INSERT INTO alone VALUES (?, ?)", (writes, "x" * 300))
        return writes / (time.perf_counter() - started)


class Scenario(NamedTuple):
    """A labelled load; every request counts as `units` of what the label counts."""

    label: str
    connections: int
    request: object
    units: int = 1


class Workload:
    """A database with services and work items, and the requests sent to its server."""

    def __init__(self, address):
        self.address = address
        open_instance(Settings(database=address), now())
        self.key, self.project = full_access_key(), docs_project().id
        services.fill(BATCH_SIZE)
        rng, actor = random.Random(1), Actor("account", NIL_UUID)
        with writing():
            for number in range(WORK_ITEMS):
                title = f"{rng.choice(WORDS)} {rng.choice(WORDS)} w{number}"
                create_work_item(
                    CreateWorkItem(project_id=self.project, type="task", title=title),
                    now(),
                    actor,
                )
        database.close()

    def get(self, path, _):
        return get_request(self.key, path)

    def verify(self, _):
        return verify_request(self.key, hash_secret(self.key))

    def create(self, number):
        body = {"projectId": self.project, "type": "task", "title": f"More {number}"}
        return post_request(self.key, f"{WORK_ITEMS_PATH}/create", json.dumps(body))

    def record(self, number):
        batch = measurement_batch(f"probe-{number % 10}", format_moment(now()))
        return post_request(self.key, RECORD_PATH, batch)

    def scenarios(self):
        healthz = partial(self.get, "/healthz")
        service_list = partial(self.get, "/status/v1/services/list")
        search = partial(self.get, SEARCH_PATH)
        work_items = partial(self.get, f"{WORK_ITEMS_PATH}/list?limit=20")
        create = "work-items/create"
        return (
            Scenario("healthz, one connection, requests/s", 1, healthz),
            Scenario("keys/verify, one connection, requests/s", 1, self.verify),
            Scenario("healthz, 8 connections, requests/s", 8, healthz),
            Scenario("keys/verify, 8 connections, requests/s", 8, self.verify),
            Scenario(f"{create}, one connection, writes/s", 1, self.create),
            Scenario(f"{create}, 8 connections, writes/s", 8, self.create),
            Scenario(
                f"measurements/record, {BATCH_SIZE} samples per batch, samples/s",
                4,
                self.record,
                BATCH_SIZE,
            ),
            Scenario(
                f"services/list of {BATCH_SIZE} services, requests/s", 1, service_list
            ),
            Scenario(
                f"search/list over at least {WORK_ITEMS:,} work items, requests/s",
                1,
                search,
            ),
            Scenario("work-items/list, requests/s", 1, work_items),
        )


def compare_single_servers(workloads):
    """Run every scenario against one server per engine, without a builder."""
    with ExitStack() as stack:
        ports = [
            stack.enter_context(server_process(workload.address))[0]
            for workload in workloads
        ]
        for scenarios in zip(
            *(workload.scenarios() for workload in workloads), strict=True
        ):
            loads = [
                partial(
                    units_per_second,
                    [port],
                    scenario.connections,
                    scenario.request,
                    scenario.units,
                )
                for port, scenario in zip(ports, scenarios, strict=True)
            ]
            yield row(scenarios[0].label, median_rates(loads))


def units_per_second(ports, connections, request, units=1):
    """Send requests for one interval, and return the completed units per second."""
    end = time.perf_counter() + INTERVAL_SECONDS

    def send_until_end(number):
        completed = 0
        with connect(ports[number % len(ports)]) as connection:
            while time.perf_counter() < end:
                request_seconds(connection, request(next(request_numbers)))
                completed += units
        return completed

    started = time.perf_counter()
    with ThreadPoolExecutor(connections) as threads:
        completed = sum(threads.map(send_until_end, range(connections)))
    return completed / (time.perf_counter() - started)


def compare_sites(sites):
    """Build the site with `app.py`, then publish through a server that builds."""
    for site in sites:
        site.fill()
    prefix = f"{DOCUMENTS:,} documents"
    for label, build in (
        ("cold build", lambda site: measure_process(site.build())),
        ("build without changes", lambda site: measure_process(site.build())),
        ("build with cached page bodies", Site.build_with_cached_bodies),
    ):
        seconds = [build(site)[0] for site in sites]
        yield row(f"{prefix}: {label}, s", seconds, ".2f")
    latencies, memory = zip(*map(publish_latency_and_memory, sites), strict=True)
    yield row(f"{prefix}: publish until page is updated, median ms", latencies)
    yield row(f"{prefix}: server memory, MB (PSS)", memory)


def publish_latency_and_memory(site):
    with site.serve() as (client, process):
        latencies = [
            site.publish(client, number).page_ms for number in range(PUBLICATIONS)
        ]
        return median(latencies), memory_megabytes(process)
