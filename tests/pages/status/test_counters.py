"""The published counters are sufficient to compute the published percentages."""

import json
import random
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from models.fields import format_moment
from models.status.maintenance.windows import StatusAddMaintenance, schedule_maintenance
from models.status.measurements.measurements import (
    StatusRecordMeasurements,
    record_measurements,
)
from models.status.measurements.rollups import roll_up
from models.status.services.catalogue import StatusAddService, add_service
from models.status.snapshot.last_change import last_change_at
from models.status.uptime.summary import uptime_summary
from models.status.uptime.uptime import PERIODS
from models.storage.database import writing

MANUAL = Path(__file__).parents[3] / "manual/status-page"
RETENTION = timedelta(days=100)
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
STATUSES = ("operational", "operational", "operational", "degraded", "down")


@pytest.fixture
def api_service(store, clock):
    with writing():
        return add_service(
            StatusAddService(slug="api", name="API"), clock.now - RETENTION
        )


def record(now, *times, source="a", status="operational"):
    samples = [
        {"slug": "api", "status": status, "observed_at": at, "response_time_ms": 40}
        for at in times
    ]
    batch = StatusRecordMeasurements(source=source, measurements=samples)
    with writing():
        record_measurements(batch, now, retention=RETENTION)


def plan(now, start, end):
    window = StatusAddMaintenance(
        title="Move", starts_at=start, ends_at=end, services=["api"]
    )
    with writing():
        schedule_maintenance(window, now)


def live_through(now, world):
    """Create samples near and far, on and beside the edges of periods, and windows."""
    edges = [timedelta(0), HOUR, *(n * DAY for n in (1, 7, 30, 90))]
    for _ in range(world.randrange(1, 9)):
        start = now - world.choice(edges) - world.randrange(-90, 90) * MINUTE
        plan(now, start, start + world.randrange(1, 200) * MINUTE)
    for source in "abc"[: world.randrange(1, 4)]:
        for status in STATUSES:
            times = {
                now - abs(world.choice(edges) + world.randrange(-9000, 9000) * SECOND)
                for _ in range(world.randrange(1, 60))
            }
            record(now, *times, source=source, status=status)


def recomputed(output):
    """Run the script of the manual against the built site."""
    text = (MANUAL / "verifying-uptime.md").read_text(encoding="utf-8")
    script = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    command = [sys.executable, "-c", script, output.as_uri(), "api"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line.split() for line in result.stdout.splitlines()]


def published(output):
    data = json.loads((output / "status/services/api.json").read_text())
    return [
        [each["period"], str(each["uptimePct"]), str(each["samples"])]
        for each in data["data"]["uptime"]
    ]


def plain(service, now):
    """Return the values of the API, which counts each period from end to end."""
    at = last_change_at(now, timedelta(minutes=5))
    found = [uptime_summary(service, each, at, interval_seconds=60) for each in PERIODS]
    return [[each.period, str(each.uptime_pct), str(each.samples)] for each in found]


@pytest.mark.parametrize("_", range(5))
def test_recomputed(api_service, clock, build_site, output, _):
    """
    Ten lines of script reproduce every published percentage, whatever the data: with
    maintenance, with rolled-up counters or without, on the hour or beside it.
    """
    seed = random.randrange(10**6)
    print("seed", seed)
    world = random.Random(seed)
    clock.now += timedelta(milliseconds=world.choice([-1, 0, 1, 1_234_567]))
    live_through(clock.now, world)
    if world.random() < 0.5:
        roll_up(clock.now - world.randrange(3) * HOUR)

    build_site(["status"])

    assert recomputed(output) == published(output) == plain(api_service, clock.now)
    assert any(pct != "None" for _, pct, _ in published(output))


def test_script_is_short():
    """The script of the manual has ten lines."""
    text = (MANUAL / "verifying-uptime.md").read_text(encoding="utf-8")
    script = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]

    lines = [line for line in script.splitlines() if line and "import" not in line]
    assert len(lines) <= 10


def data_of(output):
    folder = output / "status/data"
    return {each.name: each.read_text() for each in folder.iterdir()}


def test_files_stand_while_the_past_does(api_service, clock, build_site, output):
    """A measurement changes the small file of the service, and no counters."""
    clock.now += 10 * MINUTE
    record(clock.now, clock.now - 3 * HOUR, clock.now)
    build_site(["status"])
    before = data_of(output)

    clock.pass_(minutes=40)
    record(clock.now, clock.now)
    report = build_site(["status"])

    assert "status/services/api.json" in report.written
    assert data_of(output) == before


@pytest.mark.parametrize("change", ["hour", "late", "window"])
def test_files_follow_the_past(api_service, clock, build_site, output, change):
    """
    The files change when an hour is over, a sample is late, or a window excludes it.
    """
    record(clock.now, clock.now - 3 * HOUR, clock.now)
    roll_up(clock.now)
    build_site(["status"])
    before = data_of(output)
    if change == "hour":
        clock.pass_(hours=1)
        record(clock.now, clock.now)
    elif change == "late":
        record(clock.now, clock.now - 5 * HOUR)
    else:
        plan(clock.now, clock.now - 4 * HOUR, clock.now - 2 * HOUR)

    build_site(["status"])

    after = data_of(output)
    assert all(after[name] != before[name] for name in before)


def test_what_the_files_hold(api_service, clock, build_site, output):
    """Completed hours and days, each with its counts; both files agree."""
    record(clock.now, clock.now - 3 * HOUR, clock.now - 2 * HOUR, clock.now - DAY)
    plan(clock.now, clock.now - 2 * HOUR, clock.now - HOUR)

    build_site(["status"])

    data = json.loads((output / "status/data/api.json").read_text())["data"]
    days = [["2026-02-28T00:00:00.000Z", 1, 0, 0, 40, 1, 0]]
    hours = [
        ["2026-02-28T12:00:00.000Z", 1, 0, 0, 40, 1, 0],
        ["2026-03-01T09:00:00.000Z", 1, 0, 0, 40, 1, 0],
        ["2026-03-01T10:00:00.000Z", 0, 0, 0, 0, 0, 1],
    ]
    assert (data["days"], data["hours"]) == (days, hours)
    assert (data["from"], data["to"]) == (
        "2025-12-01T00:00:00.000Z",
        "2026-03-01T12:00:00.000Z",
    )
    rows = [["day", *row] for row in days] + [["hour", *row] for row in hours]
    lines = [",".join(map(str, row)) for row in [["per", *data["columns"]], *rows]]
    assert (output / "status/data/api.csv").read_text() == "\n".join(lines) + "\n"


def test_window_of_whole_hours(api_service, clock, build_site, output):
    """
    An hour in maintenance is in order among the others, and its day is listed once.
    """
    hours = [clock.now - n * HOUR for n in range(12, 40)]
    record(clock.now, *hours)
    roll_up(clock.now)
    plan(clock.now, clock.now - 36 * HOUR, clock.now - 30 * HOUR)

    build_site(["status"])

    data = json.loads((output / "status/data/api.json").read_text())["data"]
    assert [hour[0] for hour in data["hours"]] == [
        format_moment(at) for at in sorted(hours)
    ]
    assert [[day[0][:10], sum(day[1:4]), day[-1]] for day in data["days"]] == [
        ["2026-02-27", 3, 0],
        ["2026-02-28", 18, 6],
    ]
