"""A database that cannot be written, or not even read."""

from itertools import count
from pathlib import Path

import pytest

from models.status.services.rows import ServiceRow
from models.storage.database import database
from models.storage.integrity import integrity_problems
from tests.faults.conftest import ADD, SERVICE


@pytest.fixture
def refused(api, states, caplog):
    """Assert that a write is rejected with the state's name, which is logged too."""

    def ask_in_vain(state):
        response = api(ADD, SERVICE)
        assert response.status_code == 503
        assert response.json["type"].endswith("/problems/storage-busy/")
        assert response.json["state"] == state
        assert int(response.headers["Retry-After"]) > 0
        assert states() == [state]
        assert f"state={state} " in caplog.text

    return ask_in_vain


@pytest.fixture
def accepted(api, states):
    """Assert that a write succeeds, and that nothing of the fault remains."""

    def ask_again():
        assert api(ADD, SERVICE).status_code == 200
        assert states() == []
        assert [row.slug for row in ServiceRow.select()] == ["api"]
        assert integrity_problems() == []

    return ask_again


@pytest.mark.sqlite
def test_read_only(api, as_user, settings, reader, refused, accepted):
    """
    Reads continue; a connection that was opened meanwhile writes once the file is
    writable.
    """
    api("GET /status/v1/services/list")
    api(ADD, b"{}")
    as_user()
    Path(settings.database).chmod(0o444)

    refused("database-read-only")
    assert api("GET /status/v1/services/list").status_code == 200

    Path(settings.database).chmod(0o644)
    accepted()


@pytest.mark.sqlite
def test_cannot_be_opened(api, as_user, settings, refused, accepted):
    """An unreadable file is reported, and is read once it is readable."""
    api(ADD, b"{}")
    api("GET /status/v1/services/list")
    as_user()
    Path(settings.database).chmod(0)

    refused("database-failing")
    assert api("GET /status/v1/services/list").status_code == 503

    Path(settings.database).chmod(0o644)
    accepted()


@pytest.mark.sqlite
def test_moved_away(api, settings, refused, accepted):
    """A missing file takes no writes, and no new one is created in its place."""
    api(ADD, b"{}")
    api("GET /status/v1/services/list")
    path = Path(settings.database)
    path.rename(path.with_name("aside.db"))

    refused("database-gone")
    database.close()
    refused("database-gone")
    assert api("GET /status/v1/services/list").status_code == 503
    assert not path.exists()

    path.with_name("aside.db").rename(path)
    accepted()


@pytest.mark.sqlite
def test_replaced(api, settings, refused):
    """Writes into a file that was replaced are rejected, because they would be lost."""
    api(ADD, b"{}")
    path = Path(settings.database)
    path.with_name("copy.db").write_bytes(path.read_bytes())
    path.with_name("copy.db").rename(path)

    refused("database-gone")


def test_locked(api, raw_database, refused, accepted):
    """Another process that writes for long blocks us no longer than it writes."""
    api(ADD, b"{}")
    with raw_database.writing_elsewhere():
        refused("database-locked")

    accepted()


@pytest.mark.sqlite
def test_full(api):
    """A file that cannot grow takes no write, and stores nothing of it."""
    api(ADD, b"{}")
    (pages,) = database.execute_sql("PRAGMA page_count").fetchone()
    (most,) = database.execute_sql("PRAGMA max_page_count").fetchone()
    database.execute_sql(f"PRAGMA max_page_count = {pages}")
    added = count()

    def add_one():
        return api(ADD, SERVICE | {"slug": f"s{next(added)}", "name": "x" * 100})

    while (answer := add_one()).status_code == 200:
        pass
    assert answer.json["state"] == "database-full"

    database.execute_sql(f"PRAGMA max_page_count = {most}")
    assert add_one().status_code == 200
    assert ServiceRow.select().count() == next(added) - 1
    assert integrity_problems() == []


@pytest.mark.sqlite
def test_damaged(api, settings, refused, accepted):
    """A damaged file is no mistake of ours; once put back it is read again."""
    api(ADD, b"{}")
    database.close()
    file = Path(settings.database)
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))

    refused("database-damaged")

    database.close()
    file.write_bytes(whole)
    accepted()


@pytest.mark.sqlite
def test_builder_and_health(as_user, settings, builder, states):
    """While nothing can be read /readyz still responds."""
    as_user()
    Path(settings.database).chmod(0)

    assert "database-failing" in states(builder)

    Path(settings.database).chmod(0o644)
    assert states(builder) == []


@pytest.mark.sqlite
def test_damaged_page(api, app, settings):
    """While requests meet a damaged page, the server is not ready, though it writes."""
    api(ADD, SERVICE)
    with database.connection_context():
        root = "SELECT rootpage FROM sqlite_master WHERE name = 'service'"
        (page,) = database.execute_sql(root).fetchone()
        database.truncate_wal()
    database.close()
    with open(settings.database, "r+b") as file:
        file.seek(4096 * (page - 1))
        file.write(b"\xff" * 4096)

    refused = api(ADD, SERVICE | {"slug": "mail"})
    assert refused.json["state"] == "database-damaged"

    answer = app.test_client().get("/readyz")
    assert (answer.status_code, answer.json["states"]) == (503, ["database-damaged"])


@pytest.mark.both_engines
def test_connection_that_is_refused(api, app, raw_database, settings):
    """While requests get no connection, the server is not ready, though others do."""
    api(ADD, SERVICE)
    raw_database.lose()
    state = api(ADD, SERVICE).json["state"]
    database.configure(settings.database)

    answer = app.test_client().get("/readyz")

    assert (answer.status_code, answer.json["states"]) == (503, [state])
