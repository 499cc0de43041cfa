"""The command `probe`: measures targets and tells the API, until told to stop."""

import signal
from argparse import ArgumentParser, Namespace
from pathlib import Path
from threading import Event, Thread
from typing import Any

from api.client import report
from api.client.probe import Probe
from api.client.probe_config import read_plan
from models.commands.declaring import CommandContext
from models.commands.ending import INTERRUPTED, CommandError
from models.commands.telling import print_json


def declare(parser: ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="what to measure, TOML")
    for name, help in (
        ("--once", "one round, told in a table"),
        ("--json", "with --once: told in JSON"),
    ):
        parser.add_argument(name, action="store_true", help=help)
    parser.set_defaults(run=probe)


def probe(given: CommandContext, arguments: Namespace) -> int:
    if arguments.json and not arguments.once:
        raise CommandError("--json tells one round: give --once with it.")
    stop = _told_to_stop()
    plan = read_plan(arguments.file, given.settings.probe_key)
    running = Probe(plan, given.clock, stop)
    if not arguments.once:
        running.run()
        return 0
    looks = running.once()
    if arguments.json:
        print_json(report.facts(looks, running))
    else:
        print(*report.table(looks, running), sep="\n")
    return INTERRUPTED if stop.is_set() else int(not report.is_well(looks, running))


def _told_to_stop() -> Event:
    """Return what is set when a signal asks us to end; a second one ends us."""
    stop = Event()

    def end(number: int, _: Any) -> None:
        signal.signal(number, signal.SIG_DFL)
        # The thread that was interrupted may hold what it takes to set it.
        Thread(target=stop.set).start()

    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, end)
    return stop
