"""The command `move`: copy an instance into an empty database of either engine."""

import sys
from argparse import ArgumentParser, Namespace

from models.runtime.commands import CommandContext
from models.runtime.database_copies import move_database
from models.runtime.startup import open_existing_instance
from models.storage.copy import CopyError
from models.storage.database import without_password

HELP = "copy everything into an empty database of either engine"

EPILOG = (
    "Stop all servers first: anything written after the copy starts is not copied. TO"
    " is the path of a file that does not exist, or the postgresql:// URL of a database"
    " without tables. If the move fails, TO is left as it was."
)


def declare(parser: ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument(
        "to", metavar="TO", help="path of the new file, or a postgresql:// URL"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=move)


def move(context: CommandContext, arguments: Namespace) -> int:
    source = context.settings.database
    open_existing_instance(context.settings, context.clock())
    try:
        row_counts = move_database(source, arguments.to, context.show_progress)
    except CopyError as error:
        print(f"masthead: {error} Nothing was kept.", file=sys.stderr)
        return 1
    if arguments.json:
        context.print_json({"copied": row_counts})
    else:
        _print_summary(row_counts, arguments.to)
    return 0


def _print_summary(row_counts: dict[str, int], target: str) -> None:
    for table, count in sorted(row_counts.items()):
        if count:
            print(f"{count:>12,} {table}")
    total = sum(row_counts.values())
    print(f"{total:>12,} rows of {len(row_counts)} tables, compared")
    print(
        f"Set MASTHEAD_DATABASE to {without_password(target)} and run build;"
        " then start the server."
    )
