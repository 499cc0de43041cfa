"""Connections to the database's file, which may be moved away under them."""

import logging
import os
import sqlite3
from threading import local

from peewee import SqliteDatabase

from models.errors import StorageBusy
from models.logs import Line

log = logging.getLogger("masthead.database")

# Of the connection of each thread: which file it is, and whether for reading alone.
opened = local()


class FileDatabase(SqliteDatabase):
    """
    Opens the file that is there, and remembers which it was.

    SQLite makes a file that is not there, and opens one that it may not write for
    reading; it says neither.
    """

    def _connect(self) -> sqlite3.Connection:
        opened.file = file_at(self.database)
        connection: sqlite3.Connection = super()._connect()  # type: ignore[misc]
        is_ours = os.access(self.database, os.W_OK, effective_ids=True)
        opened.is_for_reading = not is_ours
        return connection


def file_at(path: str) -> tuple[int, int] | None:
    """Name the file itself, None where only SQLite can say what is wrong with it."""
    try:
        found = os.stat(path)
    except FileNotFoundError as error:
        log.warning(Line(state="database-gone", error=error))
        raise gone() from error
    except OSError:
        return None
    return found.st_dev, found.st_ino


def gone() -> StorageBusy:
    return StorageBusy(
        "The file of the database was moved, replaced or deleted. Nothing was kept.",
        state="database-gone",
    )
