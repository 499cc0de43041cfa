"""Open the database; write it in transactions, and read it from snapshots."""

import logging
import mmap
import re
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, RLock, local
from time import thread_time
from typing import Any

from peewee import DatabaseError, DatabaseProxy

from models.errors import QueryTooCostly, StorageBusy
from models.logs import LogLine
from models.storage.engines.engine import BUSY_SECONDS, is_postgresql
from models.storage.engines.sqlite import SqliteEngine
from models.storage.schema import apply_migrations
from models.storage.write_locks import WriteLock

log = logging.getLogger("masthead.database")

# Serialises the writing threads of this process if the engine has one writer at a time,
# as SQLite does with its file lock.
_write_lock = RLock()
# Set while the write-ahead log may contain purged content.
_wal_has_purged_content = Event()
# The locks of this thread's write.
_held = local()
# The seconds of this thread's limited query, and the processor time at which they end.
_time_limit = local()

# What makes the storage usable again, by the state that it is in.
ADVICE = {
    "database-full": "Free space on the disk of the database",
    "database-read-only": "Make the database file and its folder writable",
    "database-locked": "Wait for the program that writes to it",
    "database-failing": "Check the disk and the permissions of the database file",
    "database-damaged": "Stop the server and restore a backup",
    "database-gone": "Put the database file back",
    "database-unreachable": "Start the database server",
}
# The states of faults, and the monotonic time in nanoseconds at which a process of this
# server has met each of them last, in memory that all processes have mapped.
FAULT_STATES = tuple(ADVICE)
_MET_AT = struct.Struct(f"<{len(FAULT_STATES)}q")
_met_at = mmap.mmap(-1, _MET_AT.size)

# At the level debug Peewee would log every statement with its values, such as hashes of
# secrets.
logging.getLogger("peewee").setLevel(logging.WARNING)

# Peewee needs one module-level database. It is closed until open_database, which puts
# the engine of the address behind the proxy.
database: Any = DatabaseProxy()
database.initialize(SqliteEngine(None))


def without_password(address: str) -> str:
    """Return the address for messages, with its password replaced."""
    # The patterns also match a password with characters that should have been encoded.
    redacted = re.sub(r"(?<=://)([^:@/?]*):.*@", r"\1:…@", address)
    return re.sub(r"(?<=password=)[^&]*", "…", redacted)


def open_database(address: str) -> None:
    """Set the file or server that every thread of this process will connect to."""
    if not database.is_closed():
        database.close()
    _choose_engine(address)
    database.configure(address)
    _MET_AT.pack_into(_met_at, 0, *[0] * len(FAULT_STATES))


def recent_faults(seconds: float) -> list[str]:
    """
    Return the states of the faults that any process has met in the last seconds.

    Other writers that take long are none.
    """
    start = time.monotonic_ns() - round(seconds * 1_000_000_000)
    times = _MET_AT.unpack_from(_met_at)
    met = [state for state, at in zip(FAULT_STATES, times, strict=True) if at > start]
    return [state for state in met if state != "database-locked"]


def database_exists(address: str) -> bool:
    """Return whether there is an instance at the address, without creating one."""
    _choose_engine(address)
    return bool(database.exists(address))


def _choose_engine(address: str) -> None:
    """Put the engine of the address behind the database that all rows use."""
    if is_postgresql(address) == isinstance(database.obj, SqliteEngine):
        database.initialize(engine_for(address))


def engine_for(address: str) -> Any:
    """Return a closed engine of the kind that the address needs."""
    if not is_postgresql(address):
        return SqliteEngine(None)
    # The driver is loaded only if it is needed.
    from models.storage.engines.postgresql import PostgresqlEngine

    return PostgresqlEngine(None)


@contextmanager
def reading_from(engine: Any) -> Iterator[None]:
    """Use another engine for all rows, in a process with a single thread."""
    previous = database.obj
    database.initialize(engine)
    try:
        yield
    finally:
        database.initialize(previous)


def migrate() -> list[str]:
    """
    Apply the pending migrations and return their names.

    They are one transaction, so if two processes start at the same time, one migrates
    and the other waits and then has nothing to do.
    """
    connect()
    with database.without_foreign_keys(), writing():
        return apply_migrations(database.obj)


def connect() -> None:
    """Open the connection of this thread, which then stays open."""
    database.connect(reuse_if_open=True)


@contextmanager
def writing(locks: WriteLock = WriteLock.ALL) -> Iterator[None]:
    """
    Commit everything written inside, or nothing.

    The locks are taken at the beginning, so that what is read inside cannot change
    before it is written. Raise StorageBusy if a lock is not available in time, or if
    the storage cannot be written.
    """
    with _thread_lock():
        with _transaction("accept writes now. Nothing was saved", locks):
            yield
        if not database.in_transaction():
            _truncate_wal_if_needed()


def _truncate_wal_if_needed() -> None:
    """Truncate the log if possible; a failure must not make the commit seem failed."""
    if _wal_has_purged_content.is_set():
        if database.truncate_wal():
            _wal_has_purged_content.clear()
    else:
        database.limit_wal()


def truncate_wal_after_commit() -> None:
    """
    Have the write-ahead log truncated after the commit of the current purge.

    If a reader still needs the log, the next write tries again.
    """
    _wal_has_purged_content.set()


class _DryRunEnd(Exception):
    """Raised to roll a dry run back."""


@contextmanager
def dry_run(locks: WriteLock = WriteLock.ALL) -> Iterator[None]:
    """Do everything that `writing` does, and roll it back at the end."""
    with suppress(_DryRunEnd), writing(locks):
        yield
        raise _DryRunEnd


@contextmanager
def _thread_lock() -> Iterator[None]:
    """
    Wait for the other writing threads of this process.

    SQLite would let them poll with growing intervals.
    """
    if not database.has_one_writer:
        yield
        return
    if not _write_lock.acquire(timeout=BUSY_SECONDS):
        raise StorageBusy(
            "The storage is busy with other writes; try again.",
            state="database-locked",
        )
    try:
        yield
    finally:
        _write_lock.release()


@contextmanager
def reading() -> Iterator[None]:
    """
    Read everything inside from one snapshot; raise StorageBusy as `writing` does.

    Within a write transaction, it is part of that transaction.
    """
    with independent_reads(), database.snapshot():
        yield


@contextmanager
def independent_reads() -> Iterator[None]:
    """
    Read without a snapshot; raise StorageBusy as `writing` does.

    Each statement sees what is committed when it begins, so two may disagree.
    """
    try:
        yield
    except _storage_errors() as error:
        _raise_if_fault(error, "be read now")
        raise


@contextmanager
def limited_query(seconds: float) -> Iterator[None]:
    """
    Raise QueryTooCostly if the statements inside a snapshot take too long.

    SQLite counts the processor time of the thread, PostgreSQL the time of each
    statement. What is computed between them is counted where it calls `check_time`.
    """
    _time_limit.seconds, _time_limit.end = seconds, thread_time() + seconds
    try:
        with database.limit_query(seconds):
            yield
    except (DatabaseError, *database.errors) as error:
        if not any(map(database.is_interruption, _causes(error))):
            raise
        raise _too_costly(seconds) from error
    finally:
        _time_limit.end = None


def check_time() -> None:
    """Raise QueryTooCostly if the query is limited and its time is over."""
    end = getattr(_time_limit, "end", None)
    if end is not None and thread_time() > end:
        raise _too_costly(_time_limit.seconds)


def _too_costly(seconds: float) -> QueryTooCostly:
    return QueryTooCostly(
        f"The query takes more than {seconds:g} s of processor time. Narrow it to"
        " one project, by further filters, or by rarer words."
    )


@contextmanager
def _transaction(action: str, locks: WriteLock) -> Iterator[None]:
    try:
        connect()
        database.require_writable()
        if not database.in_transaction():
            _held.locks = locks
        elif locks not in _held.locks:
            raise RuntimeError(f"The write around this one has not locked {locks}.")
        with database.atomic(locks):
            yield
    except _storage_errors() as error:
        _raise_if_fault(error, action)
        raise


def _storage_errors() -> tuple[type[Exception], ...]:
    # StorageBusy too: of nested transactions, the outermost closes the connection.
    return (DatabaseError, StorageBusy, *database.errors)


def _raise_if_fault(error: Exception, action: str) -> None:
    """Raise StorageBusy if the error is a fault of the storage, and not a bug."""
    state, cause = _fault_state(error)
    if state is None:
        return
    place = FAULT_STATES.index(state)
    struct.pack_into("<q", _met_at, 8 * place, time.monotonic_ns())
    if state in database.states_to_reconnect:
        _close_if_idle()
    if not isinstance(error, StorageBusy):
        log.warning(LogLine(state=state, error=cause))
        raise StorageBusy(
            f"The storage cannot {action}. {ADVICE[state]}, and try again.", state=state
        ) from error


def _fault_state(error: BaseException) -> tuple[str | None, BaseException]:
    """
    Return the fault state that the error or one of its causes means, and this one.

    A full disk ends the transaction itself, and the rollback that then fails comes
    first in the chain of causes.
    """
    for cause in _causes(error):
        if isinstance(cause, StorageBusy):
            return str(cause.members.get("state", "database-locked")), cause
        if state := database.fault_state(cause):
            return str(state), cause
    return None, error


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error, and what it was raised from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _close_if_idle() -> None:
    """Close this thread's connection, unless it has a transaction to roll back."""
    if not database.is_closed() and not database.has_transaction():
        database.close()
