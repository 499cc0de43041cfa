"""The database at a glance says what the rows say."""

import sqlite3

import pytest

from models.audit import AUDITED_AREAS, last_link
from models.changes import generation_with, mark, marks, note_built
from models.storage.database import reading, writing
from models.storage.generation import built_generation, last_audit_links

ADD = "POST /status/v1/admin/services/add"


def test_generation_at_rest(store, settings, clock):
    """It is the newest mark once every area is built to its own, and none before."""
    with writing():
        mark("docs")
        mark("status")
    note_built({"docs": 1}, [], clock.now)
    waiting = built_generation(settings.database)

    note_built({"status": 2}, [], clock.now)

    assert waiting is None
    with reading():
        assert built_generation(settings.database) == generation_with(marks()) == 2


def test_newest_links(ask, settings):
    """The links are those of the chains, and "" where nothing was ever done."""
    ask(ADD, {"slug": "api", "name": "Public API"})

    found = last_audit_links(settings.database, AUDITED_AREAS)

    with reading():
        assert found == {area: last_link(area) for area in AUDITED_AREAS}
    assert (found["projects"], bool(found["status"])) == ("", True)


@pytest.mark.sqlite
def test_glance_at_nothing(tmp_path):
    """A file that is not there is not made."""
    with pytest.raises(sqlite3.OperationalError):
        built_generation(str(tmp_path / "none.db"))

    assert list(tmp_path.iterdir()) == []
