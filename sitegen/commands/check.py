"""The command `check`: looks at the database, the audit chains and the output."""

from argparse import ArgumentParser, Namespace

from models import changes
from models.commands.declaring import CommandContext, add_json
from models.commands.opening import open_existing
from models.commands.telling import print_json
from models.storage.database import reading
from models.storage.integrity import integrity_problems
from sitegen.output.folder import Folder
from sitegen.output.inspection import differences

WHOLE = "whole: database, audit chains, output"


def declare(parser: ArgumentParser) -> None:
    add_json(parser)
    parser.set_defaults(run=check)


def check(given: CommandContext, arguments: Namespace) -> int:
    open_existing(given.settings, given.clock())
    with reading():
        found = integrity_problems()
        found += [f"{each.path} could not be made." for each in changes.failed_pages()]
    found += differences(Folder(given.settings.output))
    if arguments.json:
        print_json({"whole": not found, "faults": found})
    else:
        print(*found, "not whole" if found else WHOLE, sep="\n")
    return 1 if found else 0
