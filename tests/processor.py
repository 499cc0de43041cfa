"""Bounds on work, measured in processor time on any machine."""

import re
from contextlib import contextmanager
from time import process_time

# The time of the sample on the machine on which the bounds were chosen.
SAMPLE_SECONDS = 0.015


@contextmanager
def at_most(seconds):
    """
    Fail if the block takes more processor time than this.

    The bound is scaled on machines that are slower than the one on which it was chosen,
    also if they are slow only now because they are busy.
    """
    slowness = _slowness()
    started = process_time()
    yield
    took = process_time() - started
    assert took < seconds * max(1, slowness, _slowness())


def _slowness():
    """
    Return how many times longer the sample takes here than on the reference machine.
    """
    started = process_time()
    text = "lorem *ipsum* [dolor](sit) " * 2_000
    for _ in range(5):
        words = re.findall(r"\w+", text)
        sum(len(word) for word in words)
        dict.fromkeys(f"{number} {word}" for number, word in enumerate(words))
    return (process_time() - started) / SAMPLE_SECONDS
