"""The database: all or nothing, one writer at a time, one snapshot to read from."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from peewee import IntegrityError, OperationalError

from models.changes import mark, marks
from models.database import (
    BUSY_SECONDS,
    database,
    leave_no_trace,
    migrate,
    reading,
    writing,
)
from models.errors import StorageBusy
from models.instance import InstanceRow, cursor_secret, kept, make_secrets


def pragma(name):
    return database.execute_sql(f"PRAGMA {name}").fetchone()[0]


def in_another_thread(function):
    """Run with a connection of its own, which is closed at the end."""
    results = []

    def run():
        results.append(function())
        database.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return results[0]


@pytest.fixture
def other(store, settings):
    """A connection as another process would have it."""
    with closing(sqlite3.connect(settings.database, timeout=0)) as connection:
        yield connection


def test_promises(durable, store):
    """What was answered survives a power cut, and what was purged is gone."""
    assert pragma("journal_mode") == "wal"
    assert pragma("synchronous") == 2
    assert pragma("foreign_keys") == 1
    assert pragma("secure_delete") == 1
    assert pragma("busy_timeout") == BUSY_SECONDS * 1000


def test_promises_in_every_thread(durable, store):
    """Each thread's connection keeps them too."""
    assert in_another_thread(lambda: (mark("docs"), pragma("synchronous"))[1]) == 2
    assert in_another_thread(lambda: (marks(), pragma("foreign_keys"))[1]) == 1


def test_all_or_nothing(store):
    """What is written before a failure is not kept."""

    def fail():
        with writing():
            mark("docs")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail()

    assert marks()["docs"] == 0


def test_write_lock_is_taken_at_once(store, other):
    """Nobody can write between what is read inside and what is written."""
    with writing(), pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("BEGIN IMMEDIATE")


def test_lock_is_not_had(store, other):
    """Whoever waits for the lock in vain is told that the storage is busy."""
    database.execute_sql("PRAGMA busy_timeout = 20")
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(StorageBusy):
        writing().__enter__()


def test_mistakes_of_ours_are_not_busy(store):
    """A wrong statement is our mistake, and is not told as a busy storage."""

    def fail():
        with writing():
            database.execute_sql("SELECT 1 FROM nowhere")

    with pytest.raises(OperationalError, match="no such table"):
        fail()


def test_disk_is_full(store):
    """A disk that takes no more is busy too: nothing was kept."""
    database.execute_sql(f"PRAGMA max_page_count = {pragma('page_count')}")

    def fill():
        with writing():
            kept("much", "x" * 10_000_000)

    with pytest.raises(StorageBusy):
        fill()

    assert InstanceRow.get_or_none(InstanceRow.name == "much") is None
    with writing():
        mark("docs")


def test_snapshot(store):
    """What is written meanwhile is not seen inside."""
    with reading():
        before = marks()
        in_another_thread(lambda: mark("docs"))
        assert marks() == before

    assert marks()["docs"] == before["docs"] + 1


def test_migrated_once(store):
    """A second start finds nothing to do."""
    assert migrate() == []


def test_secrets_are_made_once(store):
    """A later start keeps the secret, so that cursors stay good."""
    before = cursor_secret()
    make_secrets()

    assert cursor_secret() == before
    assert len(before) == 32


def test_foreign_keys_are_held(store):
    """A row that leads nowhere is refused."""
    with pytest.raises(IntegrityError):
        database.execute_sql(
            "INSERT INTO affected (subject, service_id, slug, kept_name)"
            " VALUES ('s', 4711, 'a', 'A')"
        )


def logged(settings):
    return Path(f"{settings.database}-wal").stat().st_size


def test_no_trace(store, settings):
    """The log is emptied once the outermost transaction is kept, not before."""
    with writing():
        mark("docs")
        with writing():
            leave_no_trace()

    assert logged(settings) == 0
    mark("docs")
    assert logged(settings) > 0


def test_no_trace_while_someone_reads(store, settings, other):
    """Then the commit stands and does not wait; the next write empties the log."""
    mark("docs")
    other.execute("BEGIN")
    other.execute("SELECT * FROM area").fetchall()
    with writing():
        mark("docs")
        leave_no_trace()
    assert logged(settings) > 0
    assert pragma("busy_timeout") == BUSY_SECONDS * 1000

    other.execute("COMMIT")
    with writing():
        mark("status")

    assert logged(settings) == 0
