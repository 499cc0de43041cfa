"""For any history, uptime equals a plain count of all samples."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.base import EPOCH
from models.status.maintenance.intervals import maintenance_spans_by_service
from models.status.maintenance.windows import (
    StatusAddMaintenance,
    StatusUpdateMaintenance,
    schedule_maintenance,
    update_maintenance,
)
from models.status.measurements.counts import counts_in
from models.status.measurements.measurements import (
    StatusRecordMeasurements,
    record_measurements,
)
from models.status.measurements.retention import compact_measurements
from models.status.measurements.rollups import roll_up
from models.status.services.catalogue import StatusAddService, add_service
from models.status.services.rows import ServiceRow
from models.status.uptime.periods import hourly_histories, service_uptime
from models.status.uptime.summary import uptime_summary
from models.status.uptime.uptime import PERIODS
from models.storage.database import database, open_database, writing

START = datetime(2026, 1, 1, 5, 30, tzinfo=UTC)
KEPT = timedelta(days=91)
MS = timedelta(milliseconds=1)
STATUSES = ["operational", "degraded", "down"]

# Around the whole hours is where a count can go wrong.
near_hours = st.builds(
    lambda hours, off: timedelta(hours=hours) + off * MS,
    st.integers(-30, 30),
    st.sampled_from([-1, 0, 1, 1_800_000]),
)
far = st.timedeltas(timedelta(days=-90), timedelta(days=2)).map(
    lambda offset: offset // MS * MS
)
offsets = near_hours | far
samples = st.lists(
    st.tuples(offsets, st.sampled_from(STATUSES), st.none() | st.integers(0, 600_000)),
    min_size=1,
    max_size=12,
)
spans = st.tuples(offsets, near_hours.map(abs).filter(bool))
names = st.sampled_from(["x", "y", "xy"])
which = st.integers(0, 9)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("record"), st.sampled_from(["a", "b"]), samples),
        st.tuples(st.just("add"), spans, names),
        st.tuples(st.just("edit"), which, spans),
        st.tuples(st.just("write"), which, st.sampled_from(["scheduled", "cancelled"])),
        st.tuples(st.just("name"), which, names),
        st.tuples(st.just("roll_up")),
        st.tuples(st.just("prune")),
        st.tuples(st.just("wait"), st.sampled_from([1, 60, 61, 1440, 57_600])),
    ),
    min_size=3,
    max_size=18,
)


class History:
    """A history in two forms: in the database, and as plain data."""

    def __init__(self):
        self.now, self.samples, self.windows = START, {}, {}
        # What a builder remembers of its last look at the service x.
        self.counts = None
        with writing():
            for slug in "xy":
                add_service(StatusAddService(slug=slug, name=slug), self.now)

    def record(self, source, batch):
        sent = [
            {"slug": "x", "status": status, "response_time_ms": ms, "observed_at": at}
            for off, status, ms in batch
            if (at := min(self.now, self.now + off)) >= self.now - timedelta(days=90)
        ]
        request = StatusRecordMeasurements(source=source, measurements=sent)
        with writing():
            record_measurements(request, self.now, retention=KEPT)
        for each in sent:
            key = each["observed_at"], source
            self.samples.setdefault(key, (each["status"], each["response_time_ms"]))

    def add(self, span, slugs):
        starts_at, ends_at = self._between(span)
        request = StatusAddMaintenance(
            title="Move", starts_at=starts_at, ends_at=ends_at, services=list(slugs)
        )
        with writing():
            window = schedule_maintenance(request, self.now)
        self.windows[window.id] = [starts_at, ends_at, "scheduled", slugs]

    def edit(self, number, span):
        starts_at, ends_at = self._between(span)
        self._update(number, starts_at=starts_at, ends_at=ends_at)

    def write(self, number, status):
        self._update(number, status=status)

    def name(self, number, slugs):
        self._update(number, services=list(slugs))

    def roll_up(self):
        roll_up(self.now)

    def prune(self):
        compact_measurements(self.now, KEPT)

    def wait(self, minutes):
        self.now += timedelta(minutes=minutes)

    def _between(self, span):
        return self.now + span[0], self.now + span[0] + span[1]

    def _update(self, number, **wanted):
        if not self.windows:
            return
        id = list(self.windows)[number % len(self.windows)]
        with writing():
            update_maintenance(StatusUpdateMaintenance(id=id, **wanted), self.now)
        facts = self.windows[id]
        facts[0] = wanted.get("starts_at", facts[0])
        facts[1] = wanted.get("ends_at", facts[1])
        facts[2] = wanted.get("status", facts[2])
        facts[3] = "".join(wanted.get("services", facts[3]))

    def counted(self, start, end):
        """Return the samples of x in [start, end) and how many are left out."""
        within = [
            (at, *facts) for (at, _), facts in self.samples.items() if start <= at < end
        ]
        kept = [each for each in within if not self._is_left_out(each[0])]
        return kept, len(within) - len(kept)

    def _is_left_out(self, at):
        return any(
            starts_at <= at < ends_at and status != "cancelled" and "x" in slugs
            for starts_at, ends_at, status, slugs in self.windows.values()
        )


def plain(samples):
    """Return percentage, samples and mean of raw facts, in exact arithmetic."""
    found = Counter(status for _, status, _ in samples)
    times = [ms for _, status, ms in samples if status != "down" and ms is not None]
    up, count = found["operational"] + found["degraded"], len(samples)
    pct = float(Decimal(100_000 * up // count) / 1000) if count else None
    mean = int(Fraction(sum(times), len(times)) + Fraction(1, 2)) if times else None
    return pct, count, mean


@pytest.fixture
def empty_anew(store, settings, empty_database, engine):
    """Empty the database of this test."""

    def emptied():
        database.close()
        engine.copy(empty_database, settings.database)
        open_database(settings.database)

    return emptied


@settings(
    max_examples=80,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=steps)
def test_uptime_is_a_plain_count(empty_anew, steps):
    """
    Late samples, repeats, edited windows, roll-ups and prunes at any moment: every
    period counts what all raw samples would give.
    """
    empty_anew()
    history = History()

    for name, *arguments in steps:
        getattr(history, name)(*arguments)
        # What is kept of the past must not outlive what happens next.
        measured_of_x(history)

    assert_equal_to_plain_count(history)


def measured_of_x(history):
    service = ServiceRow.get(ServiceRow.slug == "x")
    until, windows = {service.number: history.now}, maintenance_spans_by_service(EPOCH)
    (hours,) = hourly_histories([service], until, windows)
    spans = windows.get(service.number, [])
    uptime = service_uptime(history.now, hours, spans, history.counts)
    history.counts = uptime.history_counts
    return uptime


def assert_equal_to_plain_count(history):
    service, now = ServiceRow.get(ServiceRow.slug == "x"), history.now
    seen = measured_of_x(history)
    for period, length in PERIODS.items():
        span = (now - length + MS, now + MS)
        kept, left_out = history.counted(*span)
        result = uptime_summary(service, period, now, interval_seconds=60)
        found = result.uptime_pct, result.samples, result.avg_response_time_ms
        assert found == plain(kept)
        counts = counts_in(service, span)
        assert (counts.samples, counts.excluded) == (len(kept), left_out)
        assert seen.counts[period] == counts
    assert_hours_are_plain(history, seen)


def assert_hours_are_plain(history, seen):
    """The days of the bar, and the hours that are published, are counted alike."""
    now = history.now
    today = now.replace(hour=0, minute=0)
    for day, counts in seen.days().items():
        start = today + (day - today.date())
        kept, left_out = history.counted(start, min(start + timedelta(1), now + MS))
        assert (counts.samples, counts.excluded) == (len(kept), left_out)
    start, end = seen.history.span
    kept, left_out = history.counted(start, end)
    hours = seen.history.hours()
    times, counts = seen.history.hours_as_text()
    assert times == ",".join(str(hour[0]) for hour in hours)
    assert counts == [",".join(map(str, hour[1:])) for hour in hours]
    assert start == today - timedelta(days=90)
    assert sum(sum(columns[1:4]) for columns in hours) == len(kept)
    assert sum(columns[-1] for columns in hours) == left_out
    for at, *_ in kept:
        assert any(0 <= (at - EPOCH) // MS - hour[0] < 3_600_000 for hour in hours)
