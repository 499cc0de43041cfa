"""The command `backup`: copies the database, also while the service runs."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from peewee import PeeweeException

from models.base import epoch_ms
from models.commands.declaring import CommandContext
from models.commands.ending import CommandError
from models.commands.opening import open_existing
from models.errors import StorageBusy
from models.instance import LAST_BACKUP_AT, set_instance_value
from models.storage.copy import CopyError
from models.storage.database import database, writing


def declare(parser: ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="where the copy goes")
    parser.set_defaults(run=backup)


def backup(given: CommandContext, arguments: Namespace) -> None:
    open_existing(given.settings, given.clock())
    try:
        database.copy_to(arguments.file)
    except OSError as error:
        raise CommandError(
            f"{arguments.file} cannot be written: {error.strerror}."
        ) from error
    except (CopyError, PeeweeException, *database.errors) as error:
        raise CommandError(f"{arguments.file} cannot be written: {error}.") from error
    print(f"wrote {arguments.file}", file=sys.stderr)
    try:
        with writing():
            set_instance_value(LAST_BACKUP_AT, epoch_ms(given.clock()))
    except StorageBusy as error:
        raise CommandError(f"When this was could not be noted: {error}") from error
