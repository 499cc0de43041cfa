"""The rate of a key on several servers of one PostgreSQL."""

import threading

import pytest

from models.platform.rate_limits import Rate
from models.platform.shared_rate_limits import DatabaseRateLimiter
from models.storage.database import database

pytestmark = pytest.mark.postgresql

# So slow that no token is refilled during a test.
RATE = Rate(50, 0.001)


def test_capacity_is_shared(store):
    """Several processes together get the capacity, to the token."""
    limiters = [DatabaseRateLimiter() for _ in range(4)]

    decisions = [
        limiter.take_token("key", 0, RATE)
        for _ in range(RATE.capacity)
        for limiter in limiters
    ]

    allowed = [decision for decision in decisions if decision.allowed]
    assert len(allowed) == RATE.capacity
    # The headers of the responses count down.
    remaining = [decision.remaining for decision in allowed]
    assert remaining == list(reversed(range(RATE.capacity)))
    assert decisions[-1].retry_after > 0


def test_no_thread_waits_for_another(store, engine, settings):
    """While the statement for one key waits, another key gets its token."""
    limiter = DatabaseRateLimiter()
    limiter.take_token("slow", 0, RATE)
    with engine.elsewhere(settings.database) as other:
        other.execute("BEGIN")
        other.execute("SELECT * FROM rate_limit WHERE name = 'slow' FOR UPDATE")
        waiting = threading.Thread(target=limiter.take_token, args=("slow", 0, RATE))
        waiting.start()

        decision = limiter.take_token("quick", 0, RATE)

        assert decision.allowed
        other.execute("ROLLBACK")
        waiting.join()
    database.close()
