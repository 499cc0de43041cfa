"""Hours are counted once, days are kept for ever, and nothing is counted twice."""

from datetime import timedelta

import pytest

from models.instance import increment_instance_values, read_instance_values
from models.status.maintenance.windows import StatusAddMaintenance, schedule_maintenance
from models.status.measurements import retention, rollups
from models.status.measurements.counts import counts_in
from models.status.measurements.measurements import (
    MeasurementRow,
    StatusRecordMeasurements,
    record_measurements,
)
from models.status.measurements.retention import compact_measurements
from models.status.measurements.rollups import DayRow, HourRow, roll_up
from models.status.services.catalogue import StatusAddService, add_service
from models.status.services.rows import ServiceRow
from models.status.uptime.uptime import Counts
from models.storage.database import writing
from tests.conftest import NOON

pytestmark = pytest.mark.both_engines

HOUR, DAY, MS = timedelta(hours=1), timedelta(days=1), timedelta(milliseconds=1)
RETENTION = timedelta(days=100)


@pytest.fixture
def api(store):
    with writing():
        return add_service(StatusAddService(slug="api", name="API"), NOON - 200 * DAY)


def record(*times, status="operational", now=NOON):
    samples = [
        {"slug": "api", "status": status, "observed_at": at, "response_time_ms": 5}
        for at in times
    ]
    request = StatusRecordMeasurements(source="a", measurements=samples)
    with writing():
        record_measurements(request, now, retention=RETENTION)


def rolled():
    query = HourRow.select().order_by(HourRow.starts_at)
    return [(row.starts_at, row.operational, row.down) for row in query]


def test_roll_up(api):
    """Each completed hour is counted; the current one is not."""
    record(NOON - 3 * HOUR, NOON - 2 * HOUR - MS, NOON - HOUR, NOON)

    assert roll_up(NOON) == 3
    assert rolled() == [(NOON - 3 * HOUR, 2, 0), (NOON - HOUR, 1, 0)]
    assert roll_up(NOON + HOUR - MS) == 0
    assert roll_up(NOON + HOUR) == 1
    assert rolled()[-1] == (NOON, 1, 0)


def test_roll_up_without_samples(api):
    """An hour without samples is marked too; late samples find it."""
    roll_up(NOON)

    record(NOON - 50 * HOUR)

    assert rolled() == [(NOON - 50 * HOUR, 1, 0)]
    assert counts_in(api, (NOON - 60 * HOUR, NOON)).samples == 1


def test_roll_up_interrupted(api, monkeypatch):
    """An interrupted roll-up keeps its progress, and continues."""
    record(*(NOON - n * HOUR for n in range(1, 20)))
    done = iter([True, True])
    original = rollups.set_instance_value

    def interrupted(*args):
        next(done)
        original(*args)

    with monkeypatch.context() as patch:
        patch.setattr(rollups, "set_instance_value", interrupted)
        with pytest.raises((StopIteration, RuntimeError)):
            roll_up(NOON)

    assert len(rolled()) == 2 * rollups.HOURS_PER_TRANSACTION
    assert counts_in(api, (NOON - DAY, NOON)).samples == 19
    assert roll_up(NOON) == 19 - 2 * rollups.HOURS_PER_TRANSACTION
    assert counts_in(api, (NOON - DAY, NOON)).samples == 19


def test_clock_that_went_back(api):
    """A sample of an hour that was counted too early is counted with it."""
    roll_up(NOON + 5 * HOUR)

    record(NOON)

    assert rolled() == [(NOON, 1, 0)]


def test_prune(api):
    """Whole UTC days before the retention are folded; the counts remain."""
    old = (NOON - RETENTION).replace(hour=0)
    times = [old - DAY - MS, old - DAY, old - MS, old, NOON]
    for at in times:
        record(at, now=at)
    roll_up(NOON)

    assert compact_measurements(NOON, RETENTION) == 2
    assert compact_measurements(NOON, RETENTION) == 0
    assert [row.observed_at for row in MeasurementRow.select()] == [old, NOON]
    assert [row[0] for row in rolled()] == [old]
    days = [counts_in(api, (old + n * DAY, old + (n + 1) * DAY)) for n in (-2, -1, 0)]
    assert days == [Counts(n, 0, 0, 5 * n, n) for n in (1, 2, 1)]


def test_prune_within_the_retention(api):
    """A day that is partly within the retention stays as it is."""
    record(NOON - RETENTION)

    assert compact_measurements(NOON, RETENTION) == 0
    assert MeasurementRow.select().count() == 1


def test_prune_keeps_what_maintenance_left_out(api):
    """A folded day has the counted samples, and the number of excluded ones."""
    day = (NOON - RETENTION).replace(hour=0) - DAY
    request = StatusAddMaintenance(
        title="Move", starts_at=day, ends_at=day + HOUR, services=["api"]
    )
    with writing():
        schedule_maintenance(request, day)
    record(day, day + HOUR - MS, day + HOUR, now=day + 2 * HOUR)

    compact_measurements(NOON, RETENTION)

    row = DayRow.get()
    assert (row.operational, row.excluded) == (1, 2)
    assert counts_in(api, (day, day + DAY)).samples == 1
    assert counts_in(api, (day, day + DAY)).excluded == 2


def test_prune_interrupted(api, monkeypatch):
    """A day is counted once, folded or not, if the job stops in between."""
    old = (NOON - RETENTION).replace(hour=0)
    for at in (old - 3 * DAY, old - 2 * DAY, old - DAY):
        record(at, now=at)
    done = iter([True])

    def interrupted(service, until, original=retention._compact_oldest_day):
        next(done)
        return original(service, until)

    with monkeypatch.context() as patch:
        patch.setattr(retention, "_compact_oldest_day", interrupted)
        with pytest.raises((StopIteration, RuntimeError)):
            compact_measurements(NOON, RETENTION)

    span = (old - 5 * DAY, NOON)
    assert DayRow.select().count() == 1
    assert counts_in(api, span).samples == 3
    assert compact_measurements(NOON, RETENTION) == 2
    assert counts_in(api, span).samples == 3


def test_purge_takes_counters_along(api):
    """Purging a service deletes its hours and days."""
    old = (NOON - RETENTION).replace(hour=0) - DAY
    record(old, now=old)
    record(NOON - HOUR)
    roll_up(NOON)
    compact_measurements(NOON, RETENTION)
    assert HourRow.select().count() == DayRow.select().count() == 1

    ServiceRow.get().delete_instance()

    assert HourRow.select().count() == DayRow.select().count() == 0


def test_marks_are_raised_together(store):
    """Each mark is raised by one, starting from none; the others stay."""
    increment_instance_values(["late 1", "late 2"])
    increment_instance_values(["late 2", "late 3"])
    increment_instance_values([])

    assert read_instance_values("late ") == {"late 1": 1, "late 2": 2, "late 3": 1}
