"""Token buckets: the burst, the refill, clocks that jump, and several processes."""

import os
import random

import pytest

from models.platform.rate_limits import SECOND, MemoryRateLimiter, Rate, take_token

pytestmark = pytest.mark.both_engines

NOW = 1_772_366_400 * SECOND
# It refills by one token in an hour and more, so the burst decides.
BURST = Rate(capacity=400, refill=0.1)


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
    buckets, rate = MemoryRateLimiter(), Rate(1, 0.1)
    buckets.take_token("a", rate)

    assert not buckets.take_token("a", rate).allowed
    assert buckets.take_token("b", rate).allowed


def in_processes(count, run):
    """Run the function in several processes at once; return their results."""
    pipes = []
    for number in range(count):
        reader, writer = os.pipe()
        if os.fork() == 0:
            os.write(writer, str(run(number)).encode())
            os._exit(0)
        os.close(writer)
        pipes.append(reader)
    results = []
    for reader in pipes:
        with os.fdopen(reader) as text:
            results.append(int(text.read()))
        os.wait()
    return results


def test_burst_over_four_processes():
    """Four processes together get exactly the tokens of the key."""
    limiter = MemoryRateLimiter()

    def take(_):
        return sum(limiter.take_token("key", BURST).allowed for _ in range(300))

    tokens = in_processes(4, take)

    assert BURST.capacity <= sum(tokens) <= BURST.capacity * 1.01
    assert not limiter.take_token("key", BURST).allowed


def test_keys_do_not_share_a_bucket():
    """Keys whose buckets share a group each have their own burst."""
    limiter, seed = MemoryRateLimiter(), random.randrange(10**6)
    print("seed", seed)
    rate = Rate(capacity=2, refill=0.1)
    # With 3,000 names, in one run of twenty a group has more keys than buckets.
    names = [f"{seed}-{number}" for number in range(1500)]

    for _ in range(2):
        assert all(limiter.take_token(name, rate).allowed for name in names)
    assert not any(limiter.take_token(name, rate).allowed for name in names)


def test_process_killed_with_the_lock():
    """A process that is killed while it holds a bucket's lock blocks no other."""
    limiter = MemoryRateLimiter()

    def die(_):
        limiter._take = lambda *_: os._exit(9)
        limiter.take_token("key", BURST)

    pid = os.fork()
    if pid == 0:
        die(None)
    os.waitpid(pid, 0)

    assert limiter.take_token("key", BURST).remaining == BURST.capacity - 1
