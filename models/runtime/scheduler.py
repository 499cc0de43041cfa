"""Run periodic jobs in a server, whatever its clock is set to."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from threading import Event, Thread
from time import perf_counter

from models.errors import StorageBusy
from models.logs import LogLine

log = logging.getLogger("masthead.jobs")

# How often the clock is compared with the time at which something is due.
DUE_SECONDS = 1.0
# Jobs that run more often than this are logged at the level DEBUG.
MIN_LOGGED_INTERVAL_SECONDS = 60


class Scheduler:
    """
    Runs jobs at intervals, the first time at once; logs each run that succeeds.

    Each job has a thread, so none waits for another. Threads wait by the clock that
    runs steadily, and no job for a clock that was set back.
    """

    def __init__(
        self, clock: Callable[[], datetime], on_success: Callable[[str, datetime], None]
    ) -> None:
        """`on_success` gets the name of a job, and when it has succeeded."""
        self._clock = clock
        self._on_success = on_success
        self._jobs: list[tuple[float, Callable[[], None]]] = [
            (DUE_SECONDS, self._run_due)
        ]
        self._due: tuple[datetime, Callable[[], None]] | None = None
        self._stopped = Event()

    def add_job(self, seconds: float, name: str, work: Callable[[], None]) -> None:
        """Run the job at this interval; what it raises is logged."""
        is_frequent = seconds < MIN_LOGGED_INTERVAL_SECONDS
        level = logging.DEBUG if is_frequent else logging.INFO

        def run() -> None:
            started_at = perf_counter()
            try:
                work()
            except StorageBusy as error:
                # It runs again, and what the database has is reported by itself.
                log.warning(LogLine(job=name, state="busy", reason=error))
            except Exception as error:
                log.exception(LogLine(job=name, event="failed", reason=error))
            else:
                self._on_success(name, self._clock())
                milliseconds = (perf_counter() - started_at) * 1000
                log.log(level, LogLine(job=name, ms=milliseconds))

        self._jobs.append((seconds, run))

    def schedule_once(self, run_at: datetime, work: Callable[[], None]) -> None:
        """Run the work once at this time, instead of what was scheduled before."""
        self._due = (run_at, work)

    @contextmanager
    def running(self) -> Iterator[None]:
        for job in self._jobs:
            Thread(target=self._repeat, args=job, name="job", daemon=True).start()
        try:
            yield
        finally:
            self._stopped.set()

    def _repeat(self, seconds: float, run: Callable[[], None]) -> None:
        run()
        while not self._stopped.wait(seconds):
            run()

    def _run_due(self) -> None:
        due = self._due
        if due is not None and due[0] <= self._clock():
            # Unless something else has been scheduled meanwhile.
            if self._due is due:
                self._due = None
            due[1]()
