"""Run a command in a terminal: exit codes, JSON output and progress."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from functools import partial
from time import perf_counter
from typing import Any

from models.runtime.commands import BROKEN_PIPE, INTERRUPTED, Progress

# The interval of the progress lines that replace the progress bar without a terminal.
PROGRESS_SECONDS = 10


def exit_code_of(run: Callable[[], int]) -> int:
    """Run a command and return its exit code, also if a signal or an error ends it."""
    try:
        code = run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("masthead: Interrupted.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return BROKEN_PIPE
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        print(f"masthead: {reason}.", file=sys.stderr)
        _discard_output()
        return 2
    return code


def _discard_output() -> None:
    """Discard unwritten output: the interpreter would try, and fail, again at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def print_json(data: object) -> None:
    print(json.dumps(data, indent=1, ensure_ascii=False))


def show_progress(unit: str) -> Progress:
    """Return a function that passes items through and shows how many have passed."""
    if not sys.stderr.isatty():
        return partial(_print_progress, unit)
    # Imported only where it is needed: see quick_build.py.
    from tqdm import tqdm

    return lambda items: tqdm(items, unit=unit, leave=False)


def _print_progress(unit: str, items: Iterable[Any]) -> Iterator[Any]:
    total = f" of {len(items)}" if isinstance(items, Sized) else ""
    printed_at = perf_counter()
    for number, item in enumerate(items, 1):
        yield item
        if perf_counter() >= printed_at + PROGRESS_SECONDS:
            printed_at = perf_counter()
            print(f"{unit} {number}{total}", file=sys.stderr, flush=True)
