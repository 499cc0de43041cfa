"""The command that is told what changed at the target, for a CDN to forget."""

import os
import shlex
import signal
import subprocess
from collections.abc import Iterable
from contextlib import suppress

SECONDS = 60.0
# So much of what it says last is told of a failure.
CHARACTERS = 200


def run_hook(
    command: str, addresses: Iterable[str], seconds: float = SECONDS
) -> str | None:
    """
    Run it with an address a line on its standard input; return why it failed.

    No shell reads it: what a shell would do, a script of the operator's can.
    """
    try:
        # Whoever sets our environment may run what they like.
        process = subprocess.Popen(  # noqa: S603
            shlex.split(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            # So that what it started ends with it.
            start_new_session=True,
        )
    except OSError as error:
        return f"The hook cannot be run: {error.strerror}."
    lines = "".join(f"{each}\n" for each in addresses)
    try:
        _, said = process.communicate(lines.encode(), seconds)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"The hook did not end within {seconds:g} seconds."
    if process.returncode == 0:
        return None
    last = said.decode(errors="replace").strip().rpartition("\n")[2][:CHARACTERS]
    return f"The hook ended with {process.returncode}: {last or 'it said nothing'}."
