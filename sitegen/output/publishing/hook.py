"""Run the hook: the command that receives the changed URLs after a publication."""

import os
import shlex
import signal
import subprocess
from collections.abc import Iterable
from contextlib import suppress

TIMEOUT_SECONDS = 60.0
# The error message quotes at most so much of the last line of standard error.
MAX_CHARACTERS = 200


def run_hook(
    command: str, urls: Iterable[str], timeout_seconds: float = TIMEOUT_SECONDS
) -> str | None:
    """
    Run the command with one URL per line on standard input.

    Return None, or why it failed. The command runs without a shell; an operator who
    needs one can run a script.
    """
    try:
        # Whoever sets the environment may run any command.
        process = subprocess.Popen(  # noqa: S603
            shlex.split(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            # A process group of its own, so that its children can be killed too.
            start_new_session=True,
        )
    except OSError as error:
        return f"The hook cannot be run: {error.strerror}."
    lines = "".join(f"{url}\n" for url in urls)
    try:
        _, stderr = process.communicate(lines.encode(), timeout_seconds)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"The hook did not end within {timeout_seconds:g} seconds."
    if process.returncode == 0:
        return None
    last_line = stderr.decode(errors="replace").strip().rpartition("\n")[2]
    reason = last_line[:MAX_CHARACTERS] or "no error message"
    return f"The hook exited with {process.returncode}: {reason}."
