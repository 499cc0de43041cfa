"""SQLite: one file, which may be moved away under its connections."""

import json
import logging
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import disk_usage
from threading import local
from typing import Any

from peewee import SQL, NodeList, OperationalError

from models.errors import StorageBusy
from models.logs import Line
from models.storage.engines.engine import BUSY_SECONDS
from models.storage.engines.sqlite_rows import FileRows
from models.storage.engines.sqlite_search import Words

log = logging.getLogger("masthead.database")

# synchronous=FULL with the write-ahead log is what makes an acknowledged write
# survive a power cut. secure_delete keeps purged text out of free pages. Pages at the
# beginning of the file are read where the system has them mapped: each thread has a
# connection with a cache of its own, and to copy a page into all of them cost more
# than a look-up.
PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",
    "foreign_keys": 1,
    "secure_delete": 1,
    "cache_size": -8 * 1024,
    "mmap_size": 64 * 1024 * 1024,
}
# What the storage says when it cannot be used, and the state that this is. All else
# is our mistake.
STATES = {
    sqlite3.SQLITE_BUSY: "database-locked",
    sqlite3.SQLITE_LOCKED: "database-locked",
    sqlite3.SQLITE_PROTOCOL: "database-locked",
    sqlite3.SQLITE_FULL: "database-full",
    sqlite3.SQLITE_READONLY: "database-read-only",
    sqlite3.SQLITE_IOERR: "database-failing",
    sqlite3.SQLITE_CANTOPEN: "database-failing",
    sqlite3.SQLITE_CORRUPT: "database-damaged",
    sqlite3.SQLITE_NOTADB: "database-damaged",
}
# With less than this left, SQLite calls a full disk by other names.
LITTLE = 64 * 1024

DAY_MS = 24 * 60 * 60 * 1000
# As text, since there are millions: to make each number an object of Python, only
# to write it down again, takes three times as long as all else about them.
_HOURS_AS_TEXT = (
    "SELECT group_concat(starts_at),"
    " json_group_array(json_array("
    "operational, degraded, down, time_sum, time_count, 0)) FROM ("
    "SELECT * FROM hour WHERE service_id = ? AND starts_at >= ? AND starts_at < ?"
    " ORDER BY starts_at)"
)
# SQLite would sort them all to group them, since it does not know that they are in
# the order of their days.
_DAYS_OF_HOURS = (
    "WITH RECURSIVE part (start, stop) AS (VALUES (?2, ?2) UNION ALL"  # noqa: S608  our own text
    f" SELECT stop, MIN(?3, stop / {DAY_MS} * {DAY_MS} + {DAY_MS}) FROM part"
    " WHERE stop < ?3)"
    f" SELECT json_group_array(json_array(start / {DAY_MS}, ("
    "SELECT json_array(SUM(operational), SUM(degraded), SUM(down), SUM(time_sum),"
    " SUM(time_count), 0) FROM hour"
    " WHERE service_id = ?1 AND starts_at >= start AND starts_at < stop))) FROM part"
)


class FileDatabase(Words, FileRows):
    """
    Opens the file that is there, and remembers which it was.

    SQLite makes a file that is not there, and opens one that it may not write for
    reading; it says neither.
    """

    kind = "sqlite"
    errors = (sqlite3.DatabaseError,)
    # A connection keeps how its file could be opened, so after these a new one is
    # made: the old one would go on to fail when the fault is over.
    outlasting = frozenset(
        {"database-read-only", "database-failing", "database-damaged"}
    )

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        # Of the connection of each thread: which file it is, and whether for reading
        # alone.
        self._opened = local()

    def aim(self, address: str) -> None:
        Path(address).parent.mkdir(parents=True, exist_ok=True)
        # For its owner alone: it has what is not published. The log beside it follows.
        if not Path(address).exists():
            Path(address).touch(mode=0o600)
        self.init(address, pragmas=PRAGMAS, timeout=BUSY_SECONDS)

    def exists(self, address: str) -> bool:
        return Path(address).is_file()

    def _connect(self) -> sqlite3.Connection:
        self._opened.file = file_at(self.database)
        connection: sqlite3.Connection = super()._connect()  # type: ignore[misc]
        is_ours = os.access(self.database, os.W_OK, effective_ids=True)
        self._opened.is_for_reading = not is_ours
        return connection

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """
        Read everything inside from one snapshot.

        Every request begins with it, so it is said to SQLite without Peewee, which
        would need longer.
        """
        connection = self.connection()
        if connection.in_transaction:
            yield
            return
        connection.execute("BEGIN")
        try:
            yield
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def require_ours(self) -> None:
        if self._opened.is_for_reading:
            # The file may be written by now, but not through this connection.
            if not self.is_busy():
                self.close()
            self.connect(reuse_if_open=True)
        if file_at(self.database) not in (None, self._opened.file):
            # What is written now would be lost with a file that nobody finds.
            log.warning(Line(state="database-gone", error="another file is there"))
            raise gone()

    def state_of(self, error: BaseException) -> str | None:
        found = STATES.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
        is_full = found == "database-failing" and self._space() < LITTLE
        return "database-full" if is_full else found

    def _space(self) -> int:
        try:
            return disk_usage(Path(self.database).parent).free
        except OSError:
            return LITTLE

    def is_busy(self) -> bool:
        return bool(self.in_transaction() or self.connection().in_transaction)

    def read_once(self) -> None:
        """What is mapped or cached counts as memory of the process."""
        self.pragma("mmap_size", 0)
        self.pragma("cache_size", -1024)

    def empty_log(self) -> bool:
        """In the file what is deleted is overwritten; the log tells how it came."""
        try:
            self.execute_sql("PRAGMA busy_timeout = 0")
            is_busy, *_ = self.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except OperationalError as error:
            log.warning(Line(event="log-not-emptied", error=error))
            return False
        finally:
            self.execute_sql(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
        return not is_busy

    @contextmanager
    def remaking_tables(self) -> Iterator[None]:
        """A table that is dropped takes along every row that refers to it."""
        # Within a transaction this setting cannot be changed.
        self.pragma("foreign_keys", 0)
        try:
            yield
        finally:
            self.pragma("foreign_keys", 1)

    def strays(self) -> list[tuple[str, Any, str]]:
        rows = self.execute_sql("PRAGMA foreign_key_check")
        return [(table, row, parent) for table, row, parent, _ in rows]

    def damages(self) -> list[str]:
        lines = [row[0] for row in self.execute_sql("PRAGMA integrity_check")]
        return [line for line in lines if line != "ok"]

    def identity(self) -> str:
        return str(os.stat(str(self.database)).st_ino)

    def folders(self) -> dict[str, Path]:
        return {"database": Path(self.database).parent}

    def bytes_kept(self) -> dict[str, float]:
        return {"database": _size(self.database), "log": _size(f"{self.database}-wal")}

    def unindexed(self, field: Any) -> Any:
        return NodeList((SQL("+"), field), glue="")

    def streamed(self, statement: str, given: Sequence[Any]) -> Iterator[Any]:
        return iter(self.execute_sql(statement, given))

    def hours_as_text(self, number: int, start: int, end: int) -> tuple[str, list[str]]:
        asked = self.execute_sql(_HOURS_AS_TEXT, (number, start, end))
        times, counts = asked.fetchone()
        return times or "", counts[2:-2].split("],[") if times else []

    def days_of_hours(
        self, number: int, start: int, end: int
    ) -> Iterator[tuple[int, ...]]:
        asked = self.execute_sql(_DAYS_OF_HOURS, (number, start, end))
        (told,) = asked.fetchone()
        # Of a day without hours the sums are null.
        return ((day, *sums) for day, sums in json.loads(told) if sums[0] is not None)


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


def _size(path: str) -> float:
    """Return the size of a file; one that is not there takes no space."""
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0.0
