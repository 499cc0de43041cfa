"""
Measure one, two and four servers of one PostgreSQL.

With a slow disk, which is simulated, writes that overlap wait for it together; writes
of one project wait one after the other, as all writes would with one lock.
"""

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
    PROJECTS,
    Workload,
    units_per_second,
)
from bench.server import server_process
from tests.databases.databases import databases

COLUMNS = "What, number of servers: 1, 2, 4", "Rate", "Busy cores"
SERVER_COUNTS = 1, 2, 4
CONNECTIONS, SLOW_CONNECTIONS_PER_SERVER = 8, 4
COMMIT_MS = 50
# Every commit waits before it is synced, together with those that come meanwhile.
SLOW_DISK = f"&options=-ccommit_delay%3D{COMMIT_MS * 1000}%20-ccommit_siblings%3D0"


def run():
    with databases(Path(mkdtemp(prefix="cluster")), POSTGRESQL_OPTIONS) as postgresql:
        workload = Workload(postgresql.at(Path("servers.db")))
        in_one = "work-items/create in one project"
        in_many = f"work-items/create in {PROJECTS} projects"
        everywhere = f"{CONNECTIONS} connections"
        yield from scale(
            workload.address,
            {
                f"keys/verify, {everywhere}, requests/s": workload.verify,
                f"{in_one}, {everywhere}, writes/s": workload.create,
                f"{in_many}, {everywhere}, writes/s": workload.create_anywhere,
                f"measurements/record, {everywhere}, batches/s": workload.record,
            },
            [CONNECTIONS] * len(SERVER_COUNTS),
        )
        slow = f"commits of {COMMIT_MS} ms, {SLOW_CONNECTIONS_PER_SERVER} connections"
        yield from scale(
            workload.address + SLOW_DISK,
            {
                f"{in_one}, {slow} per server, writes/s": workload.create,
                f"{in_many}, {slow} per server, writes/s": workload.create_anywhere,
            },
            [SLOW_CONNECTIONS_PER_SERVER * servers for servers in SERVER_COUNTS],
        )


def scale(address, requests, connections):
    """Yield a row for each request, with the figures of each number of servers."""
    with ExitStack() as stack:
        ports = [
            stack.enter_context(server_process(address))[0]
            for _ in range(max(SERVER_COUNTS))
        ]
        for label, request in requests.items():
            loads = [
                partial(measure, ports[:servers], count, request)
                for servers, count in zip(SERVER_COUNTS, connections, strict=True)
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
