"""When keys were last used: in memory, and then in the database."""

from datetime import timedelta

import pytest

from models.errors import StorageBusy
from models.platform import key_uses as module
from models.platform.key_uses import KeyUses
from models.platform.keys import KeyRow
from tests.conftest import NOON

TICK = timedelta(milliseconds=1)


@pytest.fixture
def ids(issue):
    for name in "abc":
        issue(name)
    return [row.id for row in KeyRow.select().order_by(KeyRow.id)]


def last(id):
    return KeyRow.get_by_id(id).last_used_at


def test_written(ids):
    """Only the last of several uses is written, and nothing for unused keys."""
    uses = KeyUses()
    uses.note(ids[0], NOON)
    uses.note(ids[0], NOON + TICK)
    assert last(ids[0]) is None

    uses.write()

    assert [last(id) for id in ids] == [NOON + TICK, None, None]


def test_never_back(ids):
    """A clock that was set back does not make a key look unused."""
    uses = KeyUses()
    for at in (NOON, NOON - TICK):
        uses.note(ids[0], at)
        uses.write()

    assert last(ids[0]) == NOON


def test_written_once(ids, monkeypatch):
    """A use is written once."""
    uses = KeyUses()
    uses.note(ids[0], NOON)
    uses.write()
    KeyRow.update(last_used_at=None).execute()

    uses.write()

    assert last(ids[0]) is None


def test_storage_is_taken(ids, raw_database):
    """Uses that could not be written are written the next time."""
    uses = KeyUses()
    uses.note(ids[0], NOON)
    with raw_database.writing_elsewhere(), pytest.raises(StorageBusy):
        uses.write()

    uses.write()

    assert last(ids[0]) == NOON


def test_more_than_a_batch(ids, monkeypatch):
    """Many uses are written completely, in several transactions."""
    monkeypatch.setattr(module, "BATCH_SIZE", 2)
    uses = KeyUses()
    for id in ids:
        uses.note(id, NOON)

    uses.write()

    assert [last(id) for id in ids] == [NOON] * 3
