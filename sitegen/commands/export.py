"""The command `export`: writes everything that is kept into a folder of files."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from models.commands.declaring import CommandContext, add_json
from models.commands.ending import CommandError
from models.commands.opening import open_existing
from models.commands.telling import print_json, progress
from models.runtime.release import VERSION
from models.storage.database import limit_read_memory
from sitegen.export.folder import ExportError
from sitegen.export.writer import Export, export_into


def declare(parser: ArgumentParser) -> None:
    folder = "a folder that is empty, or is to be made"
    parser.add_argument("folder", type=Path, metavar="FOLDER", help=folder)
    samples = "every raw measurement, and not its hourly counters alone"
    parser.add_argument("--samples", action="store_true", help=samples)
    add_json(parser)
    parser.set_defaults(run=export)


def export(given: CommandContext, arguments: Namespace) -> None:
    now = given.clock()
    open_existing(given.settings, now)
    limit_read_memory()
    wanted = Export(now, VERSION, given.settings.site_url, arguments.samples)
    try:
        entries = export_into(arguments.folder, wanted, progress("record"))
    except ExportError as error:
        raise CommandError(str(error)) from error
    told = {
        "files": len(entries),
        "records": sum(each.records for each in entries),
        "bytes": sum(each.bytes for each in entries),
    }
    if arguments.json:
        print_json(told)
    else:
        print(", ".join(f"{name} {value}" for name, value in told.items()))
