"""The command `backup`: write a consistent copy of the database to a file."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from models.runtime.commands import CommandContext
from models.runtime.database_copies import back_up, record_backup
from models.runtime.startup import open_existing_instance

HELP = "write a consistent copy of the database to a file"


def declare(parser: ArgumentParser) -> None:
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="path of the SQLite file to write"
    )
    parser.set_defaults(run=backup)


def backup(context: CommandContext, arguments: Namespace) -> None:
    open_existing_instance(context.settings, context.clock())
    back_up(arguments.file)
    print(f"wrote {arguments.file}", file=sys.stderr)
    record_backup(context.clock())
