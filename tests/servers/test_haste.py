"""Which writes to PostgreSQL wait for the disk."""

from contextlib import closing

import pytest

from models.platform.rate_limits import Rate
from models.platform.shared_rate_limits import DatabaseRateLimiter
from models.storage.database import database, open_database

pytestmark = pytest.mark.postgresql

# As a server is in service, whatever this one is started with.
DURABLE = "options=-csynchronous_commit%3Don"
QUERY = "SHOW synchronous_commit"


@pytest.fixture
def durable(settings, store):
    open_database(f"{settings.database}&{DURABLE}")


def test_draw_waits_for_no_disk(durable):
    """A read-only request writes only its rate limit, which may be lost."""
    with closing(database._connect()) as connection:
        assert connection.execute(QUERY).fetchone() == ("on",)

    DatabaseRateLimiter().take_token("key", 0, Rate(2, 1))

    assert database.extra_connections.fetch_one(QUERY) == ("off",)
