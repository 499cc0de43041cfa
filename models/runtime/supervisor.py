"""Start the processes of a server, restart those that die, and end them together."""

import contextlib
import logging
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from models.logs import LogLine
from models.runtime.forking import (
    end_process,
    ended_processes,
    fork,
    heeded_signals,
)
from models.runtime.process_table import ProcessTable

log = logging.getLogger("masthead.processes")

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
# How long they get when the parent has died: the next server needs their port, and
# a process that is killed loses nothing.
ORPHAN_SECONDS = 0.5


class ProcessFailed(Exception):
    """A process died again and again; the message says which."""


class SupervisedProcess(NamedTuple):
    """
    A process of the server, by its name and the function that it runs.

    The server ends if one that is required does not start.
    """

    name: str
    run: Callable[[], None]
    is_required: bool = True


@dataclass
class _Child:
    """A process of the server, while it runs and between two runs."""

    name: str
    run: Callable[[], None]
    is_required: bool
    pid: int = 0
    started_at: float = 0.0
    # Deaths since the process had last started.
    deaths: int = 0
    restart_at: float = 0.0


# signal.signal() also builds the repr of the previous handler, a method of this class.
# Its repr must not include the processes, which have all of the settings and more, or
# each start of a process would take long.
@dataclass(repr=False)
class Supervisor:
    """
    The parent of a server's processes; it opens no database and starts no thread.

    The function of each process tells the table once it has started. Each is forked,
    so it shares the listening socket and what else the parent has opened.
    """

    processes: Sequence[SupervisedProcess]
    table: ProcessTable
    _children: list[_Child] = field(default_factory=list)
    _is_stopping: bool = False

    def run(self) -> None:
        """
        Run all processes until one of STOP_SIGNALS, then end them.

        A signal that was ignored, as SIGHUP is under nohup, is ignored further. Raise
        ProcessFailed, after ending the others, if a process keeps dying.
        """
        self._children = [_Child(*process) for process in self.processes]
        # EOF on this pipe tells the children that the parent, its only writer, died.
        self._alive_reader, self._alive_writer = os.pipe()
        with self._signals() as wakeup:
            try:
                while not self._is_stopping:
                    self._start_due()
                    self._wait(wakeup, self._seconds_to_next_start())
                    self._reap()
            finally:
                self._stop(wakeup)
                os.close(self._alive_reader)
                os.close(self._alive_writer)

    @contextmanager
    def _signals(self) -> Iterator[int]:
        """Have signals wake `_wait` through a pipe, whose reading end this yields."""
        reader, writer = os.pipe()
        for end in (reader, writer):
            os.set_blocking(end, False)
        previous_wakeup = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        previous = {
            number: signal.signal(number, self._note_signal)
            for number in (*heeded_signals(), signal.SIGCHLD)
        }
        try:
            yield reader
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(previous_wakeup)
            os.close(reader)
            os.close(writer)

    def _note_signal(self, number: int, _frame: object) -> None:
        if number != signal.SIGCHLD:
            self._is_stopping = True

    def _wait(self, wakeup: int, seconds: float | None) -> None:
        """Wait for a signal, at most for the seconds."""
        if not self._is_stopping and select.select([wakeup], [], [], seconds)[0]:
            with contextlib.suppress(BlockingIOError):
                os.read(wakeup, 1024)

    def _seconds_to_next_start(self) -> float | None:
        times = [child.restart_at for child in self._children if not child.pid]
        return max(0.0, min(times) - time.monotonic()) if times else None

    def _start_due(self) -> None:
        now = time.monotonic()
        for child in self._children:
            if not child.pid and child.restart_at <= now:
                self._start(child)

    def _start(self, child: _Child) -> None:
        child.started_at = time.monotonic()
        try:
            child.pid = fork(lambda: self._run_child(child), end_process)
        except OSError as error:
            # The system has no room for another process.
            log.error(LogLine(process=child.name, event="not-started", error=error))
            self._schedule_restart(child, has_started=False)
        else:
            self.table.note_start(child.name, child.pid)

    def _run_child(self, child: _Child) -> None:
        """Run the child's function in the new process; raise SystemExit if it fails."""
        try:
            os.close(self._alive_writer)
            # Shown by ps and top, where the system has it.
            with contextlib.suppress(OSError):
                Path("/proc/self/comm").write_text(f"mh-{child.name}")
            threading.Thread(target=self._end_with_parent, daemon=True).start()
            child.run()
        except Exception as error:
            log.exception(LogLine(process=child.name, event="failed", error=error))
            sys.exit(1)

    def _end_with_parent(self) -> None:
        """Wait until the parent has died, however it died, and end this process."""
        os.read(self._alive_reader, 1)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(ORPHAN_SECONDS)
        os._exit(1)

    def _reap(self) -> None:
        """Note which children have died, and when each is started again."""
        for pid, code in ended_processes():
            # As the first process of a container, this one also inherits orphans.
            for child in self._children:
                if child.pid == pid:
                    self._note_death(child, code)

    def _note_death(self, child: _Child, code: int) -> None:
        pid, child.pid = child.pid, 0
        self.table.note_end(child.name)
        if self._is_stopping:
            return
        log.error(LogLine(process=child.name, event="died", pid=pid, code=code))
        has_started = self.table.has_started(child.name, pid)
        self._schedule_restart(child, has_started=has_started)

    def _schedule_restart(self, child: _Child, *, has_started: bool) -> None:
        now = time.monotonic()
        if has_started and now - child.started_at >= STARTED_SECONDS:
            child.deaths = 0
        child.deaths += 1
        if child.deaths >= MAX_DEATHS and child.is_required:
            raise ProcessFailed(
                f"The process {child.name} ended {MAX_DEATHS} times at its start."
                " The lines above say why."
            )
        longest = MAX_PAUSE_SECONDS if child.is_required else MAX_LONG_PAUSE_SECONDS
        pause = FIRST_PAUSE_SECONDS * 2 ** min(child.deaths - 1, 16)
        child.restart_at = now + min(pause, longest)

    def _stop(self, wakeup: int) -> None:
        """End the children: with SIGTERM, and those that do not end with SIGKILL."""
        self._is_stopping = True
        self._send(signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        while any(child.pid for child in self._children):
            self._reap()
            if time.monotonic() > deadline:
                self._send(signal.SIGKILL)
            # A signal may have come before; so this is no longer than a moment.
            select.select([wakeup], [], [], 0.05)

    def _send(self, number: int) -> None:
        for child in self._children:
            if child.pid:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child.pid, number)
