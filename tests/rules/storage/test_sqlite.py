"""A file of SQLite: what it promises, and that what was purged leaves no trace."""

import sqlite3
from contextlib import closing
from pathlib import Path

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
from tests.rules.storage.test_database import in_another_thread

pytestmark = pytest.mark.sqlite


def pragma(name):
    return database.execute_sql(f"PRAGMA {name}").fetchone()[0]


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


def test_disk_is_full(store):
    """A disk that takes no more is busy too: nothing was kept."""
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
    """The log is emptied once the outermost transaction is kept, not before."""
    with writing():
        mark("docs")
        with writing():
            truncate_wal_after_commit()

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
        truncate_wal_after_commit()
    assert logged(settings) > 0
    assert pragma("busy_timeout") == BUSY_SECONDS * 1000

    other.execute("COMMIT")
    with writing():
        mark("status")

    assert logged(settings) == 0
