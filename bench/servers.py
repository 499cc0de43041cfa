"""Measure one, two and four servers of one PostgreSQL."""

import os
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import mkdtemp

from bench.engines import (
    INTERVALS,
    POSTGRESQL_OPTIONS,
    Workload,
    units_per_second,
)
from bench.server import server_process
from tests.databases.databases import databases

COLUMNS = "What, number of servers: 1, 2, 4", "Rate", "Busy cores"
SERVER_COUNTS = 1, 2, 4
CONNECTIONS = 8


def run():
    with databases(Path(mkdtemp(prefix="cluster")), POSTGRESQL_OPTIONS) as postgresql:
        workload = Workload(postgresql.at(Path("servers.db")))
        everywhere = f"{CONNECTIONS} connections"
        yield from scale(
            workload.address,
            {
                f"keys/verify, {everywhere}, requests/s": workload.verify,
                f"work-items/create, {everywhere}, writes/s": workload.create,
                f"measurements/record, {everywhere}, batches/s": workload.record,
            },
        )


def scale(address, requests):
    """Yield a row for each request, with the figures of each number of servers."""
    with ExitStack() as stack:
        ports = [
            stack.enter_context(server_process(address))[0]
            for _ in range(max(SERVER_COUNTS))
        ]
        for label, request in requests.items():
            loads = [
                partial(measure, ports[:servers], CONNECTIONS, request)
                for servers in SERVER_COUNTS
            ]
            # They alternate, so that other work on the machine affects all equally.
            intervals = [[load() for load in loads] for _ in range(INTERVALS)]
            figures = [zip(*each, strict=True) for each in zip(*intervals, strict=True)]
            rates, cores = zip(*([*map(median, pair)] for pair in figures), strict=True)
            yield label, _join(rates, ".0f"), _join(cores, ".1f")


def measure(ports, connections, request):
    """Return the rate, and how many cores of the machine were busy meanwhile."""
    started, before = time.perf_counter(), busy_seconds()
    rate = units_per_second(ports, connections, request)
    return rate, (busy_seconds() - before) / (time.perf_counter() - started)


def busy_seconds():
    """Return the processor time of all processes of the machine."""
    values = Path("/proc/stat").read_text().splitlines()[0].split()[1:9]
    user, nice, system, _idle, _waiting, *interrupts = map(int, values)
    return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")


def _join(figures, number_format):
    return ", ".join(format(figure, number_format) for figure in figures)
