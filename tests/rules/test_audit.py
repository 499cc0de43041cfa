"""The audit log: a chain that reveals every change to it."""

from datetime import timedelta

import pytest
from peewee import IntegrityError

from models.audit import (
    AuditRow,
    AuditTarget,
    append,
    broken_links,
    describe_changes,
    last_link,
)
from models.storage.database import database, writing
from tests.conftest import NOON

pytestmark = pytest.mark.both_engines

TICK = timedelta(milliseconds=1)


@pytest.fixture
def chain(store):
    with writing():
        for number in range(4):
            append(
                "platform",
                actor="ada@example.com",
                action="add",
                target=AuditTarget("key", f"id {number}", None),
                now=NOON + number * TICK,
            )


def test_chain(chain):
    """Each link matches the previous record; each area has its own chain."""
    assert broken_links("platform") == []
    assert last_link("platform") == AuditRow.get(AuditRow.number == 4).link
    assert last_link("status") == ""


@pytest.mark.parametrize(
    "statement", ["UPDATE audit SET actor='x'", "DELETE FROM audit"]
)
def test_append_only(statement, chain):
    """The table rejects changes of its records."""
    with pytest.raises(IntegrityError):
        database.execute_sql(statement)


@pytest.mark.postgresql
def test_not_emptied(chain):
    """The table cannot be emptied, not even through references."""
    for statement in ("TRUNCATE audit", "TRUNCATE audit CASCADE"):
        with pytest.raises(IntegrityError):
            database.execute_sql(statement)

    assert AuditRow.select().count() == 4


@pytest.mark.parametrize(
    "name",
    [
        *("id", "actor", "action", "target_type", "target_id", "target_label"),
        *("detail", "target_prefix"),
    ],
)
def test_altered(name, chain, raw_database):
    """Every modification of a record breaks its link."""
    raw_database.unguard()
    AuditRow.update(**{name: "other"}).where(AuditRow.number == 2).execute()

    found = AuditRow.get(AuditRow.number == 2)
    assert broken_links("platform") == [found.id]


def test_altered_time(chain, raw_database):
    """The time of a record is part of its content."""
    raw_database.unguard()
    AuditRow.update(at=NOON).where(AuditRow.number == 2).execute()

    assert len(broken_links("platform")) == 1


def test_taken_out(chain, raw_database):
    """A deleted record breaks the link of the next one."""
    raw_database.unguard()
    AuditRow.delete().where(AuditRow.number == 2).execute()

    assert broken_links("platform") == [AuditRow.get(AuditRow.number == 3).id]


def test_told():
    """Changes are recorded by name, in order, with long values cut."""
    changes = {
        "name": ("a", "x" * 100),
        "at": (None, NOON),
        "scopes": (["a", "b"], []),
    }

    assert describe_changes(changes) == (
        "at: none -> 2026-03-01T12:00:00.000Z; "
        f"name: a -> {'x' * 79}…; "
        "scopes: a, b -> none"
    )
