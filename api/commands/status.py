"""The command `status import`: import another status page."""

import sys
from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from pathlib import Path

from api.client.fetch import fetch_documents
from models.display_text import escape_line
from models.runtime.commands import INTERRUPTED, CommandContext
from models.runtime.startup import dry_run_settings, open_instance
from models.status.importers.page_formats import parse_status_page, status_page_files
from models.status.importers.status_import import StatusImportReport, import_status_page
from models.status.importers.statuspage import DOCUMENTS

HELP = "import a status page"


def declare(parser: ArgumentParser) -> None:
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    help = "import another status page"
    import_parser = commands.add_parser(
        "import", help=help, description=help.capitalize() + "."
    )
    import_parser.set_defaults(run=import_status)
    import_parser.add_argument(
        "source",
        metavar="SOURCE",
        help="a folder, or the URL of a Statuspage page",
    )
    import_parser.add_argument(
        "--otherwise",
        metavar="SLUG",
        help="service of incidents and windows that name no service",
    )
    import_parser.add_argument(
        "--dry-run",
        action="store_true",
        help="print what would be imported, and import nothing",
    )
    import_parser.add_argument(
        "--json", action="store_true", help="print the result as JSON"
    )


def import_status(context: CommandContext, arguments: Namespace) -> int:
    try:
        report = _import(context, arguments)
    except KeyboardInterrupt:
        # The import is one transaction, which was rolled back.
        print("masthead: Interrupted. Nothing was imported.", file=sys.stderr)
        return INTERRUPTED
    if arguments.json:
        context.print_json(asdict(report))
    else:
        _print_report(report, is_dry_run=arguments.dry_run)
    return 1 if report.left_out else 0


def _import(context: CommandContext, arguments: Namespace) -> StatusImportReport:
    if "://" in arguments.source:
        base_url = f"{arguments.source.rstrip('/')}/api/v2"
        files = fetch_documents(base_url, DOCUMENTS)
    else:
        files = status_page_files(Path(arguments.source))
    status = parse_status_page(files)
    with dry_run_settings(context.settings, arguments.dry_run) as settings:
        now = context.clock()
        open_instance(settings, now)
        return import_status_page(
            status,
            now,
            default_service=arguments.otherwise,
            is_dry_run=arguments.dry_run,
            progress=context.show_progress("incident"),
        )


def _print_report(report: StatusImportReport, *, is_dry_run: bool) -> None:
    for remark in report.remarks():
        print(escape_line(remark), file=sys.stderr)
    print(*map(escape_line, report.lines()), sep="\n")
    if is_dry_run:
        print("This was a dry run: nothing was imported.")
