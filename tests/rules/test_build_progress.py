"""How long changes have been waiting for the builder."""

from datetime import timedelta

import pytest

from models.runtime.reports import BuildProgress
from tests.conftest import NOON


def after(seconds):
    return NOON + timedelta(seconds=seconds)


@pytest.fixture
def progress():
    return BuildProgress()


def test_oldest_call_counts(progress):
    """Without requests there is no lag; later requests do not shorten it."""
    assert progress.lag(NOON) == 0

    progress.request(NOON)
    progress.request(after(5))

    assert progress.lag(after(7)) == 7


def test_build_answers_what_was_called_before_it(progress):
    """A request during a build belongs to the next one, and its lag starts with it."""
    progress.request(NOON)
    progress.start(after(1))
    progress.request(after(2))
    assert progress.lag(after(4)) == 4

    progress.finish(is_complete=True)

    assert progress.lag(after(4)) == 2


def test_build_that_is_not_whole(progress):
    """After an incomplete build, the lag still counts from the first request."""
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
