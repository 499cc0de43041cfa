"""The rate of a key on several servers of one PostgreSQL."""

import threading
from types import SimpleNamespace

import pytest

from models.platform import shared_rate_limits
from models.platform.rate_limits import SECOND, Rate
from models.platform.shared_rate_limits import DatabaseRateLimiter
from models.storage.database import database
from models.storage.engines.postgresql_pool import ConnectionPool

pytestmark = pytest.mark.postgresql

# So slow that no token comes back during a test.
RATE = Rate(1000, 0.001)
SMALL = Rate(20, 0.001)


@pytest.fixture
def clock_of_process(monkeypatch):
    """The clock of this process stands still, so that no lot is too old."""
    now = SimpleNamespace(at=SECOND)
    steady = SimpleNamespace(monotonic_ns=lambda: now.at)
    monkeypatch.setattr(shared_rate_limits, "time", steady)
    return now


@pytest.fixture
def statements(monkeypatch):
    """What was asked of the database for the tokens."""
    asked, fetch_one = [], ConnectionPool.fetch_one

    def counted(pool, statement, values=()):
        asked.append(values)
        return fetch_one(pool, statement, values)

    monkeypatch.setattr(ConnectionPool, "fetch_one", counted)
    return asked


def allowed(limiter, count, rate, name="key"):
    return [limiter.take_token(name, 0, rate).allowed for _ in range(count)].count(True)


@pytest.mark.parametrize("rate", [RATE, SMALL])
def test_capacity_is_shared(store, clock_of_process, rate):
    """Several processes together get the capacity, to the token."""
    limiters = [DatabaseRateLimiter() for _ in range(4)]

    told = [
        limiter.take_token("key", 0, rate).allowed
        for _ in range(rate.capacity)
        for limiter in limiters
    ]

    assert told.count(True) == rate.capacity


def test_one_process_cannot_hoard(store, clock_of_process):
    """What a busy process has drawn and not used is at most a tenth."""
    limiter, other = DatabaseRateLimiter(), DatabaseRateLimiter()
    taken = allowed(limiter, 500, RATE)

    left = allowed(other, RATE.capacity, RATE)

    assert taken == 500
    assert left >= RATE.capacity - 500 - RATE.capacity // 10


def test_few_round_trips(store, clock_of_process, statements):
    """A key that is busy is asked for in lots that grow."""
    taken = allowed(DatabaseRateLimiter(), 900, RATE)

    assert taken == 900
    assert len(statements) < 20


def test_old_lot(store, clock_of_process, statements):
    """Tokens that were not used for a second are lost, and the next lot is small."""
    limiter = DatabaseRateLimiter()
    allowed(limiter, 4, RATE)
    clock_of_process.at += 2 * SECOND
    statements.clear()

    decision = limiter.take_token("key", 0, RATE)

    assert decision.remaining == RATE.capacity - 1 - 2 - 4 - 1
    (values,) = statements
    assert values[1] == SECOND / RATE.refill


def test_headers_count_down(store, clock_of_process):
    """The remaining tokens are told as if each were drawn by itself."""
    limiter = DatabaseRateLimiter()

    told = [limiter.take_token("key", 0, RATE).remaining for _ in range(50)]

    assert told == [RATE.capacity - number for number in range(1, 51)]


def test_no_thread_waits_for_another(store, keeping, settings):
    """While the draw for one key waits, another key gets its token."""
    limiter = DatabaseRateLimiter()
    limiter.take_token("slow", 0, RATE)
    with keeping.elsewhere(settings.database) as other:
        other.execute("BEGIN")
        other.execute("SELECT * FROM rate_limit WHERE name = 'slow' FOR UPDATE")
        waiting = threading.Thread(target=limiter.take_token, args=("slow", 0, RATE))
        waiting.start()

        decision = limiter.take_token("quick", 0, RATE)

        assert decision.allowed
        other.execute("ROLLBACK")
        waiting.join()
    database.close()
