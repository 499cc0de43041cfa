"""The command `status import`: another status page comes in."""

import sys
from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from pathlib import Path

from api.fetching import fetched
from models.commands.declaring import Given, add_command, add_json, commands_of
from models.commands.ending import interrupted_import
from models.commands.opening import on_trial, open_instance
from models.commands.telling import print_json, progress
from models.status.moving.arrival import ArrivalReport, bring_in
from models.status.moving.readers import cargo_of, files_in
from models.status.moving.statuspage import DOCUMENTS


def declare(parser: ArgumentParser) -> None:
    help = "bring in another status page"
    made = add_command(commands_of(parser), "import", help, import_status)
    help = "a folder, or the base address of a Statuspage"
    made.add_argument("source", metavar="SOURCE", help=help)
    help = "the service of what names none"
    made.add_argument("--otherwise", metavar="SLUG", help=help)
    help = "tell what would come, and keep nothing"
    made.add_argument("--dry-run", action="store_true", help=help)
    add_json(made)


def import_status(given: Given, asked: Namespace) -> int:
    try:
        report = _moved_in(given, asked)
    except KeyboardInterrupt:
        return interrupted_import()
    if asked.json:
        print_json(asdict(report))
        return 1 if report.left_out else 0
    for remark in report.remarks():
        print(remark, file=sys.stderr)
    print(*report.lines(), sep="\n")
    if asked.dry_run:
        print("A dry run: nothing was kept.")
    return 1 if report.left_out else 0


def _moved_in(given: Given, asked: Namespace) -> ArrivalReport:
    if "://" in asked.source:
        files = fetched(f"{asked.source.rstrip('/')}/api/v2", DOCUMENTS)
    else:
        files = files_in(Path(asked.source))
    cargo = cargo_of(files)
    with on_trial(given.settings, asked.dry_run) as settings:
        now = given.clock()
        open_instance(settings, now)
        return bring_in(
            cargo,
            now,
            otherwise=asked.otherwise,
            is_trial=asked.dry_run,
            progress=progress("incident"),
        )
