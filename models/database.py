"""The database: opened once, written in transactions, read in snapshots."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import disk_usage
from threading import Event, RLock

from peewee import DatabaseError, IntegrityError, OperationalError
from playhouse.migrations import Runner

from models.connection import FileDatabase, file_at, gone, opened
from models.errors import StorageBusy
from models.logs import Line

MIGRATIONS = Path(__file__).parent / "migrations"
BUSY_SECONDS = 5

log = logging.getLogger("masthead.database")

# A refusal too: where transactions lie in each other, the outermost lets go.
_ERRORS = (DatabaseError, sqlite3.DatabaseError, StorageBusy)

_writer = RLock()
# Set while the write-ahead log may hold what was purged.
_log_lingers = Event()

# What the storage says when it cannot be used, and the state that this is. All else
# is our mistake.
_STATES = {
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
# A connection keeps how its file could be opened, so after these a new one is made:
# the old one would go on to fail when the fault is over.
_OUTLASTING = {"database-read-only", "database-failing", "database-damaged"}
# With less than this left, SQLite calls a full disk by other names.
LITTLE = 64 * 1024

# At the level debug Peewee would log every statement with its values: hashes of
# secrets, and whatever else is written.
logging.getLogger("peewee").setLevel(logging.WARNING)


# Peewee wants one module-level database: it is our one global, unopened until
# open_database. synchronous=FULL with the write-ahead log is what makes an
# acknowledged write survive a power cut. secure_delete keeps purged text out of
# free pages. Pages at the beginning of the file are read where the system has
# them mapped: each thread has a connection with a cache of its own, and to copy a
# page into all of them cost more than a look-up.
database = FileDatabase(None)
PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",
    "foreign_keys": 1,
    "secure_delete": 1,
    "cache_size": -8 * 1024,
    "mmap_size": 64 * 1024 * 1024,
}


class NewerSchema(RuntimeError):
    """A later release made the tables: no start, since it cannot be undone."""


def open_database(path: str) -> None:
    """Name the file that every thread of this process will connect to."""
    if not database.is_closed():
        database.close()
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    # For its owner alone: it has what is not published. The log beside it follows.
    if not Path(path).exists():
        Path(path).touch(mode=0o600)
    database.init(path, pragmas=PRAGMAS, timeout=BUSY_SECONDS)


def migrate() -> list[str]:
    """
    Apply the migrations that are missing and return their names.

    All are one transaction, so that of two processes that start together one
    migrates and the other waits and finds nothing to do. Rows that refer to others
    are held to it at the end: a step that makes a table anew drops the old one, and
    with it would go every row that refers to a row of it. Raise NewerSchema, and
    leave the database as it is, when a later release has been here.
    """
    connect()
    # Within a transaction this setting cannot be changed.
    database.pragma("foreign_keys", 0)
    try:
        with writing():
            runner = Runner(database, str(MIGRATIONS))
            if later := [each.name for each in runner.status() if each.path is None]:
                raise NewerSchema(
                    f"The database has the schema of a newer release ({later[-1]})."
                    " Start that release, or restore a copy from before the upgrade."
                )
            names: list[str] = runner.up()
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

    What is mapped or cached counts as memory of the process; it pays where the same
    pages are read again and again.
    """
    connect()
    database.pragma("mmap_size", 0)
    database.pragma("cache_size", -1024)


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
        log.warning(Line(event="log-not-emptied", error=error))
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
        raise StorageBusy(
            "The storage is busy with other writes; try again.",
            state="database-locked",
        )
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
    except _ERRORS as error:
        _refuse(error, "be read now")
        raise


@contextmanager
def _transaction(kind: str, failing: str) -> Iterator[None]:
    try:
        connect()
        if opened.is_for_reading:
            # The file may be written by now, but not through this connection.
            _let_go()
            connect()
        if file_at(database.database) not in (None, opened.file):
            # What is written now would be lost with a file that nobody finds.
            log.warning(Line(state="database-gone", error="another file is there"))
            raise gone()
        with database.atomic(kind):
            yield
    except _ERRORS as error:
        _refuse(error, failing)
        raise


def _refuse(error: Exception, failing: str) -> None:
    """Tell what the storage cannot do now; a mistake of ours is let through."""
    state = _state_of(error)
    if state is None:
        return
    if state in _OUTLASTING:
        _let_go()
    if not isinstance(error, StorageBusy):
        log.warning(Line(state=state, error=error))
        raise StorageBusy(
            f"The storage cannot {failing}; try again.", state=state
        ) from error


def _state_of(error: BaseException | None) -> str | None:
    """
    Return what the storage suffers from, None where it is not the reason.

    A full disk ends the transaction by itself, and the rollback that fails
    thereafter stands before it in the chain of reasons.
    """
    while error is not None:
        if isinstance(error, StorageBusy):
            return str(error.members.get("state", "database-locked"))
        found = _STATES.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
        if found is not None:
            is_full = found == "database-failing" and _space() < LITTLE
            return "database-full" if is_full else found
        error = error.__cause__ or error.__context__
    return None


def _space() -> int:
    try:
        return disk_usage(Path(database.database).parent).free
    except OSError:
        return LITTLE


def _let_go() -> None:
    """Close this thread's connection, but for one in which more is to be undone."""
    if database.is_closed() or database.in_transaction():
        return
    if not database.connection().in_transaction:
        database.close()
