"""What a server does from time to time, however its clock is set."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from threading import Event, Thread
from time import perf_counter

from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler

from models.idempotency import delete_expired_responses
from models.logs import LogLine
from models.settings import Settings
from models.status.measurements.retention import compact_measurements
from models.status.measurements.rollups import roll_up
from models.storage.database import writing

log = logging.getLogger("masthead.jobs")

CLOCK_SECONDS = 5
MINUTE_SECONDS = 60


class Jobs:
    """Work that is done now and every so many seconds; what is done is told."""

    def __init__(
        self, clock: Callable[[], datetime], done: Callable[[str], None]
    ) -> None:
        self._clock = clock
        self._done = done
        # However late, a job is run once: what it makes up for is in the database.
        late = {"misfire_grace_time": None, "coalesce": True}
        self._scheduler = BackgroundScheduler(timezone=UTC, job_defaults=late)

    def every(self, seconds: int, name: str, work: Callable[[], None]) -> None:
        """Run the job now and from time to time; one that fails is the scheduler's."""

        def run() -> None:
            started = perf_counter()
            work()
            self._done(name)
            level = logging.INFO if seconds >= MINUTE_SECONDS else logging.DEBUG
            log.log(level, LogLine(job=name, ms=(perf_counter() - started) * 1000))

        times = {"seconds": seconds, "next_run_time": self._clock()}
        self._scheduler.add_job(run, "interval", name=name, **times)

    def at(self, moment: datetime, work: Callable[[], None]) -> None:
        """Run this at the moment, and no longer what was to run at another one."""
        once = {"id": "due", "replace_existing": True}
        self._scheduler.add_job(work, "date", run_date=moment, **once)

    @contextmanager
    def running(self) -> Iterator[None]:
        with following(self._clock, partial(run_now, self._scheduler)):
            self._scheduler.start()
            try:
                yield
            finally:
                self._scheduler.shutdown(wait=False)


@contextmanager
def following(
    clock: Callable[[], datetime],
    set_back: Callable[[datetime], None],
    seconds: float = CLOCK_SECONDS,
) -> Iterator[None]:
    """Call `set_back` whenever the clock shows less than it did a while ago."""
    over = Event()

    def follow() -> None:
        before = clock()
        while not over.wait(seconds):
            now = clock()
            if now < before:
                log.warning(LogLine(event="clock-set-back", seconds=before - now))
                set_back(now)
            before = now

    Thread(target=follow, name="clock", daemon=True).start()
    try:
        yield
    finally:
        over.set()


def run_now(scheduler: BackgroundScheduler, now: datetime) -> None:
    """Run every job: each waits for an instant of a clock that was set back."""
    for job in scheduler.get_jobs():
        with suppress(JobLookupError):
            job.modify(next_run_time=now)


def tidy(settings: Settings, now: datetime) -> None:
    """What time makes due; each may be missed, repeated or broken off."""
    with writing():
        delete_expired_responses(now)
    roll_up(now)
    compact_measurements(now, settings.raw_retention)
