"""The database: opened once, written in transactions, read in snapshots."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, RLock

from peewee import IntegrityError, OperationalError, SqliteDatabase
from playhouse.migrations import Runner

from models.errors import StorageBusy

MIGRATIONS = Path(__file__).parent / "migrations"
BUSY_SECONDS = 5

log = logging.getLogger("masthead.database")

_writer = RLock()
# Set while the write-ahead log may hold what was purged.
_log_lingers = Event()

# What the storage says when it cannot take a write: busy, locked, read-only, an
# error of the disk, the disk full, or no file to be had. All else is our mistake.
_STORAGE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
}

# At the level debug Peewee would log every statement with its values: hashes of
# secrets, and whatever else is written.
logging.getLogger("peewee").setLevel(logging.WARNING)

# Peewee wants one module-level database: it is our one global, unopened until
# open_database. synchronous=FULL with the write-ahead log is what makes an
# acknowledged write survive a power cut. secure_delete keeps purged text out of
# free pages. Pages at the beginning of the file are read where the system has
# them mapped: each thread has a connection with a cache of its own, and to copy a
# page into all of them cost more than a look-up.
database = SqliteDatabase(None)
PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",
    "foreign_keys": 1,
    "secure_delete": 1,
    "cache_size": -8 * 1024,
    "mmap_size": 64 * 1024 * 1024,
}


def open_database(path: str) -> None:
    """Name the file that every thread of this process will connect to."""
    if not database.is_closed():
        database.close()
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    database.init(path, pragmas=PRAGMAS, timeout=BUSY_SECONDS)


def migrate() -> list[str]:
    """
    Apply the migrations that are missing and return their names.

    All are one transaction, so that of two processes that start together one
    migrates and the other waits and finds nothing to do. Rows that refer to others
    are held to it at the end: a step that makes a table anew drops the old one, and
    with it would go every row that refers to a row of it.
    """
    connect()
    # Within a transaction this setting cannot be changed.
    database.pragma("foreign_keys", 0)
    try:
        with writing():
            names: list[str] = Runner(database, str(MIGRATIONS)).up()
            if names and (strays := database.pragma("foreign_key_check")):
                raise IntegrityError(f"Rows of {strays} refer to nothing.")
    finally:
        database.pragma("foreign_keys", 1)
    return names


def connect() -> None:
    """Give this thread its connection, which then stays open."""
    database.connect(reuse_if_open=True)


def read_once() -> None:
    """
    Say that this thread reads about everything, each thing once.

    What is mapped counts as memory of the process; it pays where the same pages are
    read again and again by many threads.
    """
    connect()
    database.pragma("mmap_size", 0)


@contextmanager
def writing() -> Iterator[None]:
    """
    Keep everything written inside, or nothing.

    The write lock is taken at once, so that what is read inside cannot have
    changed by the time it is written. Raise StorageBusy when the lock is not
    had in time, or when the disk takes no more.
    """
    with _turn():
        with _transaction("IMMEDIATE", "take a write now. Nothing was kept"):
            yield
        if _log_lingers.is_set() and not database.in_transaction():
            _empty_log()


def leave_no_trace() -> None:
    """
    Ask, inside a purge, that the write-ahead log be emptied after the commit.

    In the file what is deleted is overwritten; the log still tells how it came.
    """
    _log_lingers.set()


def _empty_log() -> None:
    """
    Empty the log; where someone still reads from it, the next write tries again.

    The commit stands, so nothing that is in the way may make it seem refused.
    """
    try:
        database.execute_sql("PRAGMA busy_timeout = 0")
        is_busy, *_ = database.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if not is_busy:
            _log_lingers.clear()
    except OperationalError as error:
        log.warning("event=log-not-emptied error=%s", error)
    finally:
        database.execute_sql(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")


class _Rehearsed(Exception):
    """Ends a rehearsal, so that nothing of it is kept."""


@contextmanager
def rehearsing() -> Iterator[None]:
    """Write everything inside, and keep nothing; refuse what writing refuses."""
    with suppress(_Rehearsed), writing():
        yield
        raise _Rehearsed


@contextmanager
def _turn() -> Iterator[None]:
    """
    Queue with the other threads of this process.

    SQLite would let them wait for its lock in naps of growing length, during which
    nobody writes.
    """
    if not _writer.acquire(timeout=BUSY_SECONDS):
        raise StorageBusy("The storage is busy with other writes; try again.")
    try:
        yield
    finally:
        _writer.release()


@contextmanager
def reading() -> Iterator[None]:
    """
    Read everything inside from one snapshot; raise StorageBusy as writing does.

    Every request begins with it, so it is said to SQLite without Peewee, which
    would need longer. Nothing can be written inside but by what is written in
    already.
    """
    try:
        connection = database.connection()
        if connection.in_transaction:
            yield
            return
        connection.execute("BEGIN")
        try:
            yield
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
    except (OperationalError, sqlite3.OperationalError) as error:
        _refuse(error, "be read now")
        raise


@contextmanager
def _transaction(kind: str, failing: str) -> Iterator[None]:
    try:
        connect()
        with database.atomic(kind):
            yield
    except (OperationalError, sqlite3.OperationalError) as error:
        _refuse(error, failing)
        raise


def _refuse(error: Exception, failing: str) -> None:
    """Tell what the storage cannot do now; a mistake of ours is let through."""
    if _is_storage(error):
        raise StorageBusy(f"The storage cannot {failing}; try again.") from error


def _is_storage(error: BaseException | None) -> bool:
    """
    Tell whether the storage is the reason, at the end of the chain of reasons.

    A full disk ends the transaction by itself, and the rollback that fails
    thereafter stands before it.
    """
    while error is not None:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _STORAGE:
            return True
        error = error.__cause__ or error.__context__
    return False
