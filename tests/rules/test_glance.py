"""The database at a glance says what the rows say."""

import sqlite3

import pytest

from models.audit import AUDITED, newest_link
from models.changes import generation_with, mark, marks, note_built
from models.storage.database import reading, writing
from models.storage.generation import generation_at_rest, newest_links

ADD = "POST /status/v1/admin/services/add"


def test_generation_at_rest(store, settings, clock):
    """It is the newest mark once every area is built to its own, and none before."""
    with writing():
        mark("docs")
        mark("status")
    note_built({"docs": 1}, [], clock.now)
    waiting = generation_at_rest(settings.database)

    note_built({"status": 2}, [], clock.now)

    assert waiting is None
    with reading():
        assert generation_at_rest(settings.database) == generation_with(marks()) == 2


def test_newest_links(ask, settings):
    """The links are those of the chains, and "" where nothing was ever done."""
    ask(ADD, {"slug": "api", "name": "Public API"})

    found = newest_links(settings.database, AUDITED)

    with reading():
        assert found == {area: newest_link(area) for area in AUDITED}
    assert (found["projects"], bool(found["status"])) == ("", True)


@pytest.mark.sqlite
def test_glance_at_nothing(tmp_path):
    """A file that is not there is not made."""
    with pytest.raises(sqlite3.OperationalError):
        generation_at_rest(str(tmp_path / "none.db"))

    assert list(tmp_path.iterdir()) == []
