"""The periodic jobs of a server, while its database is busy."""

import logging
from datetime import UTC, datetime

from models.errors import StorageBusy
from models.runtime.scheduler import Scheduler
from tests.pages.builder.test_builder import eventually


def test_busy_database(caplog):
    """A job that finds the database busy is one line in the log, and runs again."""
    runs, successes = [], []

    def work():
        runs.append(1)
        if len(runs) == 1:
            raise StorageBusy("The database is busy.")

    scheduler = Scheduler(lambda: datetime.now(UTC), lambda *run: successes.append(run))
    scheduler.add_job(1, "clock-events", work)
    with scheduler.running():
        assert eventually(lambda: successes, seconds=60)

    (line,) = [r for r in caplog.records if r.levelno >= logging.WARNING]
    assert len(runs) >= 2
    assert "The database is busy." in line.getMessage()
    assert line.exc_info is None


def test_job_that_fails(caplog):
    """What a job raises is logged, and the job runs again."""
    runs = []

    def work():
        runs.append(1)
        if len(runs) == 1:
            raise OSError("The disk is gone.")

    scheduler = Scheduler(lambda: datetime.now(UTC), lambda *_: None)
    scheduler.add_job(0.01, "bodies", work)
    with scheduler.running():
        assert eventually(lambda: len(runs) > 1)

    assert "job=bodies event=failed" in caplog.text
    assert "The disk is gone." in caplog.text
