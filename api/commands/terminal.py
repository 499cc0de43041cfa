"""Run a command in a terminal: exit codes, safe output, JSON, progress, memory."""

import ctypes
import json
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from functools import partial
from time import perf_counter
from typing import Any, TextIO

from models.display_text import escape_unsafe
from models.runtime.commands import BROKEN_PIPE, INTERRUPTED, Progress

# The interval of the progress lines that replace the progress bar without a terminal.
PROGRESS_SECONDS = 10

# glibc gives threads heaps ("arenas") of their own, up to eight for each core, and
# keeps what was freed in them for later. It also raises its threshold for large blocks
# to the size of the largest that was freed, up to 32 MB, and from then on takes such
# blocks from the arenas, where a small block behind them keeps them from being
# returned. A server that had handled texts of 400 KB kept up to 398 MB of free memory.

# The numbers of the parameters in glibc's malloc.h.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
MAX_ARENAS = 2
# The size from which a block is returned to the system as soon as it is freed; setting
# it also stops glibc from raising it.
LARGE_BLOCK_BYTES = 128 * 1024


class TerminalStream:
    """
    A text stream that shows control characters instead of sending them.

    Titles, file names and the answers of other servers are printed by many commands,
    and none of them may move the cursor or change the terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(escape_unsafe(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def prepare_process() -> None:
    """
    Prepare the streams of this process, which the shell may have closed, and its use of
    memory; clean up after Ctrl+C from now on.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    limit_free_memory()
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r+"))  # noqa: SIM115
    for name in ("stdout", "stderr"):
        setattr(sys, name, TerminalStream(getattr(sys, name)))


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
    from tqdm import tqdm

    # The bar moves the cursor, which the safe stream does not.
    stream = sys.__stderr__
    return lambda items: tqdm(items, unit=unit, leave=False, file=stream)


def _print_progress(unit: str, items: Iterable[Any]) -> Iterator[Any]:
    # There can be more than were expected.
    total = len(items) if isinstance(items, Sized) else 0
    printed_at = perf_counter()
    for number, item in enumerate(items, 1):
        yield item
        if perf_counter() >= printed_at + PROGRESS_SECONDS:
            printed_at = perf_counter()
            of_total = f" of {total}" if number <= total else ""
            print(f"{unit} {number}{of_total}", file=sys.stderr, flush=True)


def limit_free_memory() -> None:
    """
    Limit the free memory that the C library keeps; call it before threads are started.

    C libraries without these parameters, such as musl, are left as they are.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_ARENA_MAX, MAX_ARENAS)
        mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES)
        mallopt(M_TRIM_THRESHOLD, LARGE_BLOCK_BYTES)
