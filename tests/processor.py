"""Hold work that must be bounded to its bound: in processor time, on any machine."""

import re
from contextlib import contextmanager
from time import process_time

# What the sample takes on the machine on which the bounds were chosen.
SAMPLE_SECONDS = 0.015


@contextmanager
def at_most(seconds):
    """
    Fail if what is done inside takes more processor time than this.

    On a machine that is slower than the one on which the bound was chosen, also
    because it is at its limit right now, it may take so many times longer.
    """
    slowness = _slowness()
    started = process_time()
    yield
    took = process_time() - started
    assert took < seconds * max(1, slowness, _slowness())


def _slowness():
    """Tell how many times longer than there a sample of such work takes here."""
    started = process_time()
    text = "lorem *ipsum* [dolor](sit) " * 2_000
    for _ in range(5):
        words = re.findall(r"\w+", text)
        sum(len(word) for word in words)
        dict.fromkeys(f"{number} {word}" for number, word in enumerate(words))
    return (process_time() - started) / SAMPLE_SECONDS
