"""The command `probe`: measure targets and post the results to the API."""

import signal
from argparse import ArgumentParser, Namespace
from pathlib import Path
from threading import Event, Thread
from typing import Any

from api.client import report
from api.client.probe import Probe
from api.client.probe_config import read_config
from models.runtime.commands import INTERRUPTED, CommandContext, CommandError

HELP = "measure targets and post the results to the API"


def declare(parser: ArgumentParser) -> None:
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="configuration file, in TOML"
    )
    parser.add_argument(
        "--once",
        action="store_true",
        help="measure each target once and print a table",
    )
    parser.add_argument(
        "--json", action="store_true", help="with --once: print JSON, not a table"
    )
    parser.set_defaults(run=probe)


def probe(context: CommandContext, arguments: Namespace) -> int:
    if arguments.json and not arguments.once:
        raise CommandError("--json requires --once.")
    stop = _stop_on_signals()
    config = read_config(arguments.file, context.settings.probe_key)
    probe = Probe(config, context.clock, stop)
    if not arguments.once:
        probe.run()
        return 0
    results = probe.run_once()
    if arguments.json:
        context.print_json(report.to_json(results, probe))
    else:
        print(*report.table_lines(results, probe), sep="\n")
    if stop.is_set():
        return INTERRUPTED
    return 0 if report.is_successful(results, probe) else 1


def _stop_on_signals() -> Event:
    """Return an event that the first signal sets; a second signal ends the process."""
    stop = Event()

    def set_stop(number: int, _: Any) -> None:
        signal.signal(number, signal.SIG_DFL)
        # The interrupted thread may hold the event's own lock.
        Thread(target=stop.set).start()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, set_stop)
    return stop
