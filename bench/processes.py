"""
Compare key verification by a full server with a minimal Flask application.

Both have the same number of processes and threads. The full server has its builder.
PROCESSES=1 CONNECTIONS=8,32 INTERVALS=3 measures a part of it.
"""

import os
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.keys import fill, get_request, verify_request
from bench.server import (
    MINIMAL_FLASK,
    app_server,
    cpu_seconds,
    empty_database,
    server_process,
)
from bench.wrk import is_installed, send_load
from models.settings import Settings
from tests.ports import free_port


def numbers(name, default):
    return [int(number) for number in os.environ.get(name, default).split(",")]


PROCESSES = numbers("PROCESSES", "1,2")
CONNECTIONS = numbers("CONNECTIONS", "1,8,32")
(INTERVALS,) = numbers("INTERVALS", "7")
INTERVAL_SECONDS = 1
VERIFIED_KEYS = 1_000
# The number of connections for which the target is defined.
BUSY_CONNECTIONS = 8

COLUMNS = "What", "Measured", "CPU time", "p99, ms", "Target"


class Interval(NamedTuple):
    """The measurements of one interval; the CPU time is that of one request."""

    rate: float
    cpu_microseconds: float
    p99_ms: float


def run(all_processes=PROCESSES, all_connections=CONNECTIONS):
    if not is_installed():
        yield "keys/verify: skipped, because wrk is not installed", "", "", "", ""
        return
    with empty_database() as (path, secret):
        hashes = fill()[:VERIFIED_KEYS]
        requests = [verify_request(secret, hash) for hash in hashes]
        results = {}
        for processes in all_processes:
            compared = compare(path, requests, processes, all_connections)
            for connections, intervals in compared:
                results[processes, connections] = intervals
                yield from rows(processes, connections, intervals)
    if len(all_processes) > 1:
        yield from scaling_rows(results)


def compare(path, requests, processes, all_connections):
    """Yield the intervals of both servers for each number of connections."""
    output = str(Path(path).parent / "output")
    settings = Settings(database=path, output=output, processes=processes)
    with ExitStack() as stack:
        server = stack.enter_context(app_server(settings, port := free_port()))
        flask = server_process(MINIMAL_FLASK, processes)
        flask_port, flask_server = stack.enter_context(flask)
        loads = {
            "hello": (flask_port, flask_server.pid, [get_request("", "/")]),
            "verify": (port, server.pid, requests),
        }
        for connections in all_connections:
            yield connections, alternate(loads, connections)


def alternate(loads, connections):
    """Run the loads alternately, so that other work affects them equally."""
    intervals = {name: [] for name in loads}
    # The first interval is a warm-up.
    for _ in range(INTERVALS + 1):
        for name, (port, pid, requests) in loads.items():
            before = cpu_seconds(pid)
            load = send_load(port, requests, connections, INTERVAL_SECONDS)
            seconds = cpu_seconds(pid) - before
            microseconds = seconds / load.requests * 1_000_000
            intervals[name].append(Interval(load.rate, microseconds, load.p99_ms))
    return {name: list_[1:] for name, list_ in intervals.items()}


def rows(processes, connections, intervals):
    label = f"{processes} process(es), {connections} connection(s)"
    for name, measured in intervals.items():
        rate, cpu, p99 = (median(values) for values in zip(*measured, strict=True))
        yield f"{name}/s, {label}", f"{rate:.0f}", f"{cpu:.0f} µs", f"{p99:.1f}", ""
    pairs = list(zip(intervals["verify"], intervals["hello"], strict=True))
    rate = median(verify.rate / hello.rate for verify, hello in pairs)
    cpu = median(h.cpu_microseconds / v.cpu_microseconds for v, h in pairs)
    is_required = (processes, connections) == (1, BUSY_CONNECTIONS)
    target = ">= 0.60" if is_required else ""
    yield f"verify to hello, {label}", f"{rate:.2f}", f"{cpu:.2f}", "", target


def scaling_rows(results):
    """Yield the rates of several processes, as multiples of one's."""
    one, *others = PROCESSES
    for several in others:
        for connections in CONNECTIONS:
            for name in ("hello", "verify"):
                rates = [
                    median(i.rate for i in results[n, connections][name])
                    for n in (one, several)
                ]
                yield (
                    f"{name}, {several} to {one} process(es), {connections} conn.",
                    f"{rates[1] / rates[0]:.2f}",
                    "",
                    "",
                    "",
                )
