"""How a command ends: its exit codes, and what ends it from outside."""

import os
import sys
from collections.abc import Callable

# What a shell expects of a command that Ctrl-C ended, and of one that had more to
# say than was read.
INTERRUPTED, UNREAD = 130, 141


class CommandError(Exception):
    """What a person did wrong, in a sentence; the command ends with it."""


def ended(run: Callable[[], int]) -> int:
    """Run it; what ends it from outside is told by the exit, and by no traceback."""
    try:
        code = run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("masthead: Interrupted.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _say_no_more()
        return UNREAD
    except OSError as error:
        where = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        print(f"masthead: {where}.", file=sys.stderr)
        _say_no_more()
        return 2
    return code


def interrupted_import() -> int:
    """An import is one transaction: what was begun is undone."""
    print("masthead: Interrupted. Nothing was imported.", file=sys.stderr)
    return INTERRUPTED


def _say_no_more() -> None:
    """What could not be said would be tried again at the end, and fail again."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
