"""Token buckets: the burst, the refill, and clocks that jump."""

import pytest

from models.platform.rate_limits import SECOND, MemoryRateLimiter, Rate, take_token

pytestmark = pytest.mark.both_engines

NOW = 1_772_366_400 * SECOND


def drawn(times, rate, full_at=None, now=NOW):
    """Take this number of tokens at one instant; return every outcome."""
    outcomes = []
    for _ in range(times):
        outcomes.append(take_token(full_at, now, rate))
        full_at = outcomes[-1].full_at
    return outcomes


@pytest.mark.parametrize("capacity", [1, 2, 3, 7, 2000])
@pytest.mark.parametrize("refill", [0.1, 0.3, 3, 7, 200, 9999, 10_000])
def test_burst_is_the_capacity(capacity, refill):
    """At one instant exactly the capacity of tokens is available."""
    outcomes = drawn(capacity + 2, Rate(capacity, refill))

    assert [each.allowed for each in outcomes] == [True] * capacity + [False] * 2
    left = [each.remaining for each in outcomes]
    assert left == [*range(capacity - 1, -1, -1), 0, 0]


def test_next_token():
    """A token is available exactly after the time of one."""
    rate = Rate(2, 4)
    full_at = drawn(2, rate)[-1].full_at

    assert not take_token(full_at, NOW + SECOND // 4 - 1, rate).allowed
    assert take_token(full_at, NOW + SECOND // 4, rate).allowed


def test_wait_is_rounded_up():
    """The wait is rounded up, so that no client comes back too early."""
    slow, fast = drawn(2, Rate(1, 0.4))[-1], drawn(2, Rate(1, 10_000))[-1]

    assert (slow.retry_after, slow.full_in) == (3, 3)
    assert (fast.retry_after, fast.full_in) == (1, 1)


def test_refused_draws_cost_nothing():
    """A rejected request does not lengthen the wait."""
    outcomes = drawn(10, Rate(1, 1))

    assert outcomes[-1].full_at == outcomes[0].full_at


def test_clock_set_back():
    """
    A bucket whose time is far in the future is full after its own refill time at most.
    """
    rate = Rate(5, 1)

    outcome = take_token(NOW + 10**6 * SECOND, NOW, rate)

    assert not outcome.allowed
    assert outcome.full_at == NOW + 5 * SECOND
    assert outcome.retry_after == 1


def test_buckets_have_names():
    """The burst of one caller does not affect another."""
    buckets, rate = MemoryRateLimiter(), Rate(1, 1)
    buckets.take_token("a", NOW, rate)

    assert not buckets.take_token("a", NOW, rate).allowed
    assert buckets.take_token("b", NOW, rate).allowed


def test_full_buckets_are_forgotten():
    """Full buckets are dropped to save memory, which gives no caller an extra token."""
    buckets, rate = MemoryRateLimiter(max_buckets=10), Rate(1, 1)
    for number in range(10):
        buckets.take_token(f"early {number}", NOW, rate)

    buckets.take_token("late", NOW + SECOND, rate)

    assert buckets._full_at.keys() == {"late"}
    assert not buckets.take_token("late", NOW + SECOND, rate).allowed


def test_buckets_are_set_back_with_the_clock():
    """A caller keeps its tokens exactly when the clock is set back or forth."""
    buckets, rate = MemoryRateLimiter(), Rate(3, 1)
    assert buckets.take_token("a", NOW, rate).remaining == 2

    back = NOW - 3600 * SECOND

    assert buckets.take_token("a", back, rate).remaining == 1
    assert buckets.take_token("a", back, rate).allowed
    assert not buckets.take_token("a", back, rate).allowed
