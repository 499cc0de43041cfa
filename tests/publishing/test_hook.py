"""The hook: its input, and the handling of its failures."""

import shlex
import sys
import time

import pytest

from sitegen.output.publishing import publication
from sitegen.output.publishing.publication import run_hook


def python(code):
    return shlex.join([sys.executable, "-c", code])


def test_told(tmp_path):
    """It finds an address a line on its standard input."""
    file = tmp_path / "told"

    assert run_hook(f"tee {file}", ["https://a/", "https://a/b/"]) is None

    assert file.read_text() == "https://a/\nhttps://a/b/\n"


def test_words():
    """The command is split like a shell's, and run without a shell."""
    code = "import sys; sys.exit(sys.argv[1:] != ['a b', '$HOME', '>x'])"

    assert run_hook(f"{python(code)} 'a b' $HOME '>x'", []) is None


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import sys; sys.exit(3)", "exited with 3: no error message"),
        ("import sys; sys.exit('a\\nno such zone')", "exited with 1: no such zone"),
        ("import sys; sys.exit('x' * 300)", f"exited with 1: {'x' * 200}"),
        ("import os; os.kill(os.getpid(), 9)", "exited with -9"),
    ],
)
def test_failure(code, reason):
    """A failure is reported with its exit code and its last line of output."""
    found = run_hook(python(code), ["https://a/"] * 10_000)

    assert found.startswith(f"The hook {reason}")
    assert found.endswith(".")


def test_not_there():
    """A command that is not there is named by the reason."""
    assert run_hook("/no/such/command", []) == (
        "The hook cannot be run: No such file or directory."
    )


def test_too_slow():
    """One that does not end is ended, with all that it started."""
    began = time.monotonic()

    found = run_hook("sh -c 'sleep 300 & sleep 300'", [], 0.2)

    assert found == "The hook did not end within 0.2 seconds."
    assert time.monotonic() - began < 150
    assert publication.TIMEOUT_SECONDS == 60
