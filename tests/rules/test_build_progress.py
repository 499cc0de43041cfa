"""How long changes have been waiting for the builder."""

from datetime import timedelta

import pytest

from models.runtime.build_progress import BuildProgress
from tests.conftest import NOON


def after(seconds):
    return NOON + timedelta(seconds=seconds)


@pytest.fixture
def progress():
    return BuildProgress()


def test_oldest_call_counts(progress):
    """While nobody calls there is no lag; later calls do not make it younger."""
    assert progress.lag(NOON) == 0

    progress.request(NOON)
    progress.request(after(5))

    assert progress.lag(after(7)) == 7


def test_build_answers_what_was_called_before_it(progress):
    """A call during a build is the next one's, and waits since it came."""
    progress.request(NOON)
    progress.start(after(1))
    progress.request(after(2))
    assert progress.lag(after(4)) == 4

    progress.finish(is_complete=True)

    assert progress.lag(after(4)) == 2


def test_build_that_is_not_whole(progress):
    """What could not be made true is still waited for, since the first call."""
    progress.request(NOON)
    progress.start(after(1))
    progress.request(after(2))
    progress.finish(is_complete=False)

    progress.start(after(15))
    progress.finish(is_complete=False)

    assert progress.lag(after(20)) == 20


def test_clock_set_back(progress):
    """A lag is never negative."""
    progress.request(NOON)

    assert progress.lag(after(-60)) == 0
