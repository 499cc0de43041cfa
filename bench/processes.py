"""
Compare key verification by a full server with a minimal Flask application.

Both have the same number of processes and threads. The full server has its builder.
"""

from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from statistics import median

from bench.closed_loop import requests_per_second
from bench.keys import fill, get_request, verify_request
from bench.server import (
    MINIMAL_FLASK,
    app_server,
    cpu_seconds,
    empty_database,
    server_process,
)
from models.settings import Settings
from tests.ports import free_port

PROCESSES, CONNECTIONS = (1, 2), (1, 8, 32)
INTERVALS, INTERVAL_SECONDS = 9, 1
# Few enough for the cache of keys.
VERIFIED_KEYS = 1_000

COLUMNS = "What", "Measured", "CPU time", "Target"


def run():
    with empty_database() as (path, secret):
        hashes = fill()[:VERIFIED_KEYS]
        requests = cycle([verify_request(secret, hash) for hash in hashes])
        rates = {}
        for processes in PROCESSES:
            for connections, results in compare(path, requests, processes):
                rates[processes, connections] = results
                yield row(processes, connections, results)
    for connections in CONNECTIONS[1:]:
        one, two = (median_of(rates[n, connections], "verify", 0) for n in PROCESSES)
        label = f"two processes, ratio to one, {connections} connections"
        yield label, f"{two / one:.2f}", "", ">= 1.6"


def compare(path, requests, processes):
    """Yield the rates and CPU seconds per request for each number of connections."""
    hello = cycle([get_request("", "/")])
    output = str(Path(path).parent / "output")
    settings = Settings(database=path, output=output, processes=processes)
    with ExitStack() as stack:
        server = stack.enter_context(app_server(settings, port := free_port()))
        flask = server_process(MINIMAL_FLASK, processes)
        flask_port, flask_server = stack.enter_context(flask)
        loads = {
            "hello": (flask_port, flask_server.pid, hello),
            "verify": (port, server.pid, requests),
        }
        for connections in CONNECTIONS:
            yield connections, alternate(loads, connections)


def alternate(loads, connections):
    """Run the loads alternately, so that other work affects them equally."""
    results = []
    for _ in range(INTERVALS):
        interval = {}
        for name, (port, pid, requests) in loads.items():
            before = cpu_seconds(pid)
            rate = requests_per_second(port, requests, connections, INTERVAL_SECONDS)
            seconds = cpu_seconds(pid) - before
            interval[name] = rate, seconds / (rate * INTERVAL_SECONDS)
        results.append(interval)
    # The first interval is a warm-up.
    return results[1:]


def row(processes, connections, results):
    verify = median_of(results, "verify", 0)
    rates = [interval["verify"][0] / interval["hello"][0] for interval in results]
    times = [interval["hello"][1] / interval["verify"][1] for interval in results]
    label = f"keys/verify, {processes} process(es), {connections} connection(s)"
    target = "" if connections == 1 else ">= 0.70"
    return (
        f"{label}: {verify:.0f}/s, ratio to minimal Flask",
        f"{median(rates):.2f}",
        f"{median(times):.2f}",
        target,
    )


def median_of(results, name, index):
    return median(interval[name][index] for interval in results)
