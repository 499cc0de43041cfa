"""Run periodic jobs in a server, also after its clock was set back."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from threading import Event, Thread
from time import perf_counter

from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler

from models.errors import StorageBusy
from models.logs import LogLine

log = logging.getLogger("masthead.jobs")

CLOCK_CHECK_SECONDS = 5
# Jobs that run more often than this are logged at the level DEBUG.
MIN_LOGGED_INTERVAL_SECONDS = 60


class Scheduler:
    """Runs jobs at intervals, the first time at once; logs each run that succeeds."""

    def __init__(
        self, clock: Callable[[], datetime], on_success: Callable[[str, datetime], None]
    ) -> None:
        """`on_success` gets the name of a job, and when it has succeeded."""
        self._clock = clock
        self._on_success = on_success
        # A late job runs once, however many runs it missed: the database knows what
        # there is to do.
        defaults = {"misfire_grace_time": None, "coalesce": True}
        self._scheduler = BackgroundScheduler(timezone=UTC, job_defaults=defaults)

    def add_job(self, seconds: int, name: str, work: Callable[[], None]) -> None:
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
                return
            self._on_success(name, self._clock())
            milliseconds = (perf_counter() - started_at) * 1000
            log.log(level, LogLine(job=name, ms=milliseconds))

        times = {"seconds": seconds, "next_run_time": self._clock()}
        self._scheduler.add_job(run, "interval", name=name, **times)

    def schedule_once(self, run_at: datetime, work: Callable[[], None]) -> None:
        """Run the work once at this time, instead of what was scheduled before."""
        options = {"id": "due", "replace_existing": True}
        self._scheduler.add_job(work, "date", run_date=run_at, **options)

    @contextmanager
    def running(self) -> Iterator[None]:
        with watching_clock(self._clock, partial(run_all_jobs, self._scheduler)):
            self._scheduler.start()
            try:
                yield
            finally:
                self._scheduler.shutdown(wait=False)


@contextmanager
def watching_clock(
    clock: Callable[[], datetime],
    on_set_back: Callable[[datetime], None],
    seconds: float = CLOCK_CHECK_SECONDS,
) -> Iterator[None]:
    """Check the clock every `seconds`; if it was set back, pass the time it shows."""
    is_stopped = Event()

    def watch() -> None:
        previous = clock()
        while not is_stopped.wait(seconds):
            now = clock()
            if now < previous:
                log.warning(LogLine(event="clock-set-back", seconds=previous - now))
                on_set_back(now)
            previous = now

    Thread(target=watch, name="clock", daemon=True).start()
    try:
        yield
    finally:
        is_stopped.set()


def run_all_jobs(scheduler: BackgroundScheduler, now: datetime) -> None:
    """Run every job now: its next run time is in the future of a clock set back."""
    for job in scheduler.get_jobs():
        with suppress(JobLookupError):
            job.modify(next_run_time=now)
