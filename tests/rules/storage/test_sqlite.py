"""SQLite: its guarantees, and that a purge leaves no trace in the file."""

import sqlite3
import time
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from models.changes import mark, marks
from models.errors import StorageBusy
from models.instance import InstanceRow, get_or_store
from models.storage.database import (
    BUSY_SECONDS,
    database,
    truncate_wal_after_commit,
    writing,
)
from models.storage.engines.sqlite import MAX_WAL_BYTES
from tests.rules.storage.test_database import in_another_thread

pytestmark = pytest.mark.sqlite


def pragma(name):
    return database.execute_sql(f"PRAGMA {name}").fetchone()[0]


@pytest.fixture
def other(store, settings):
    """A connection of another process."""
    with closing(sqlite3.connect(settings.database, timeout=0)) as connection:
        yield connection


def test_promises(durable, store):
    """An acknowledged write survives a power cut, and a purge overwrites its data."""
    assert pragma("journal_mode") == "wal"
    assert pragma("synchronous") == 2
    assert pragma("foreign_keys") == 1
    assert pragma("secure_delete") == 1
    assert pragma("busy_timeout") == BUSY_SECONDS * 1000


def test_promises_in_every_thread(durable, store):
    """The connection of each thread has the same guarantees."""
    assert in_another_thread(lambda: (mark("docs"), pragma("synchronous"))[1]) == 2
    assert in_another_thread(lambda: (marks(), pragma("foreign_keys"))[1]) == 1


def test_disk_is_full(store):
    """A full disk is busy storage too: nothing was stored."""
    database.execute_sql(f"PRAGMA max_page_count = {pragma('page_count')}")

    def fill():
        with writing():
            get_or_store("much", "x" * 10_000_000)

    with pytest.raises(StorageBusy):
        fill()

    assert InstanceRow.get_or_none(InstanceRow.name == "much") is None
    with writing():
        mark("docs")


def logged(settings):
    return Path(f"{settings.database}-wal").stat().st_size


def test_no_trace(store, settings):
    """The log is emptied once the outermost transaction is committed, not before."""
    with writing():
        mark("docs")
        with writing():
            truncate_wal_after_commit()

    assert logged(settings) == 0
    mark("docs")
    assert logged(settings) > 0


def test_no_trace_while_someone_reads(store, settings, other):
    """
    With a reader the commit succeeds without waiting; the next write empties the log.
    """
    mark("docs")
    other.execute("BEGIN")
    other.execute("SELECT * FROM area").fetchall()
    with writing():
        mark("docs")
        truncate_wal_after_commit()
    assert logged(settings) > 0
    assert pragma("busy_timeout") == BUSY_SECONDS * 1000

    other.execute("COMMIT")
    with writing():
        mark("status")

    assert logged(settings) == 0


def write_megabytes(count):
    for number in range(count):
        with writing():
            get_or_store(f"value-{number}-{time.monotonic()}", "x" * 1_000_000)


def test_log_shrinks_after_a_long_snapshot(store, settings, other):
    """The log grows while a snapshot is read, and shrinks when the last reader ends."""
    other.execute("BEGIN")
    other.execute("SELECT * FROM area").fetchall()
    write_megabytes(20)
    assert logged(settings) > MAX_WAL_BYTES

    other.execute("COMMIT")
    write_megabytes(2)

    assert logged(settings) <= MAX_WAL_BYTES


@contextmanager
def overlapping_readers(path):
    """
    Have three threads read from snapshots, so that there is nearly always a reader.
    """
    ended = Event()

    def read():
        with closing(sqlite3.connect(path)) as connection:
            while not ended.is_set():
                connection.execute("BEGIN")
                connection.execute("SELECT * FROM area").fetchall()
                time.sleep(0.01)
                connection.execute("COMMIT")

    readers = [Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    try:
        yield
    finally:
        ended.set()
        for reader in readers:
            reader.join()


def test_log_is_limited_while_readers_overlap(store, settings):
    """Overlapping readers do not let the log grow for ever."""
    sizes = []
    with overlapping_readers(settings.database):
        for _ in range(30):
            write_megabytes(4)
            sizes.append(logged(settings))

    assert max(sizes) < 4 * MAX_WAL_BYTES
    assert pragma("busy_timeout") == BUSY_SECONDS * 1000
