"""The command `status import`: another status page comes in."""

import sys
from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from pathlib import Path

from api.client.fetch import fetched
from models.commands.declaring import CommandContext, add_command, add_json, commands_of
from models.commands.ending import interrupted_import
from models.commands.opening import on_trial, open_instance
from models.commands.telling import print_json, progress
from models.status.importers.page_formats import parse_status_page, status_page_files
from models.status.importers.status_import import StatusImportReport, import_status_page
from models.status.importers.statuspage import DOCUMENTS


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


def import_status(given: CommandContext, arguments: Namespace) -> int:
    try:
        report = _moved_in(given, arguments)
    except KeyboardInterrupt:
        return interrupted_import()
    if arguments.json:
        print_json(asdict(report))
        return 1 if report.left_out else 0
    for remark in report.remarks():
        print(remark, file=sys.stderr)
    print(*report.lines(), sep="\n")
    if arguments.dry_run:
        print("A dry run: nothing was kept.")
    return 1 if report.left_out else 0


def _moved_in(given: CommandContext, arguments: Namespace) -> StatusImportReport:
    if "://" in arguments.source:
        files = fetched(f"{arguments.source.rstrip('/')}/api/v2", DOCUMENTS)
    else:
        files = status_page_files(Path(arguments.source))
    status = parse_status_page(files)
    with on_trial(given.settings, arguments.dry_run) as settings:
        now = given.clock()
        open_instance(settings, now)
        return import_status_page(
            status,
            now,
            default_service=arguments.otherwise,
            is_dry_run=arguments.dry_run,
            progress=progress("incident"),
        )
