"""The status area of 500 services: built whole, touched by a probe, and in time."""

import statistics
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from api.http import create_app
from bench.server import empty_database, now
from models.changes import mark
from models.database import database, writing
from models.settings import Settings
from models.status.hours import HOUR_MS, roll_up
from models.base import milliseconds
from models.status.measurements import StatusRecordMeasurements, record_measurements
from models.status.services import ServiceRow, StatusAddService, add_service
from sitegen.build import build
from sitegen.builder import Builder
from sitegen.looks import Looks
from sitegen.page import Edition, declare_pages

SERVICES, DAYS, GROUPS = 500, 90, 10
INCIDENTS = 40


def run():
    declare_pages()
    with empty_database() as (path, _):
        fill()
        yield from _whole(Settings(database=path, output=_beside(path, "whole")))
    yield from _in_time()


def _whole(settings):
    """Into an empty folder, again, and after a probe that says nothing new."""
    looks, at = Looks(settings), now()
    taken, report = _built(settings, looks, at)
    count = len(report.written)
    yield f"status of {SERVICES} services × {DAYS} days, full, s", f"{taken:.2f}", "<= 3"
    yield "files of it", count, ""
    for services in (1, 200):
        at += timedelta(seconds=30)
        beat(range(services), at)
        taken, report = _built(settings, looks, at)
        what = f"files that a quiet batch of {services} touches"
        yield what, len(report.written), ""
        yield "the build for it, s", f"{taken:.2f}", ""


def _built(settings, looks, at):
    started = time.perf_counter()
    report = build(Edition(at, settings, looks), ["status"])
    assert report.failed == []
    return time.perf_counter() - started, report


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
        end = milliseconds(at) // HOUR_MS * HOUR_MS
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
