"""Back up the database, and move it into another database of either engine."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from peewee import PeeweeException

from models.base import epoch_ms
from models.errors import StorageBusy
from models.instance import LAST_BACKUP_AT, set_instance_value
from models.runtime.commands import CommandError, Progress
from models.runtime.server_locks import lock_owner
from models.storage.copy import CopyError, copy_database
from models.storage.database import (
    database,
    engine_for,
    reading_from,
    without_password,
    writing,
)
from models.storage.integrity import integrity_problems


def back_up(path: Path) -> None:
    """Write a consistent copy of the open database to a SQLite file."""
    try:
        database.copy_to(path)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}.") from error
    except (CopyError, PeeweeException, *database.errors) as error:
        raise CommandError(f"{path} cannot be written: {error}.") from error


def record_backup(now: datetime) -> None:
    """Record the time of the last backup, which the metrics report."""
    try:
        with writing():
            set_instance_value(LAST_BACKUP_AT, epoch_ms(now))
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
    engine = engine_for(target)
    try:
        return _copy_into(engine, target, show_progress)
    except (OSError, PeeweeException, StorageBusy, *engine.errors) as error:
        reason = getattr(error, "strerror", None) or error.__cause__ or error
        sentence = " ".join(str(reason).split()).rstrip(".")
        raise CommandError(
            f"{without_password(target)} cannot be used: {sentence}."
        ) from error


def _require_no_server(address: str) -> None:
    if (
        lock_owner(Path(f"{address}-server")) is None
        and not database.other_connections()
    ):
        return
    raise CommandError(
        f"A server is running on {without_password(address)}, and the copy would lack"
        " what it writes from now on. Stop it first; to rehearse a move, move a backup."
    )


def _copy_into(
    engine: Any, target: str, show_progress: Callable[[str], Progress]
) -> dict[str, int]:
    with (
        engine.create_empty(target),
        copy_database(database.obj, engine, show_progress) as row_counts,
    ):
        with reading_from(engine):
            problems = integrity_problems()
        if problems:
            raise CopyError(f"The copy is damaged. {' '.join(problems)}")
    return row_counts
