"""Counters that the processes of a server share, in memory without a file."""

import os
import signal
from operator import add

import pytest

from models.runtime.shared_numbers import NAME_BYTES, SharedNumbers


@pytest.fixture
def numbers():
    return SharedNumbers(["api-1", "api-2"], rows=2, width=2)


@pytest.fixture
def in_child():
    """Run a function in a forked process, which is killed at its end."""

    def run(function):
        if (pid := os.fork()) == 0:
            try:
                function()
            finally:
                os.kill(os.getpid(), signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL

    return run


def test_counts_of_all_processes(numbers, in_child):
    """The counts of all processes under a name are added up, by any process."""

    def count(process, place, value):
        numbers.row(process, "healthz")[place] += value

    in_child(lambda: count("api-1", 0, 1))
    in_child(lambda: count("api-2", 1, 0.5))
    in_child(lambda: count("api-1", 0, 2))

    assert numbers.combined(add) == {"healthz": [3, 0.5]}
    assert numbers.combined(max) == {"healthz": [3, 0.5]}


def test_counts_of_a_process_that_was_killed(numbers, in_child):
    """A process that is started again continues the row of the one that died."""
    in_child(lambda: numbers.row("api-1", "healthz").__setitem__(0, 7))

    row = numbers.row("api-1", "healthz")
    row[0] += 1

    assert numbers.combined(add) == {"healthz": [8, 0]}


def test_row_of_a_process_that_died_while_adding_it(numbers):
    """
    A row without the first byte of its name is ignored, and its name gets another row.
    """
    numbers.row("api-1", "a-long-name")
    numbers._numbers.cast("B")[0] = 0

    assert numbers.combined(add) == {}
    numbers.row("api-1", "short")
    assert numbers.combined(add) == {"short": [0, 0]}


@pytest.mark.parametrize("name", ["", "x" * NAME_BYTES, "ü" * (NAME_BYTES // 2)])
def test_name_that_does_not_fit(numbers, name):
    """
    A name that is too long is rejected, because two shortened names could be equal.
    """
    with pytest.raises(ValueError, match="empty or too long"):
        numbers.row("api-1", name)


def test_more_rows_than_there_is_room_for(numbers):
    """A row too many is rejected; those of the other processes stay unchanged."""
    for name in ("one", "two"):
        numbers.row("api-1", name)

    with pytest.raises(ValueError, match="no room"):
        numbers.row("api-1", "three")

    assert set(numbers.combined(add)) == {"one", "two"}
