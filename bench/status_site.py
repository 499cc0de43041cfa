"""The status area of 500 services: built whole, touched by a probe, and in time."""

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
from sitegen.build.build import build
from sitegen.build.builder import Builder
from sitegen.build.gc_tuning import collect_seldom
from sitegen.output.folder import Folder
from sitegen.output.generations import live_generation
from sitegen.page import BuildContext, declare_pages
from sitegen.theme.theme import Theme
from tests import world

SERVICES, DAYS, GROUPS = 500, 90, 10


def run():
    declare_pages()
    with empty_database() as (path, _):
        fill()
        collect_seldom()
        yield from _whole(Settings(database=path, output=_beside(path, "whole")))
    yield from _in_time()


def _whole(settings):
    """Into an empty folder, again, and after a probe that says nothing new."""
    theme, at = Theme(settings), now()
    taken, processor, report = _built(settings, theme, at)
    what = f"status of {SERVICES} services × {DAYS} days, full, s"
    yield what, f"{taken:.2f}", "<= 3"
    yield "processor seconds of it", f"{processor:.2f}", ""
    yield "files of it", len(report.written), ""
    for services in (1, 200):
        at += timedelta(seconds=30)
        beat(range(services), at)
        _, processor, report = _built(settings, theme, at)
        what = f"files that a quiet batch of {services} touches"
        yield what, len(report.written), ""
        yield "processor seconds of the build for it", f"{processor:.2f}", ""


def _built(settings, theme, at):
    started, worked = time.perf_counter(), _processor()
    report = build(BuildContext(at, settings, theme), ["status"])
    assert report.failed == []
    return time.perf_counter() - started, _processor() - worked, report


def _processor():
    """The processor seconds of this process and of those that have ended."""
    return sum(os.times()[:4])


def fill():
    """Every service with a counter for every hour, and the present of one probe."""
    at = now()
    with writing():
        for number in range(SERVICES):
            asked = StatusAddService(
                slug=f"s{number}",
                name=f"Service {number}",
                group=f"Group {number % GROUPS}",
            )
            add_service(asked, at - timedelta(days=DAYS))
        end = epoch_ms(at) // HOUR_MS * HOUR_MS
        hours = range(end - DAYS * 24 * HOUR_MS, end, HOUR_MS)
        database.connection().executemany(
            "INSERT INTO hour (service_id, starts_at, operational, degraded, down,"
            " time_sum, time_count) VALUES (?, ?, 60, 0, 0, 3000, 60)",
            ((each.number, hour) for each in ServiceRow.select() for hour in hours),
        )
    roll_up(at)
    beat(range(SERVICES), at)


def beat(numbers, at):
    """Let a probe say of these services that they work."""
    for first in range(0, len(numbers), 200):
        samples = [
            {
                "slug": f"s{number}",
                "status": "operational",
                "observed_at": at,
                "response_time_ms": 20 + number % 7,
            }
            for number in numbers[first : first + 200]
        ]
        asked = StatusRecordMeasurements(source="probe", measurements=samples)
        with writing():
            record_measurements(asked, at, retention=timedelta(days=100))
            mark("status")


def _beside(path, name):
    return str(Path(path).parent / name)


ADD = "/status/v1/admin/incidents/add"
TURNS, SLUGS = 60, ["api-gateway"]


def _in_time():
    """How long after the answer of incidents/add its page stands, in the demo."""
    with empty_database() as (path, secret):
        world.populate(now())
        settings = Settings(database=path, output=_beside(path, "demo"))
        theme = Theme(settings)
        memory = {}
        builder = Builder(
            now, lambda at: BuildContext(at, settings, theme, memory=memory)
        )
        app = create_app(settings, clock=now, wake_builder=builder.wake)
        client = app.test_client()
        builder.start()
        overview = Path(settings.output) / "status/index.html"
        while not overview.exists():
            time.sleep(0.1)
        try:
            times = sorted(_shown(client, secret, settings, n) for n in range(TURNS))
        finally:
            builder.stop()
    yield "incident to its page, demo, median ms", f"{times[TURNS // 2]:.0f}", ""
    yield "the same, p95 ms", f"{times[int(TURNS * 0.95)]:.0f}", "<= 250"


def _shown(client, secret, settings, number):
    """Return the milliseconds from the answer to the page and the overview."""
    asked = {"title": f"Errors {number}", "severity": "degraded", "body": "Looking."}
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": str(number)}
    answer = client.post(ADD, json=asked | {"services": SLUGS}, headers=headers)
    answered = time.perf_counter()
    assert answer.status_code == 200, answer.text
    status = Path(settings.output) / "status"
    page = status / "incidents" / answer.json["data"]["id"] / "index.html"
    while not (page.exists() and asked["title"] in (status / "index.html").read_text()):
        time.sleep(0.002)
    taken = (time.perf_counter() - answered) * 1000
    # The next incident finds a builder that has finished with this one, and rested.
    generation = int(answer.headers["Site-Generation"])
    while live_generation(Folder(settings.output)) < generation:
        time.sleep(0.01)
    time.sleep(0.2)
    return taken
