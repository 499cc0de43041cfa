"""A forked process with pipes, in the place of a program."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from models.runtime.forked_process import ForkedProcess
from tests.commands.servers.test_serve import until
from tests.servers.test_processes import is_running

pytestmark = pytest.mark.sqlite

ROOT = Path(__file__).parents[2]
# It prints the id of a forked process that reads for ever.
PARENT = """
import time
from models.runtime.forked_process import ForkedProcess

forked = ForkedProcess(lambda requests, responses: requests.read())
print(forked.pid, flush=True)
time.sleep(300)
"""


def echo(requests, responses):
    for line in requests:
        responses.write(line.upper())
        responses.flush()


@pytest.fixture
def forked():
    process = ForkedProcess(echo)
    yield process
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()


def test_it_responds(forked):
    """What is written to it is its input, and what it writes can be read."""
    forked.stdin.write(b"hello\n")
    forked.stdin.flush()

    assert forked.stdout.readline() == b"HELLO\n"
    assert forked.pid != os.getpid()
    assert forked.poll() is None


def test_end_of_its_input(forked):
    """It ends when its input is closed, and its output ends with it."""
    forked.stdin.close()

    assert forked.wait() == 0
    assert (forked.poll(), forked.returncode) == (0, 0)
    assert forked.stdout.read() == b""


def test_killed(forked):
    """Its exit code names the signal, and it can be killed again."""
    forked.kill()

    assert forked.wait() == -signal.SIGKILL
    forked.kill()
    assert forked.wait() == -signal.SIGKILL


def test_interrupt_of_the_parent(forked):
    """It is in a session of its own, so Ctrl-C does not reach it."""
    forked.stdin.write(b"a\n")
    forked.stdin.flush()
    assert forked.stdout.readline() == b"A\n"

    assert os.getsid(forked.pid) == forked.pid


def test_parent_killed():
    """It learns of the end of its parent, however that ends."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    with parent.stdout:
        pid = int(parent.stdout.readline())
        assert is_running(pid)

        parent.kill()
        parent.wait()

    until(lambda: not is_running(pid))
