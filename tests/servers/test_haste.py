"""What waits for the disk of a PostgreSQL, and what does not."""

from contextlib import closing

import pytest

from models.platform.rate_limits import Rate
from models.platform.shared_rate_limits import DatabaseRateLimiter
from models.storage.database import database, open_database

pytestmark = pytest.mark.postgresql

# As a server is in service, whatever this one is started with.
DURABLE = "options=-csynchronous_commit%3Don"
ASKED = "SHOW synchronous_commit"


@pytest.fixture
def durable(settings, store):
    open_database(f"{settings.database}&{DURABLE}")


def test_draw_waits_for_no_disk(durable):
    """A request that only reads writes no more than its draw, which may be lost."""
    with closing(database._connect()) as connection:
        assert connection.execute(ASKED).fetchone() == ("on",)

    DatabaseRateLimiter().take_token("key", 0, Rate(2, 1))

    assert database.extra_connections.fetch_one(ASKED) == ("off",)
