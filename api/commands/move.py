"""The command `move`: copies an instance into an empty database of either engine."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from peewee import PeeweeException

from models.commands.declaring import CommandContext, add_json
from models.commands.ending import CommandError
from models.commands.opening import open_existing
from models.commands.telling import print_json, progress
from models.errors import StorageBusy
from models.runtime.server_locks import lock_owner
from models.storage.copy import CopyError, copy_database
from models.storage.database import (
    database,
    engine_for,
    limit_read_memory,
    reading_from,
    without_password,
)
from models.storage.integrity import integrity_problems

ABOUT = (
    "What is written after the copy began is not in it: stop all servers first. TO is"
    " the path of a file that is not there, or the postgresql:// address of a database"
    " without tables. If anything goes wrong, it stays as it was."
)


def declare(parser: ArgumentParser) -> None:
    parser.epilog = ABOUT
    parser.add_argument(
        "to",
        metavar="TO",
        help="where it goes: the path of a file, or a postgresql:// address",
    )
    add_json(parser)
    parser.set_defaults(run=move)


def move(given: CommandContext, arguments: Namespace) -> int:
    open_existing(given.settings, given.clock())
    _require_stopped(given.settings.database)
    limit_read_memory()
    to = engine_for(arguments.to)
    try:
        counts = _moved(to, arguments.to)
    except CopyError as error:
        print(f"masthead: {error} Nothing was kept.", file=sys.stderr)
        return 1
    except (OSError, PeeweeException, StorageBusy, *to.errors) as error:
        reason = getattr(error, "strerror", None) or error.__cause__ or error
        said = " ".join(str(reason).split()).rstrip(".")
        raise CommandError(
            f"{without_password(arguments.to)} cannot be used: {said}."
        ) from error
    if arguments.json:
        print_json({"copied": counts})
    else:
        _tell(counts, arguments.to)
    return 0


def _require_stopped(address: str) -> None:
    if (
        lock_owner(Path(f"{address}-server")) is None
        and not database.other_connections()
    ):
        return
    raise CommandError(
        f"A server runs on {without_password(address)}, and what it writes from now on"
        " would not"
        " be in the copy. Stop it first; to see how a move goes, move a backup."
    )


def _moved(to: Any, address: str) -> dict[str, int]:
    """Copy all of it; what cannot be told to be whole does not stay."""
    with to.create_empty(address), copy_database(database.obj, to, progress) as counts:
        with reading_from(to):
            found = integrity_problems()
        if found:
            raise CopyError(f"The copy is not whole. {' '.join(found)}")
    return counts


def _tell(counts: dict[str, int], to: str) -> None:
    for table, count in sorted(counts.items()):
        if count:
            print(f"{count:>12,} {table}")
    print(f"{sum(counts.values()):>12,} rows of {len(counts)} tables, compared")
    print(
        f"Set MASTHEAD_DATABASE to {without_password(to)} and run build; then start the"
        " server."
    )
