"""The database: opened once, written in transactions, read in snapshots."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from threading import Event, RLock
from typing import Any

from peewee import DatabaseError, DatabaseProxy

from models.errors import StorageBusy
from models.logs import Line
from models.storage.engines.engine import BUSY_SECONDS, is_served
from models.storage.engines.sqlite import FileDatabase
from models.storage.schema import migrated

log = logging.getLogger("masthead.database")

_writer = RLock()
# Set while the write-ahead log may hold what was purged.
_log_lingers = Event()

# At the level debug Peewee would log every statement with its values: hashes of
# secrets, and whatever else is written.
logging.getLogger("peewee").setLevel(logging.WARNING)

# Peewee wants one module-level database: it is our one global, unopened until
# open_database, and has behind it the engine that the address is of.
database: Any = DatabaseProxy()
database.initialize(FileDatabase(None))


def named(address: str) -> str:
    """Return the address as it may be told: without a password."""
    # Also where it has signs in it that would have to be written in another way.
    told = re.sub(r"(?<=://)([^:@/?]*):.*@", r"\1:…@", address)
    return re.sub(r"(?<=password=)[^&]*", "…", told)


def open_database(address: str) -> None:
    """Name the file or server that every thread of this process will connect to."""
    if not database.is_closed():
        database.close()
    _choose(address)
    database.aim(address)


def is_there(address: str) -> bool:
    """Tell whether there is an instance at the address, without making one."""
    _choose(address)
    return bool(database.exists(address))


def _choose(address: str) -> None:
    """Have the engine of the address behind what all rows are bound to."""
    if is_served(address) == isinstance(database.obj, FileDatabase):
        database.initialize(engine_of(address))


def engine_of(address: str) -> Any:
    """Return an engine of the kind that the address asks for, opened nowhere."""
    if not is_served(address):
        return FileDatabase(None)
    # A driver that is not needed is not even loaded.
    return import_module("models.storage.engines.postgresql").ServerDatabase(None)


@contextmanager
def read_instead(engine: Any) -> Iterator[None]:
    """Have every row be of another database meanwhile, in a process of one thread."""
    usual = database.obj
    database.initialize(engine)
    try:
        yield
    finally:
        database.initialize(usual)


def migrate() -> list[str]:
    """
    Apply the migrations that are missing and return their names.

    All are one transaction, so that of two processes that start together one
    migrates and the other waits and finds nothing to do.
    """
    connect()
    with database.remaking_tables(), writing():
        return migrated(database.obj)


def connect() -> None:
    """Give this thread its connection, which then stays open."""
    database.connect(reuse_if_open=True)


def read_once() -> None:
    """
    Say that this thread reads about everything, each thing once.

    What is kept in memory pays where the same is read again and again.
    """
    connect()
    database.read_once()


@contextmanager
def writing() -> Iterator[None]:
    """
    Keep everything written inside, or nothing.

    The write lock is taken at once, so that what is read inside cannot have
    changed by the time it is written. Raise StorageBusy when the lock is not
    had in time, or when the disk takes no more.
    """
    with _turn():
        with _transaction("take a write now. Nothing was kept"):
            yield
        if _log_lingers.is_set() and not database.in_transaction():
            _empty_log()


def _empty_log() -> None:
    """The commit stands: what is in the way now may not make it seem refused."""
    if database.empty_log():
        _log_lingers.clear()


def leave_no_trace() -> None:
    """
    Ask, inside a purge, that the log of writes be emptied after the commit.

    Where someone still reads from it, the next write tries again.
    """
    _log_lingers.set()


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

    The engine would let them wait for its lock in naps of growing length, or each
    with a connection of its own.
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

    Nothing can be written inside but by what is written in already.
    """
    try:
        with database.snapshot():
            yield
    except _errors() as error:
        _refuse(error, "be read now")
        raise


@contextmanager
def _transaction(failing: str) -> Iterator[None]:
    try:
        connect()
        database.require_ours()
        with database.atomic("IMMEDIATE"):
            yield
    except _errors() as error:
        _refuse(error, failing)
        raise


def _errors() -> tuple[type[Exception], ...]:
    # A refusal too: where transactions lie in each other, the outermost lets go.
    return (DatabaseError, StorageBusy, *database.errors)


def _refuse(error: Exception, failing: str) -> None:
    """Tell what the storage cannot do now; a mistake of ours is let through."""
    state = _state_of(error)
    if state is None:
        return
    if state in database.outlasting:
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
        if found := database.state_of(error):
            return str(found)
        error = error.__cause__ or error.__context__
    return None


def _let_go() -> None:
    """Close this thread's connection, but for one in which more is to be undone."""
    if not database.is_closed() and not database.is_busy():
        database.close()
