"""Start the processes of a server, restart those that die, and end them together."""

import ctypes
import logging
import os
import pickle
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

from models.logs import LogLine
from models.runtime.commands import CommandError
from models.runtime.reports import ProcessState, Reports

log = logging.getLogger("masthead.processes")

# Those that end a server.
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# The deaths of a process no longer count once it has reported that it has started, and
# has lived this long.
STARTED_SECONDS = 3.0
# The pause before a restart doubles with each death, from the first to the second.
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.1, 1.0
# For one without which the server goes on: a document that ends the process of
# documents does not keep it busy.
MAX_LONG_PAUSE_SECONDS = 60.0
# A process that dies so often without having started will not start.
MAX_DEATHS = 10
# How long the processes get to end after SIGTERM.
STOP_SECONDS = 20.0
# How often the parent looks whether the server is ready, and then at least wakes.
ANNOUNCE_SECONDS, MAX_WAIT_SECONDS = 0.05, 3600.0
# The number of the option in Linux's prctl.h.
PR_SET_PDEATHSIG = 1


@dataclass
class SupervisedProcess:
    """
    A process of the server, while it runs and between two runs.

    The server ends if one that is required does not start.
    """

    name: str
    run: Callable[[], None]
    is_required: bool = True
    # 0 while it does not run.
    pid: int = 0
    starts: int = 0
    started_at: float = 0.0
    # Deaths since the process had last started.
    deaths: int = 0
    restart_at: float = 0.0


@dataclass
class Supervisor:
    """
    The parent of a server's processes; it opens no database and starts no thread.

    The function of each process reports once it has started. Each is forked, so it
    shares the listening socket and what else the parent has opened. `announce()` is
    called once, when the server is ready.
    """

    processes: Sequence[SupervisedProcess]
    reports: Reports
    is_ready: Callable[[], bool] = lambda: True
    announce: Callable[[], None] = lambda: None

    def run(self) -> None:
        """
        Run all processes until one of STOP_SIGNALS, then end them.

        A signal that was ignored, as SIGHUP is under nohup, is ignored further. Raise
        CommandError, after ending the others, if a process keeps dying.
        """
        stop_signals = heeded_signals()
        # Blocked signals wait to be taken: none is lost while a process is forked.
        awaited = {*stop_signals, signal.SIGCHLD}
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
        is_announced = False
        try:
            while True:
                self._start_due(mask)
                if not is_announced and self.is_ready():
                    is_announced = True
                    # The server goes on if nobody reads its output.
                    with suppress(OSError):
                        self.announce()
                received = signal.sigtimedwait(awaited, self._pause(is_announced))
                if received and received.si_signo in stop_signals:
                    break
                for ended in self._ended():
                    self._note_death(*ended)
        finally:
            self._stop(awaited)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def _start_due(self, mask: set[Any]) -> None:
        for process in self.processes:
            if not process.pid and process.restart_at <= time.monotonic():
                self._start(process, mask)

    def _pause(self, is_announced: bool) -> float:
        """Return the seconds until a process is due, or the server may be ready."""
        times = [process.restart_at for process in self.processes if not process.pid]
        longest = MAX_WAIT_SECONDS if is_announced else ANNOUNCE_SECONDS
        seconds = min(times) - time.monotonic() if times else longest
        return min(max(0.0, seconds), longest)

    def _start(self, process: SupervisedProcess, mask: set[Any]) -> None:
        process.started_at = time.monotonic()
        parent = os.getpid()
        try:
            process.pid = _fork()
        except OSError as error:
            # The system has no room for another process.
            line = LogLine(process=process.name, event="not-started", error=error)
            log.error(line)
            self._schedule_restart(process, has_started=False)
            return
        if process.pid == 0:
            _run_forked(process, parent, mask)
        process.starts += 1
        self._report()

    def _report(self) -> None:
        states = {p.name: ProcessState(p.pid, p.starts) for p in self.processes}
        self.reports.write_states(states)

    def _ended(self) -> Iterator[tuple[SupervisedProcess, int, int]]:
        """Yield each process that has ended, its id, and its code or signal."""
        with suppress(ChildProcessError):
            # As the first process of a container, this one also inherits orphans.
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                for process in self.processes:
                    if process.pid == ended[0]:
                        process.pid = 0
                        self._report()
                        yield process, ended[0], os.waitstatus_to_exitcode(ended[1])

    def _note_death(self, process: SupervisedProcess, pid: int, code: int) -> None:
        log.error(LogLine(process=process.name, event="died", pid=pid, code=code))
        report = self.reports.last(process.name)
        has_started = report.has_started and report.pid == pid
        self._schedule_restart(process, has_started=has_started)

    def _schedule_restart(
        self, process: SupervisedProcess, *, has_started: bool
    ) -> None:
        now = time.monotonic()
        if has_started and now - process.started_at >= STARTED_SECONDS:
            process.deaths = 0
        process.deaths += 1
        if process.deaths >= MAX_DEATHS and process.is_required:
            raise CommandError(
                f"The process {process.name} ended {MAX_DEATHS} times at its start."
                " The lines above say why."
            )
        longest = MAX_PAUSE_SECONDS if process.is_required else MAX_LONG_PAUSE_SECONDS
        pause = FIRST_PAUSE_SECONDS * 2 ** min(process.deaths - 1, 16)
        process.restart_at = now + min(pause, longest)

    def _stop(self, awaited: set[signal.Signals]) -> None:
        """End the processes: with SIGTERM, and those that do not end with SIGKILL."""
        deadline = time.monotonic() + STOP_SECONDS
        self._send(signal.SIGTERM)
        while any(process.pid for process in self.processes):
            signal.sigtimedwait(awaited, 0.05)
            for _ in self._ended():
                pass
            if time.monotonic() > deadline:
                self._send(signal.SIGKILL)
        # Ctrl+C pressed twice must not interrupt what the parent has left to do.
        while signal.sigtimedwait(awaited, 0):
            pass

    def _send(self, number: int) -> None:
        for process in self.processes:
            if process.pid:
                os.kill(process.pid, number)


def _run_forked(process: SupervisedProcess, parent: int, mask: set[Any]) -> NoReturn:
    code = 1
    try:
        _end_with(parent)
        # Shown by ps and top, where the system has it.
        with suppress(OSError):
            Path("/proc/self/comm").write_text(f"mh-{process.name}")
        for number in heeded_signals():
            signal.signal(number, end_process)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        process.run()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException as error:
        log.exception(LogLine(process=process.name, event="failed", error=error))
    finally:
        _flush()
        # The parent's exit handlers are not this process's.
        os._exit(code)


def call_in_child(function: Callable[[], Any]) -> Any:
    """
    Call the function in a process of its own, and return a copy of its result.

    What it opens, such as a database, does not exist in this process. What it raises is
    raised here; there, nothing of this process may be unwound.
    """
    parent = os.getpid()
    with os.fdopen(os.memfd_create("masthead-result"), "w+b") as file:
        if (pid := _fork()) == 0:
            _end_with(parent)
            for number in heeded_signals():
                signal.signal(number, signal.SIG_DFL)
            _answer(function, file)
        # A signal just before a call that blocks would be heeded after it only.
        while not (ended := os.waitpid(pid, os.WNOHANG))[0]:
            time.sleep(0.01)
        code = os.waitstatus_to_exitcode(ended[1])
        if code < 0:
            raise CommandError(
                f"The start was ended by {signal.Signals(-code).name}. If nobody sent"
                " this signal, check whether the system ran out of memory."
            )
        if code > 0:
            sys.exit(code)
        file.seek(0)
        result, error = pickle.load(file)  # noqa: S301  of our own child
        if error is not None:
            raise error
        return result


def _answer(function: Callable[[], Any], file: IO[bytes]) -> NoReturn:
    """Write the result or the error of the function, and end this process."""
    code = 1
    try:
        try:
            answer: tuple[Any, Exception | None] = function(), None
        except Exception as error:
            answer = None, _copyable(error)
        pickle.dump(answer, file)
        file.flush()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        _flush()
        os._exit(code)


def _copyable(error: Exception) -> Exception:
    """Return the error, or one with its message if it cannot be copied."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301  of this process
    except Exception:
        return CommandError(str(error))
    return error


def _end_with(parent: int) -> None:
    """Have the system kill this process when its parent dies, however it dies."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _fork() -> int:
    _flush()
    return os.fork()


def _flush() -> None:
    """Write what is buffered, which both processes would otherwise write."""
    for stream in (sys.stdout, sys.stderr):
        # The server goes on if nobody reads its output.
        with suppress(OSError, ValueError):
            stream.flush()


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
