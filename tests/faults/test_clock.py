"""A clock that is set back and forth."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from models.audit import AuditRow, broken_links
from models.runtime import scheduler as scheduler_module
from models.runtime.clock_watch import ClockWatch
from models.runtime.scheduler import Scheduler
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


def test_job_of_a_clock_that_is_set_back(clock):
    """A job runs at its interval although the clock is an hour behind its last run."""
    runs = []
    scheduler = Scheduler(clock, lambda *run: runs.append(run))
    scheduler.add_job(0.01, "tidy", lambda: clock.pass_(hours=-1))

    with scheduler.running():
        assert eventually(lambda: len(runs) > 2)


def test_what_is_due_at_a_time(clock, monkeypatch):
    """What is due runs once, at its time, and what it replaced does not."""
    monkeypatch.setattr(scheduler_module, "DUE_SECONDS", 0.01)
    runs, scheduler = [], Scheduler(clock, lambda *_: None)
    scheduler.schedule_once(clock.now, lambda: runs.append("replaced"))
    at = clock.now + timedelta(hours=1)
    scheduler.schedule_once(at, lambda: runs.append("due"))
    with scheduler.running():
        assert not eventually(lambda: runs, seconds=0.2)

        clock.now = at

        assert eventually(lambda: runs)
        assert not eventually(lambda: len(runs) > 1, seconds=0.2)
    assert runs == ["due"]


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
