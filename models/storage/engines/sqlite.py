"""Use SQLite as the database: one file, which may be replaced while it is open."""

import json
import logging
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import disk_usage
from threading import local
from time import thread_time
from typing import Any

from peewee import SQL, NodeList, OperationalError

from models.errors import StorageBusy
from models.logs import LogLine
from models.storage.engines.engine import BUSY_SECONDS, Engine
from models.storage.engines.sqlite_bulk import SqliteBulkRows
from models.storage.engines.sqlite_search import SqliteTextIndex
from models.storage.write_locks import WriteLock

log = logging.getLogger("masthead.database")

# synchronous=FULL with the write-ahead log makes an acknowledged write survive a power
# failure. secure_delete overwrites purged text in free pages. Each thread has a small
# cache of its own, because the next write of another thread empties it. No part of the
# file is memory-mapped: a map would save a request 4 of 650 µs, and what is mapped
# counts as memory of the process. The log is longer than its limit only while somebody
# reads from a snapshot.
MIB = 1024 * 1024
MAX_WAL_BYTES = 16 * MIB
PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",
    "foreign_keys": 1,
    "secure_delete": 1,
    "cache_size": -2 * 1024,
    "journal_size_limit": MAX_WAL_BYTES,
}
# How long a write waits for readers of a log that is too long.
TRUNCATION_WAIT_MS = 50
# The fault states of SQLite's error codes. All other errors are bugs of Masthead.
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
# With less free space than this, SQLite reports a full disk as an I/O error.
FULL_DISK_BYTES = 64 * 1024

# After so many instructions of SQLite, which take less than a millisecond, the time of
# a limited query is checked.
CHECK_INSTRUCTIONS = 20_000

DAY_MS = 24 * 60 * 60 * 1000
# As text: creating millions of Python numbers only to format them again takes three
# times as long as everything else.
_HOURS_AS_TEXT = (
    "SELECT group_concat(starts_at),"
    " json_group_array(json_array("
    "operational, degraded, down, time_sum, time_count, 0)) FROM ("
    "SELECT * FROM hour WHERE service_id = ? AND starts_at >= ? AND starts_at < ?"
    " ORDER BY starts_at)"
)
# Without GROUP BY, for which SQLite would sort the hours, although they are in order.
_DAILY_SUMS = (
    "WITH RECURSIVE part (start, stop) AS (VALUES (?2, ?2) UNION ALL"  # noqa: S608  no user input
    f" SELECT stop, MIN(?3, stop / {DAY_MS} * {DAY_MS} + {DAY_MS}) FROM part"
    " WHERE stop < ?3)"
    f" SELECT json_group_array(json_array(start / {DAY_MS}, ("
    "SELECT json_array(SUM(operational), SUM(degraded), SUM(down), SUM(time_sum),"
    " SUM(time_count), 0) FROM hour"
    " WHERE service_id = ?1 AND starts_at >= start AND starts_at < stop))) FROM part"
)


class SqliteEngine(SqliteTextIndex, SqliteBulkRows, Engine):
    """
    An SQLite database that notices when its file is replaced or becomes read-only.

    SQLite silently creates a missing file, and silently opens one that it may not
    write for reading.
    """

    kind = "sqlite"
    errors = (sqlite3.DatabaseError,)
    # A connection remembers how its file could be opened, and would continue to fail
    # after these faults are over.
    states_to_reconnect = frozenset(
        {"database-read-only", "database-failing", "database-damaged"}
    )

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # For each thread's connection: the identity of the file, and whether it is
        # read-only.
        self._opened = local()
        self._truncate_wal_at: float = 2 * MAX_WAL_BYTES

    # One transaction writes at a time, whatever the others would lock.
    has_one_writer = True

    def begin(self, locks: WriteLock | None = None) -> None:
        super().begin(None if locks is None else "IMMEDIATE")

    def configure(self, address: str) -> None:
        Path(address).parent.mkdir(parents=True, exist_ok=True)
        # Only the owner may read it: it contains unpublished texts. SQLite creates the
        # log with the same mode.
        if not Path(address).exists():
            Path(address).touch(mode=0o600)
        self.init(address, pragmas=PRAGMAS, timeout=BUSY_SECONDS)

    def exists(self, address: str) -> bool:
        return Path(address).is_file()

    def _connect(self) -> sqlite3.Connection:
        self._opened.file = file_identity(self.database)
        connection: sqlite3.Connection = super()._connect()  # type: ignore[misc]
        is_writable = os.access(self.database, os.W_OK, effective_ids=True)
        self._opened.is_read_only = not is_writable
        return connection

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """
        Read everything inside from one snapshot.

        It bypasses Peewee, which is slower, since every request begins with it.
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

    def fetch_one(self, statement: str, values: Sequence[Any]) -> Any:
        return self.connection().execute(statement, values).fetchone()

    @contextmanager
    def limit_query(self, seconds: float) -> Iterator[None]:
        """Interrupt statements once this thread has computed for so long."""
        connection, end = self.connection(), thread_time() + seconds
        connection.set_progress_handler(lambda: thread_time() > end, CHECK_INSTRUCTIONS)
        try:
            yield
        finally:
            connection.set_progress_handler(None, 0)

    def is_interruption(self, error: BaseException) -> bool:
        return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT

    def require_writable(self) -> None:
        if self._opened.is_read_only:
            # The file may be writable by now, but not through this connection.
            if not self.has_transaction():
                self.close()
            self.connect(reuse_if_open=True)
        if file_identity(self.database) not in (None, self._opened.file):
            # A write to a file that was moved or deleted would be lost.
            log.warning(LogLine(state="database-gone", error="the file was replaced"))
            raise database_gone()

    def fault_state(self, error: BaseException) -> str | None:
        state = STATES.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
        is_full = state == "database-failing" and self._free_bytes() < FULL_DISK_BYTES
        return "database-full" if is_full else state

    def _free_bytes(self) -> int:
        try:
            return disk_usage(Path(self.database).parent).free
        except OSError:
            return FULL_DISK_BYTES

    def has_transaction(self) -> bool:
        return bool(self.in_transaction() or self.connection().in_transaction)

    def limit_wal(self) -> None:
        """
        Truncate the write-ahead log each time it has grown by its limit.

        SQLite starts it anew when nobody reads it at the moment of a commit, which
        may never be where requests overlap. So this waits a little for those that
        read now; while it waits, new ones read the database instead of the log.
        """
        size = _size(f"{self.database}-wal")
        if size >= self._truncate_wal_at:
            self.truncate_wal(TRUNCATION_WAIT_MS)
            size = _size(f"{self.database}-wal")
        elif size > MAX_WAL_BYTES:
            return
        self._truncate_wal_at = max(MAX_WAL_BYTES, size) + MAX_WAL_BYTES

    def truncate_wal(self, wait_ms: int = 0) -> bool:
        """Truncate the log, unless somebody reads it for longer than that."""
        try:
            self.execute_sql(f"PRAGMA busy_timeout = {wait_ms}")
            has_transaction, *_ = self.execute_sql(
                "PRAGMA wal_checkpoint(TRUNCATE)"
            ).fetchone()
        except OperationalError as error:
            log.warning(LogLine(event="log-not-emptied", error=error))
            return False
        finally:
            self.execute_sql(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
        return not has_transaction

    @contextmanager
    def without_foreign_keys(self) -> Iterator[None]:
        """Disable foreign keys: dropping a table would delete referring rows."""
        # This setting cannot be changed within a transaction.
        self.pragma("foreign_keys", 0)
        try:
            yield
        finally:
            self.pragma("foreign_keys", 1)

    def foreign_key_violations(self) -> list[tuple[str, Any, str]]:
        rows = self.execute_sql("PRAGMA foreign_key_check")
        return [(table, row, parent) for table, row, parent, _ in rows]

    def integrity_errors(self) -> list[str]:
        lines = [row[0] for row in self.execute_sql("PRAGMA integrity_check")]
        return [line for line in lines if line != "ok"]

    def identity(self) -> str:
        return str(os.stat(str(self.database)).st_ino)

    def data_folders(self) -> dict[str, Path]:
        return {"database": Path(self.database).parent}

    def bytes_used(self) -> dict[str, float]:
        return {"database": _size(self.database), "log": _size(f"{self.database}-wal")}

    def without_index(self, field: Any) -> Any:
        return NodeList((SQL("+"), field), glue="")

    def stream(self, statement: str, parameters: Sequence[Any]) -> Iterator[Any]:
        return iter(self.execute_sql(statement, parameters))

    def hours_as_text(self, number: int, start: int, end: int) -> tuple[str, list[str]]:
        result = self.execute_sql(_HOURS_AS_TEXT, (number, start, end))
        times, counts = result.fetchone()
        return times or "", counts[2:-2].split("],[") if times else []

    def daily_sums(
        self, number: int, start: int, end: int
    ) -> Iterator[tuple[int, ...]]:
        result = self.execute_sql(_DAILY_SUMS, (number, start, end))
        (text,) = result.fetchone()
        # The sums of a day without hours are null.
        return ((day, *sums) for day, sums in json.loads(text) if sums[0] is not None)


def file_identity(path: str) -> tuple[int, int] | None:
    """Return device and inode of the file, None if it cannot be read."""
    try:
        status = os.stat(path)
    except FileNotFoundError as error:
        log.warning(LogLine(state="database-gone", error=error))
        raise database_gone() from error
    except OSError:
        return None
    return status.st_dev, status.st_ino


def database_gone() -> StorageBusy:
    return StorageBusy(
        "The database file was moved, replaced or deleted. Nothing was saved.",
        state="database-gone",
    )


def _size(path: str) -> float:
    """Return the size of a file in bytes, 0 if it does not exist."""
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0.0
