"""The database: all or nothing, one writer at a time, one snapshot to read from."""

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
    """Run with a connection of its own, which is closed at the end."""
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
# Takes longer than the limit, but stands outside of it.
LONGER = ENDLESS.replace("FROM n)", "FROM n WHERE i < 2000000)")


def test_query_that_takes_too_long(store):
    """A query without end ends at its limit, as a refusal; others go on."""

    def count():
        with reading(), limited_query(0.05):
            database.execute_sql(ENDLESS).fetchone()

    with pytest.raises(QueryTooCostly, match=r"more than 0\.05 s .* Narrow it"):
        count()

    with reading():
        assert database.execute_sql(LONGER).fetchone() == (2_000_000,)


def test_computation_that_takes_too_long(store):
    """What is computed within a limited query counts, and nothing outside of it."""
    with reading(), limited_query(0):
        with pytest.raises(QueryTooCostly, match="Narrow it"):
            check_time()

    check_time()


def test_all_or_nothing(store):
    """What is written before a failure is not kept."""

    def fail():
        with writing():
            mark("docs")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail()

    assert marks()["docs"] == 0


def test_write_lock_is_taken_at_once(raw_database):
    """Nobody can write between what is read inside and what is written."""
    with writing():
        assert raw_database.is_locked()

    assert not raw_database.is_locked()


def test_lock_is_not_had(raw_database):
    """Whoever waits for the lock in vain is told that the storage is busy."""
    with raw_database.writing_elsewhere(), pytest.raises(StorageBusy) as refused:
        writing().__enter__()

    assert refused.value.members == {"state": "database-locked"}
    with writing():
        mark("docs")


def test_mistakes_of_ours_are_not_busy(raw_database):
    """A wrong statement is our mistake, and is not told as a busy storage."""

    def fail():
        with writing():
            database.execute_sql("SELECT 1 FROM nowhere")

    with pytest.raises(DatabaseError, match=raw_database.mistake):
        fail()


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
    create_instance_secrets()

    assert cursor_secret() == before
    assert len(before) == 32


def test_foreign_keys_are_held(store):
    """A row that leads nowhere is refused."""
    with pytest.raises(IntegrityError):
        database.execute_sql(
            "INSERT INTO affected (subject, service_id, slug, kept_name)"
            " VALUES ('s', 4711, 'a', 'A')"
        )


def test_large_numbers(store):
    """A number has room for the milliseconds of any time, and for more."""
    with writing():
        AreaRow.create(name="far", marked=2**63 - 1)

    assert AreaRow.get_by_id("far").marked == 2**63 - 1


def test_texts_sort_by_their_bytes(store):
    """Wherever the database is, its order is that of code points."""
    names = ["B", "a", "Z", "_", "é", "z", "-a", "ab", "a b", "漢", "🔒", "\ue000"]
    with writing():
        for name in names:
            AreaRow.create(name=name)

    found = AreaRow.select().order_by(AreaRow.name).tuples()

    assert [name for name, *_ in found] == sorted(names)
    assert AreaRow.select().where(AreaRow.name > "é").count() == 3


def test_parts_of_texts(store):
    """A part is found in either case of the letters of ASCII, and nothing is a sign."""
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
