"""The command `migrate`: update the database to the current schema."""

from argparse import ArgumentParser, Namespace

from models.runtime.commands import CommandContext
from models.runtime.startup import open_instance

HELP = "update the database to the current schema"


def declare(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=migrate)


def migrate(context: CommandContext, arguments: Namespace) -> None:
    applied = open_instance(context.settings, context.clock())
    if arguments.json:
        context.print_json({"applied": applied})
    else:
        print(f"applied {', '.join(applied)}" if applied else "nothing to apply")
