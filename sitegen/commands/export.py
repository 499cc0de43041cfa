"""The command `export`: write all stored data to a folder of plain files."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from models.runtime.commands import CommandContext, CommandError
from models.runtime.release import VERSION
from models.runtime.startup import open_existing_instance
from sitegen.export.writer import ExportError, ExportOptions, write_export

HELP = "export all stored data to a folder of plain files"


def declare(parser: ArgumentParser) -> None:
    parser.add_argument(
        "folder", type=Path, metavar="FOLDER", help="a new folder, or an empty one"
    )
    parser.add_argument(
        "--samples", action="store_true", help="include every raw measurement"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=export)


def export(context: CommandContext, arguments: Namespace) -> None:
    now = context.clock()
    open_existing_instance(context.settings, now)
    options = ExportOptions(
        now, VERSION, context.page_settings().site_url, with_samples=arguments.samples
    )
    try:
        files = write_export(arguments.folder, options, context.show_progress("record"))
    except ExportError as error:
        raise CommandError(str(error)) from error
    totals = {
        "files": len(files),
        "records": sum(file.records for file in files),
        "bytes": sum(file.bytes for file in files),
    }
    if arguments.json:
        context.print_json(totals)
    else:
        print(", ".join(f"{name} {value}" for name, value in totals.items()))
