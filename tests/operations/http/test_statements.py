"""The statements of a request: during each of them, other threads can run."""

import hashlib

import pytest

from api.operation import OPERATIONS
from models.storage.database import database
from tests.conftest import ROUTES

pytestmark = pytest.mark.sqlite

VERIFY = "POST /platform/v1/keys/verify"
UNKNOWN = {"id": "01900000-0000-7000-8000-000000000000"}
WITHOUT_SNAPSHOT = {
    VERIFY: {"hash": hashlib.sha256(b"nobody's").hexdigest()},
    "GET /platform/v1/keys/get": UNKNOWN,
    "GET /status/v1/admin/deliveries/get": UNKNOWN,
    "GET /status/v1/admin/subscriptions/get": UNKNOWN,
}


@pytest.fixture
def statements(app):
    """Return the statements of later requests, which this thread processes."""
    executed = []
    database.connection().set_trace_callback(executed.append)
    return executed


def test_reads_without_snapshot_are_known():
    """The operations that declare to need no snapshot are listed here."""
    routes = {operation.route for operation in OPERATIONS if not operation.snapshot}

    assert routes == WITHOUT_SNAPSHOT.keys()


@pytest.mark.parametrize("route", WITHOUT_SNAPSHOT)
def test_read_without_snapshot(api, statements, route):
    """
    After authentication there is at most one statement, so that no two could be
    inconsistent; a time limit would need a snapshot.
    """
    api(route, WITHOUT_SNAPSHOT[route])
    statements.clear()

    api(route, WITHOUT_SNAPSHOT[route])

    authentication, *own = statements
    assert 'FROM "key"' in authentication
    assert len(own) == 1, own
    assert ROUTES[route].pagination is None


def test_read_with_snapshot(api, statements):
    """The caller is authenticated outside the one snapshot."""
    api("GET /status/v1/services/list")
    statements.clear()

    api("GET /status/v1/services/list")

    authentication, *own = statements
    assert 'FROM "key"' in authentication
    assert (own[0], own[-1]) == ("BEGIN", "ROLLBACK")
    assert statements.count("BEGIN") == 1


def test_change(api, statements):
    """A change has no snapshot besides its transaction."""
    api("POST /status/v1/admin/services/add", {"slug": "api", "name": "API"})

    begun = {text for text in statements if text.startswith("BEGIN")}
    assert begun == {"BEGIN IMMEDIATE"}
