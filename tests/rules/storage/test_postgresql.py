"""PostgreSQL: its guarantees, and the errors when it is unavailable."""

import pytest
from peewee import DatabaseError
from psycopg import errors

from models.changes import mark, marks
from models.errors import StorageBusy
from models.storage.database import database, reading, writing

pytestmark = pytest.mark.postgresql

VERIFY = "POST /platform/v1/keys/verify"
LIST, ADD = "GET /platform/v1/keys/list", "POST /status/v1/admin/services/add"
OTHERS = (
    " FROM pg_stat_activity"
    " WHERE datname = 'lent' AND pid <> pg_backend_pid() AND usename = 'postgres'"
)


@pytest.fixture
def server(engine, store, settings):
    """A connection to the server, and not to the database of this test."""
    with engine.elsewhere(settings.database.replace("/lent", "/postgres")) as other:
        yield other


@pytest.fixture
def cut(server):
    """Close every connection to the database, as a restarting server does."""
    return lambda: server.execute(f"SELECT pg_terminate_backend(pid, 1000) {OTHERS}")


@pytest.fixture
def shut(server, cut):
    """Refuse and terminate all connections; then accept them again."""

    def shut(is_open=False):
        server.execute(f"ALTER DATABASE lent ALLOW_CONNECTIONS {is_open}")
        if not is_open:
            cut()

    yield shut
    shut(is_open=True)


def setting(name):
    query = "SELECT setting, source FROM pg_settings WHERE name = ?"
    return database.execute_sql(query, (name,)).fetchone()


def test_promises(store):
    """An acknowledged write is durable: our settings do not weaken the server's."""
    with writing():
        assert setting("synchronous_commit")[1] not in ("client", "session")
        assert setting("lock_timeout")[0] == "0"
        isolation, _ = setting("transaction_isolation")
        assert isolation == "read committed"
    with reading():
        assert setting("transaction_isolation")[0] == "repeatable read"
        assert setting("transaction_read_only")[0] == "on"


def test_idle_connection_that_was_cut(api, cut):
    """A request whose idle connection was cut is not lost."""
    for _ in range(2):
        cut()
        assert api(LIST).status_code == 200
        cut()
        assert api(VERIFY, {"hash": "0" * 64}).status_code == 404
        cut()
        assert api(ADD, {"slug": "api", "name": "API"}).status_code == 200


@pytest.mark.parametrize("within", [reading, writing])
def test_connection_that_is_cut_at_work(within, store, cut):
    """
    If a connection is cut during a write, nothing is stored, the storage is
    unavailable, and the next try works.
    """

    def fail():
        with within():
            if within is writing:
                mark("docs")
            cut()
            marks()

    with pytest.raises(StorageBusy) as refused:
        fail()

    assert refused.value.members == {"state": "database-unreachable"}
    with within():
        assert marks()["docs"] == 0


def test_server_that_is_away(api, shut):
    """Every request is rejected with the state's name, until the server is back."""
    requests = ((LIST, None), (ADD, {"slug": "api", "name": "API"}))
    for route, _ in requests:
        api(route)
    shut()
    for route, body in requests:
        refused = api(route, body)
        assert refused.status_code == 503
        assert refused.json["state"] == "database-unreachable"
        assert int(refused.headers["Retry-After"]) > 0

    shut(is_open=True)

    assert api(ADD, {"slug": "api", "name": "API"}).status_code == 200
    assert api(LIST).status_code == 200


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (errors.AdminShutdown, "database-unreachable"),
        (errors.CannotConnectNow, "database-unreachable"),
        (errors.ConnectionFailure, "database-unreachable"),
        (errors.InvalidPassword, "database-unreachable"),
        (errors.TooManyConnections, "database-unreachable"),
        (errors.OperationalError, "database-unreachable"),
        (errors.LockNotAvailable, "database-locked"),
        (errors.DeadlockDetected, "database-locked"),
        (errors.DiskFull, "database-full"),
        (errors.ReadOnlySqlTransaction, "database-read-only"),
        (errors.IoError, "database-failing"),
        (errors.OutOfMemory, "database-failing"),
        (errors.DataCorrupted, "database-damaged"),
        (errors.UndefinedTable, None),
        (errors.UniqueViolation, None),
        (errors.NumericValueOutOfRange, None),
        (errors.DataError, None),
    ],
)
def test_state(error, state, store):
    """Each failure of the server has a state; our own errors have none."""
    assert database.fault_state(error("x")) == state


def test_transaction_that_failed(store):
    """A failed savepoint is rolled back alone, and the transaction continues."""

    def fail():
        with writing():
            mark("docs")
            database.execute_sql("SELECT 1 FROM nowhere")

    with writing():
        mark("docs")
        with pytest.raises(DatabaseError, match="nowhere"):
            fail()
        mark("docs")

    assert marks()["docs"] == 2


def test_streamed(store):
    """A long list is fetched in parts, also two lists at a time."""
    query = "SELECT number, ?2 FROM generate_series(1, ?1) number"

    with reading():
        one, two = (database.stream(query, (10, each), batch_size=3) for each in "ab")
        found = list(zip(one, two, strict=True))

    assert found == [((number, "a"), (number, "b")) for number in range(1, 11)]
