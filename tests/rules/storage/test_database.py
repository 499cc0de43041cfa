"""The database: atomic transactions, one writer at a time, consistent snapshots."""

import threading

import pytest
from peewee import DatabaseError, IntegrityError

from models.changes import AreaRow, mark, marks
from models.errors import QueryTooCostly, StorageBusy
from models.instance import create_instance_secrets, cursor_secret
from models.storage.database import (
    check_time,
    database,
    limited_query,
    migrate,
    reading,
    writing,
)

pytestmark = pytest.mark.both_engines


def in_another_thread(function):
    """Run in a thread with its own connection, which is closed at the end."""
    results = []

    def run():
        results.append(function())
        database.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return results[0]


ENDLESS = (
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    " SELECT COUNT(*) FROM n"
)
# Takes longer than the limit, but is outside of it.
LONGER = ENDLESS.replace("FROM n)", "FROM n WHERE i < 2000000)")


def test_query_that_takes_too_long(store):
    """A query without end is stopped at its limit with a problem; others continue."""

    def count():
        with reading(), limited_query(0.05):
            database.execute_sql(ENDLESS).fetchone()

    with pytest.raises(QueryTooCostly, match=r"more than 0\.05 s .* Narrow it"):
        count()

    with reading():
        assert database.execute_sql(LONGER).fetchone() == (2_000_000,)


def test_computation_that_takes_too_long(store):
    """Computation within a limited query counts; outside of it, it does not."""
    with reading(), limited_query(0):
        with pytest.raises(QueryTooCostly, match="Narrow it"):
            check_time()

    check_time()


def test_all_or_nothing(store):
    """A failure rolls back all earlier writes."""

    def fail():
        with writing():
            mark("docs")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail()

    assert marks()["docs"] == 0


def test_write_lock_is_taken_at_once(raw_database):
    """
    The write lock is taken at the start, so nothing is written between a read and a
    write.
    """
    with writing():
        assert raw_database.is_locked()

    assert not raw_database.is_locked()


def test_lock_is_not_had(raw_database):
    """A timeout while waiting for the lock is reported as busy storage."""
    with raw_database.writing_elsewhere(), pytest.raises(StorageBusy) as refused:
        writing().__enter__()

    assert refused.value.members == {"state": "database-locked"}
    with writing():
        mark("docs")


def test_mistakes_of_ours_are_not_busy(raw_database):
    """An incorrect statement is an error, not busy storage."""

    def fail():
        with writing():
            database.execute_sql("SELECT 1 FROM nowhere")

    with pytest.raises(DatabaseError, match=raw_database.mistake):
        fail()


def test_snapshot(store):
    """Concurrent writes are not visible inside a snapshot."""
    with reading():
        before = marks()
        in_another_thread(lambda: mark("docs"))
        assert marks() == before

    assert marks()["docs"] == before["docs"] + 1


def test_migrated_once(store):
    """A second start has no migrations to run."""
    assert migrate() == []


def test_secrets_are_made_once(store):
    """A later start keeps the secret, so that cursors stay valid."""
    before = cursor_secret()
    create_instance_secrets()

    assert cursor_secret() == before
    assert len(before) == 32


def test_foreign_keys_are_held(store):
    """A row with a dangling reference is rejected."""
    with pytest.raises(IntegrityError):
        database.execute_sql(
            "INSERT INTO affected (subject, service_id, slug, kept_name)"
            " VALUES ('s', 4711, 'a', 'A')"
        )


def test_large_numbers(store):
    """An integer has room for the milliseconds of any time, and for more."""
    with writing():
        AreaRow.create(name="far", marked=2**63 - 1)

    assert AreaRow.get_by_id("far").marked == 2**63 - 1


def test_texts_sort_by_their_bytes(store):
    """On both engines, texts are sorted by code points."""
    names = ["B", "a", "Z", "_", "é", "z", "-a", "ab", "a b", "漢", "🔒", "\ue000"]
    with writing():
        for name in names:
            AreaRow.create(name=name)

    found = AreaRow.select().order_by(AreaRow.name).tuples()

    assert [name for name, *_ in found] == sorted(names)
    assert AreaRow.select().where(AreaRow.name > "é").count() == 3


def test_parts_of_texts(store):
    """A substring is found in either ASCII case, and no character is a wildcard."""
    names = ["Grün", "GRÜN", "a%b", "a_b", "a\\b", "aXb"]
    with writing():
        for name in names:
            AreaRow.create(name=name)

    def found(part):
        query = AreaRow.select().where(AreaRow.name.contains(part))
        return {row.name for row in query}

    assert found("gr") == {"Grün", "GRÜN"}
    assert found("ün") == {"Grün"}
    assert found("a%b") == {"a%b"}
    assert found("A_B") == {"a_b"}
    assert found("a\\b") == {"a\\b"}
