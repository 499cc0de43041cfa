"""Rate limits that several processes share."""

import os
import random

import pytest

from models.platform.rate_limits import Rate
from models.platform.shared_rate_limits import SharedMemoryRateLimiter

# It refills by one token in an hour and more, so the burst decides.
BURST = Rate(capacity=400, refill=0.1)


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
    limiter = SharedMemoryRateLimiter()

    def take(_):
        return sum(limiter.take_token("key", 0, BURST).allowed for _ in range(300))

    tokens = in_processes(4, take)

    assert BURST.capacity <= sum(tokens) <= BURST.capacity * 1.01
    assert not limiter.take_token("key", 0, BURST).allowed


def test_keys_do_not_share_a_bucket():
    """Keys whose buckets share a group each have their own burst."""
    limiter, seed = SharedMemoryRateLimiter(), random.randrange(10**6)
    print("seed", seed)
    rate = Rate(capacity=2, refill=0.1)
    # With 3,000 names, in one run of twenty a group has more keys than buckets.
    names = [f"{seed}-{number}" for number in range(1500)]

    for _ in range(2):
        assert all(limiter.take_token(name, 0, rate).allowed for name in names)
    assert not any(limiter.take_token(name, 0, rate).allowed for name in names)


@pytest.mark.parametrize("seconds", [0, 30])
def test_process_killed_with_the_lock(seconds):
    """A process that is killed while it holds a bucket's lock blocks no other."""
    limiter = SharedMemoryRateLimiter()

    def die(_):
        limiter._take = lambda *_: os._exit(9)
        limiter.take_token("key", seconds, BURST)

    pid = os.fork()
    if pid == 0:
        die(None)
    os.waitpid(pid, 0)

    assert limiter.take_token("key", seconds, BURST).remaining == BURST.capacity - 1
