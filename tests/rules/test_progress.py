"""How long changes have been waiting for the builder."""

from datetime import timedelta

import pytest

from models.runtime.build_progress import Progress
from tests.conftest import NOON


def after(seconds):
    return NOON + timedelta(seconds=seconds)


@pytest.fixture
def progress():
    return Progress()


def test_oldest_call_counts(progress):
    """While nobody calls there is no lag; later calls do not make it younger."""
    assert progress.lag(NOON) == 0

    progress.called(NOON)
    progress.called(after(5))

    assert progress.lag(after(7)) == 7


def test_build_answers_what_was_called_before_it(progress):
    """A call during a build is the next one's, and waits since it came."""
    progress.called(NOON)
    progress.begun(after(1))
    progress.called(after(2))
    assert progress.lag(after(4)) == 4

    progress.ended(is_whole=True)

    assert progress.lag(after(4)) == 2


def test_build_that_is_not_whole(progress):
    """What could not be made true is still waited for, since the first call."""
    progress.called(NOON)
    progress.begun(after(1))
    progress.called(after(2))
    progress.ended(is_whole=False)

    progress.begun(after(15))
    progress.ended(is_whole=False)

    assert progress.lag(after(20)) == 20


def test_clock_set_back(progress):
    """A lag is never negative."""
    progress.called(NOON)

    assert progress.lag(after(-60)) == 0
