"""The short form of bench/kills.py: some of its steps, and one moment."""

import random
from collections import Counter

import pytest

from bench import kills

# The processes that are killed wait for the disk as in service.
pytestmark = [pytest.mark.usefixtures("durable"), pytest.mark.both_engines]


@pytest.fixture
def found():
    with kills.instance() as instance:
        yield instance


def right(total):
    """
    Assert that nothing is lost, duplicated, answered differently, broken or unlike a
    full build.
    """
    return not set(+total) - {"kills", "acknowledged"}


def test_some_steps(found):
    """
    Killed at steps of writing and building, every write is stored once, and built.
    """
    total = kills.killed_at_steps(found, range(random.randrange(5, 30), 330, 30))

    assert total["kills"] >= 9
    assert total["acknowledged"] > 0
    assert right(total), total


def test_at_a_moment(found):
    """A server that is killed under load keeps everything that it acknowledged."""
    seed = random.randrange(10**9)
    print(f"seed {seed}")

    total = kills.killed_at_moments(found, 1, random.Random(seed))

    assert total["kills"] == 1
    assert right(total), total


@pytest.mark.sqlite
def test_processes(found):
    """
    Each process of a server is killed under load: acknowledged writes are kept, the
    others continue, it is restarted, and none outlives the parent.
    """
    seed = random.randrange(10**9)
    print(f"seed {seed}")

    victims = ["builder during a publication", "documents", "API with the write lock"]

    total = kills.killed_processes(found, [*victims, "parent"], random.Random(seed))

    kinds = total.pop("by process")
    assert kinds.total() == 4
    assert kinds["parent"] == 1
    total.pop("longest")
    assert total["acknowledged"] > 0
    assert right(Counter(total)), total
