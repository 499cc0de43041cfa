"""
Print the figures that Masthead must reach on two cores, and whether each holds.

They come from other modules, on the full server. A piece of machinery stays only if
one of these figures fails without it. COMMANDS= leaves out those that take minutes.
"""

import os
import subprocess
import time
from itertools import chain
from operator import ge, le
from tempfile import TemporaryDirectory

from bench import attacks, docs, history, measurements, overtaking, processes
from bench.docs import ROOT, memory_megabytes
from bench.server import app_server, empty_database
from models.settings import Settings
from tests.ports import free_port

COLUMNS = "What", "Measured", "Target", "Holds"
COMPARISONS = {"<=": le, ">=": ge}
# The first build has ended by then.
SETTLING_SECONDS = 10
COMMANDS = {"make quick": 60, "make test": 600}


def run():
    for label, measured, *_, target in chain(
        overtaking.run(),
        history.run(),
        docs.run(),
        processes.run([1], [processes.BUSY_CONNECTIONS]),
        measurements.run(),
        idle_memory(),
        attacks.run(),
        durations(),
    ):
        if target:
            comparison, limit = target.split()
            is_met = COMPARISONS[comparison](float(measured), float(limit))
            yield label, measured, target, "yes" if is_met else "NO"


def idle_memory():
    """Yield the memory of all processes of a server that has nothing to do."""
    with empty_database() as (path, _), TemporaryDirectory() as output:
        settings = Settings(database=path, output=output)
        with app_server(settings, free_port()) as process:
            time.sleep(SETTLING_SECONDS)
            megabytes = memory_megabytes(process)
    yield "memory of all processes, idle, MB", f"{megabytes:.0f}", "<= 150"


def durations():
    """Yield the seconds of the commands that developers wait for."""
    commands = os.environ.get("COMMANDS", ",".join(COMMANDS)).split(",")
    for command in filter(None, commands):
        started = time.perf_counter()
        subprocess.run(command.split(), cwd=ROOT, check=True, capture_output=True)
        seconds = f"{time.perf_counter() - started:.0f}"
        yield f"{command}, s", seconds, f"<= {COMMANDS[command]}"
