"""A clock that is set back and forth."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import pytest
from apscheduler.schedulers.background import BackgroundScheduler

from models.audit import AuditRow, broken_links
from models.runtime.clock_watch import ClockWatch
from models.runtime.scheduler import run_all_jobs, watching_clock
from tests.faults.conftest import ADD, SERVICE
from tests.pages.builder.test_builder import eventually, text_of
from tests.pages.status.test_status import measured

RECORD = "POST /status/v1/admin/measurements/record"


def test_audit(api, clock):
    """Records are in the order of the actions, and the chain is intact."""
    for number, hours in enumerate([0, -5, 48, -60]):
        clock.pass_(hours=hours)
        assert api(ADD, SERVICE | {"slug": f"s{number}"}).status_code == 200

    labels = [r.target_label for r in AuditRow.select().order_by(AuditRow.number)]
    assert labels == ["s0", "s1", "s2", "s3"]
    assert broken_links("status") == []


def test_first_answer(api, clock):
    """A repeat gets the first answer although the clock was set back in between."""
    sent = {"headers": {"Idempotency-Key": "one"}}
    first = api(ADD, SERVICE, **sent)
    clock.pass_(hours=-3)

    again = api(ADD, SERVICE, **sent)

    assert again.data == first.data
    assert again.headers["Idempotent-Replayed"] == "true"


def test_page(api, clock, builder, settings):
    """The page is built for the current clock, without a write."""
    page = Path(settings.output) / "status/index.html"
    api(ADD, SERVICE)
    clock.pass_(hours=2)
    api(RECORD, measured(clock, "api", "operational"))
    assert eventually(lambda: "13:59 UTC" in text_of(page))

    clock.pass_(hours=1)
    assert eventually(lambda: "No data since" in text_of(page))
    clock.pass_(hours=-1)
    assert eventually(lambda: "No data since" not in text_of(page))


def test_set_back_is_noticed(clock):
    """
    A clock that was set back is reported to threads that wait; one set forward is not.
    """
    result = []
    with watching_clock(clock, result.append, seconds=0.01):
        clock.pass_(hours=2)
        assert not eventually(lambda: result, seconds=0.1)
        clock.pass_(hours=-1)
        assert eventually(lambda: result)

    assert result == [clock.now]


@pytest.fixture
def scheduler():
    made = BackgroundScheduler(timezone=UTC)
    made.start()
    yield made
    made.shutdown()


def test_jobs_do_not_wait_for_the_old_clock(scheduler):
    """A job that an hour ahead was due in a minute runs now, and every minute."""
    ran, now = Event(), datetime.now(UTC)
    ahead = now + timedelta(hours=1)
    job = scheduler.add_job(ran.set, "interval", minutes=1, next_run_time=ahead)

    run_all_jobs(scheduler, now)

    assert ran.wait(5)
    assert eventually(lambda: job.next_run_time == now + timedelta(minutes=1))


@pytest.mark.postgresql
@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(-60, "60 s behind"), (60, "60 s ahead of"), (5, ""), (-5, "")],
)
def test_clock_apart_from_that_of_the_database(store, caplog, seconds, expected):
    """
    A host whose clock differs from PostgreSQL's is not ready, until it is corrected.
    """
    apart = timedelta(seconds=seconds)
    watch = ClockWatch(lambda: datetime.now(UTC) + apart)
    watch.compare()
    assert [f"{expected} that of" in fault.detail for fault in watch.faults()] == (
        [True] if expected else []
    )
    assert not any(fault.is_harmless for fault in watch.faults())
    assert ("state=clock-apart is_over=False" in caplog.text) == bool(expected)

    apart = timedelta()
    watch.compare()

    assert watch.faults() == []


def test_clock_of_a_database_that_is_away(raw_database, clock):
    """Without a response, the clocks are not reported as different."""
    watch = ClockWatch(clock)
    raw_database.lose()

    watch.compare()

    assert watch.faults() == []
