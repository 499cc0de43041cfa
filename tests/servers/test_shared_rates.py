"""The rate of a key on several servers of one PostgreSQL."""

import threading

import pytest

from models.platform.rate_limits import DatabaseRateLimiter, Rate
from models.storage.database import database, open_database, writing

pytestmark = pytest.mark.postgresql

# So slow that no token is refilled during a test.
RATE = Rate(50, 0.001)
# As a server is in service, whatever this one is started with.
DURABLE = "options=-csynchronous_commit%3Don"
# Executed when the transaction of a token commits.
REFUSE_TO_WAIT = (
    "CREATE FUNCTION refuse_to_wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
    " IF current_setting('synchronous_commit') <> 'off' THEN"
    " RAISE 'This commit waits for the disk.'; END IF; RETURN NULL; END $$",
    "CREATE CONSTRAINT TRIGGER refuse_to_wait AFTER INSERT OR UPDATE ON rate_limit"
    " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_to_wait()",
)


def test_capacity_is_shared(store):
    """Several processes together get the capacity, to the token."""
    limiters = [DatabaseRateLimiter() for _ in range(4)]

    decisions = [
        limiter.take_token("key", RATE)
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
    limiter.take_token("slow", RATE)
    with engine.elsewhere(settings.database) as other:
        other.execute("BEGIN")
        other.execute("SELECT * FROM rate_limit WHERE name = 'slow' FOR UPDATE")
        waiting = threading.Thread(target=limiter.take_token, args=("slow", RATE))
        waiting.start()

        decision = limiter.take_token("quick", RATE)

        assert decision.allowed
        other.execute("ROLLBACK")
        waiting.join()
    database.close()


def test_token_waits_for_no_disk(settings, store):
    """A request that only reads waits for no disk, and every other commit does."""
    open_database(f"{settings.database}&{DURABLE}")
    for statement in REFUSE_TO_WAIT:
        database.execute_sql(statement)

    try:
        for _ in range(2):
            DatabaseRateLimiter().take_token("key", RATE)
    finally:
        database.execute_sql("DROP FUNCTION refuse_to_wait CASCADE")

    (setting,) = database.execute_sql("SHOW synchronous_commit").fetchone()
    assert setting == "on"


def test_token_within_a_write(store):
    """No token is taken within a write, whose commit would not wait for the disk."""
    limiter = DatabaseRateLimiter()

    with writing(), pytest.raises(RuntimeError, match="durable"):
        limiter.take_token("key", RATE)
