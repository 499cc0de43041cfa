"""Fork processes that signals end as they should, and call a function in one."""

import contextlib
import json
import os
import select
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

from models.runtime.commands import CommandError

T = TypeVar("T")

# Those that end a server.
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@contextmanager
def ending_by_signals() -> Iterator[None]:
    """
    Have the signals that stop a server raise SystemExit, except SIGINT.

    Their default would end this process without its cleanup, and does nothing in the
    first process of a container.
    """
    previous = {
        number: signal.signal(number, end_process)
        for number in heeded_signals()
        if number != signal.SIGINT
    }
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def call_in_child(
    function: Callable[[], T], known_errors: tuple[type[Exception], ...]
) -> T:
    """
    Call the function in a process of its own, and return its result, which is JSON.

    What it opens, such as a database, does not exist in this process. A known error
    becomes a CommandError with its message here; any other error is printed there, and
    ends this process, too. A signal that ends this process ends that one at once.
    """
    reader, writer = os.pipe()

    def send_outcome() -> None:
        os.close(reader)
        threading.Thread(target=_end_with_reader, args=(writer,), daemon=True).start()
        os.write(writer, json.dumps(_outcome(function, known_errors)).encode())

    pid = fork(send_outcome, signal.SIG_DFL)
    os.close(writer)
    try:
        with os.fdopen(reader, "rb") as pipe:
            text = pipe.read()
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        raise
    _, status = os.waitpid(pid, 0)
    if not text:
        _raise_for_exit_code(os.waitstatus_to_exitcode(status))
    outcome = json.loads(text)
    if "error" in outcome:
        raise CommandError(outcome["error"])
    result: T = outcome["result"]
    return result


def _end_with_reader(writer: int) -> None:
    """Wait until nobody can read from the pipe, and end this process."""
    poll = select.poll()
    poll.register(writer, 0)
    poll.poll()
    os._exit(1)


def _raise_for_exit_code(code: int) -> None:
    if code >= 0:
        sys.exit(code)
    raise CommandError(
        f"The start was ended by {signal.Signals(-code).name}. If nobody sent this"
        " signal, check whether the system ran out of memory."
    )


def _outcome(
    function: Callable[[], Any], known_errors: tuple[type[Exception], ...]
) -> dict[str, Any]:
    try:
        return {"result": function()}
    except known_errors as error:
        return {"error": str(error)}
    except OSError as error:
        return {
            "error": f"{error.filename or 'The server'}: {error.strerror or error}."
        }


def fork(run: Callable[[], None], on_signal: Any) -> int:
    """
    Run the function in a process of its own, which ends with it; return its id.

    `on_signal` is the handler of STOP_SIGNALS there. A signal that arrives before it is
    set waits; else it would be lost in a copy of the handler of this process.
    """
    _flush()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        pid = os.fork()
        if pid == 0:
            _run_forked(run, on_signal, mask)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return pid


def _run_forked(run: Callable[[], None], on_signal: Any, mask: set[Any]) -> NoReturn:
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number in heeded_signals():
            signal.signal(number, on_signal)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        run()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        _flush()
        # The parent's exit handlers and its buffers are not this process's.
        os._exit(code)


def heeded_signals() -> list[signal.Signals]:
    """Return those of STOP_SIGNALS that are not ignored, as SIGHUP is under nohup."""
    return [
        number for number in STOP_SIGNALS if signal.getsignal(number) != signal.SIG_IGN
    ]


def end_process(*_: object) -> None:
    """
    End this process, and ignore further signals while it ends.

    Ctrl+C reaches each process twice: from the terminal and from the parent.
    """
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    sys.exit(0)


def _flush() -> None:
    """Write what is buffered, which both processes would otherwise write."""
    for stream in (sys.stdout, sys.stderr):
        # The server goes on if nobody reads its output.
        with contextlib.suppress(OSError, ValueError):
            stream.flush()


def ended_processes() -> Iterator[tuple[int, int]]:
    """Yield each ended child with its exit code, which is negative for a signal."""
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            yield ended[0], os.waitstatus_to_exitcode(ended[1])
