"""Time full and incremental builds of the status site, and the pages of an incident."""

import os
import time
from datetime import timedelta
from pathlib import Path

from api.http.application import create_app
from bench.server import empty_database, now
from models.base import epoch_ms
from models.changes import mark
from models.settings import Settings
from models.status.measurements.measurements import (
    StatusRecordMeasurements,
    record_measurements,
)
from models.status.measurements.rollups import HOUR_MS, roll_up
from models.status.services.catalogue import StatusAddService, add_service
from models.status.services.rows import ServiceRow
from models.storage.database import database, writing
from sitegen.builder.build import build
from sitegen.builder.builder import Builder
from sitegen.output.folder import OutputFolder
from sitegen.output.generations import live_generation
from sitegen.page import BuildContext, load_generators
from sitegen.theme.theme import Theme
from tests import world

SERVICES, DAYS, GROUPS, BATCH_SIZE = 500, 90, 10, 200
INCIDENTS, INCIDENT_SERVICES = 60, ["api-gateway"]
ADD_INCIDENT_PATH = "/status/v1/admin/incidents/add"


def run():
    load_generators()
    with empty_database() as (path, _):
        fill()
        output = str(Path(path).with_name("site"))
        yield from measure_builds(Settings(database=path, output=output))
    yield from measure_incidents()


def measure_builds(settings):
    """Build into an empty folder, then after measurements that change no state."""
    theme, build_time = Theme(settings), now()
    seconds, cpu_seconds, report = measure_build(settings, theme, build_time)
    label = f"full build of {SERVICES} services × {DAYS} days"
    yield f"{label}, s", f"{seconds:.2f}", "<= 3"
    yield f"{label}, CPU seconds", f"{cpu_seconds:.2f}", ""
    yield f"{label}, files", len(report.written), ""
    for services in (1, 200):
        build_time += timedelta(seconds=30)
        record_operational(range(services), build_time)
        _, cpu_seconds, report = measure_build(settings, theme, build_time)
        label = f"batch for {services} of {SERVICES} services, no new state"
        yield f"{label}, files", len(report.written), ""
        yield f"{label}, CPU seconds", f"{cpu_seconds:.2f}", ""


def measure_build(settings, theme, build_time):
    """Build the status area; return the seconds, the CPU seconds and the report."""
    started, cpu_started = time.perf_counter(), cpu_time()
    report = build(BuildContext(build_time, settings, theme), ["status"])
    assert report.failed == []
    return time.perf_counter() - started, cpu_time() - cpu_started, report


def cpu_time():
    """Return the CPU seconds of this process and of its children that have ended."""
    return sum(os.times()[:4])


def fill(services=SERVICES):
    """Add services with data for every hour and a current measurement."""
    filled_at = now()
    with writing():
        for number in range(services):
            request = StatusAddService(
                slug=f"s{number}",
                name=f"Service {number}",
                group=f"Group {number % GROUPS}",
            )
            add_service(request, filled_at - timedelta(days=DAYS))
        end = epoch_ms(filled_at) // HOUR_MS * HOUR_MS
        hours = range(end - DAYS * 24 * HOUR_MS, end, HOUR_MS)
        database.connection().executemany(
            "INSERT INTO hour (service_id, starts_at, operational, degraded, down,"
            " time_sum, time_count) VALUES (?, ?, 60, 0, 0, 3000, 60)",
            (
                (service.number, hour)
                for service in ServiceRow.select()
                for hour in hours
            ),
        )
    roll_up(filled_at)
    record_operational(range(services), filled_at)


def record_operational(numbers, observed_at):
    """Record a measurement of every numbered service, all of them operational."""
    for first in range(0, len(numbers), BATCH_SIZE):
        samples = [
            {
                "slug": f"s{number}",
                "status": "operational",
                "observed_at": observed_at,
                "response_time_ms": 20 + number % 7,
            }
            for number in numbers[first : first + BATCH_SIZE]
        ]
        request = StatusRecordMeasurements(source="probe", measurements=samples)
        with writing():
            record_measurements(request, observed_at, retention=timedelta(days=100))
            mark("status")


def measure_incidents():
    """Measure the time from the response of incidents/add to its pages in the demo."""
    with empty_database() as (path, secret):
        world.populate(now())
        settings = Settings(database=path, output=str(Path(path).with_name("demo")))
        theme = Theme(settings)
        memory = {}
        builder = Builder(
            now,
            lambda build_time: BuildContext(
                build_time, settings, theme, process_cache=memory
            ),
        )
        app = create_app(settings, clock=now, wake_builder=builder.wake)
        client = app.test_client()
        builder.start()
        overview = Path(settings.output) / "status/index.html"
        while not overview.exists():
            time.sleep(0.1)
        try:
            times = sorted(
                incident_milliseconds(client, secret, settings, number)
                for number in range(INCIDENTS)
            )
        finally:
            builder.stop()
    label = "incident's response until pages are updated"
    yield f"{label}, median ms", f"{times[INCIDENTS // 2]:.0f}", ""
    yield f"{label}, p95 ms", f"{times[int(INCIDENTS * 0.95)]:.0f}", "<= 250"


def incident_milliseconds(client, secret, settings, number):
    """Return the milliseconds from the response to the incident's page and overview."""
    title = f"Errors {number}"
    body = {
        "title": title,
        "severity": "degraded",
        "body": "Looking.",
        "services": INCIDENT_SERVICES,
    }
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": str(number)}
    response = client.post(ADD_INCIDENT_PATH, json=body, headers=headers)
    responded = time.perf_counter()
    assert response.status_code == 200, response.text
    status = Path(settings.output) / "status"
    page = status / "incidents" / response.json["data"]["id"] / "index.html"
    while not (page.exists() and title in (status / "index.html").read_text()):
        time.sleep(0.002)
    milliseconds = (time.perf_counter() - responded) * 1000
    # Let the builder finish, so that the next incident does not wait for this one.
    generation = int(response.headers["Site-Generation"])
    while live_generation(OutputFolder(settings.output)) < generation:
        time.sleep(0.01)
    time.sleep(0.2)
    return milliseconds
