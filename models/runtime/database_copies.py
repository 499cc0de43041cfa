"""Back up the database, and move it into another database of either engine."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from peewee import PeeweeException

from models.base import milliseconds
from models.errors import StorageBusy
from models.instance import BACKED_UP, set_mark
from models.runtime.commands import CommandError, Progress
from models.runtime.server_locks import holder_of
from models.storage.copy import CopyFault, copied
from models.storage.database import (
    database,
    engine_of,
    named,
    read_instead,
    read_once,
    writing,
)
from models.storage.integrity import faults


def back_up(path: Path) -> None:
    """Write a consistent copy of the open database to a SQLite file."""
    try:
        database.copy_to(path)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}.") from error
    except (CopyFault, PeeweeException, *database.errors) as error:
        raise CommandError(f"{path} cannot be written: {error}.") from error


def record_backup(now: datetime) -> None:
    """Record the time of the last backup, which the metrics report."""
    try:
        with writing():
            set_mark(BACKED_UP, milliseconds(now))
    except StorageBusy as error:
        raise CommandError(
            f"The time of the backup could not be recorded: {error}"
        ) from error


def move_database(
    source: str, target: str, show_progress: Callable[[str], Progress]
) -> dict[str, int]:
    """
    Copy the open database, whose address is `source`, into the empty one at `target`.

    Return the number of rows of each table. Raise CopyFault if the copy is not equal
    or damaged; then nothing stays in the target.
    """
    _require_no_server(source)
    read_once()
    engine = engine_of(target)
    try:
        return _copy_into(engine, target, show_progress)
    except (OSError, PeeweeException, StorageBusy, *engine.errors) as error:
        reason = getattr(error, "strerror", None) or error.__cause__ or error
        sentence = " ".join(str(reason).split()).rstrip(".")
        raise CommandError(f"{named(target)} cannot be used: {sentence}.") from error


def _require_no_server(address: str) -> None:
    if holder_of(Path(f"{address}-server")) is None and not database.others():
        return
    raise CommandError(
        f"A server is running on {named(address)}, and the copy would lack what it"
        " writes from now on. Stop it first; to rehearse the move, move a backup."
    )


def _copy_into(
    engine: Any, target: str, show_progress: Callable[[str], Progress]
) -> dict[str, int]:
    with (
        engine.receiving(target),
        copied(database.obj, engine, show_progress) as row_counts,
    ):
        with read_instead(engine):
            problems = faults()
        if problems:
            raise CopyFault(f"The copy is damaged. {' '.join(problems)}")
    return row_counts
