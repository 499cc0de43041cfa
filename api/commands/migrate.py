"""The command `migrate`: brings the tables of the database up to date."""

from argparse import ArgumentParser, Namespace

from models.commands.declaring import CommandContext, add_json
from models.commands.opening import open_instance
from models.commands.telling import print_json


def declare(parser: ArgumentParser) -> None:
    add_json(parser)
    parser.set_defaults(run=migrate)


def migrate(given: CommandContext, arguments: Namespace) -> None:
    applied = open_instance(given.settings, given.clock())
    if arguments.json:
        print_json({"applied": applied})
    else:
        print(f"applied {', '.join(applied)}" if applied else "nothing to apply")
