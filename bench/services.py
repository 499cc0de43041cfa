"""The present of 500 services that three probes measure."""

from datetime import timedelta

from bench.server import Client, empty_database, now, p95, served
from models.status.measurements.measurements import (
    StatusRecordMeasurements,
    record_measurements,
)
from models.status.services.catalogue import StatusAddService, add_service
from models.storage.database import writing

SERVICES, SOURCES = 500, 3


def run():
    with empty_database() as (path, secret):
        fill()
        with served(path) as (port, _):
            client = Client(port, secret)
            alive, listed, one = p95(
                lambda: client.get("/healthz"),
                lambda: client.get("/status/v1/services/list"),
                lambda: client.get("/status/v1/services/get?slug=s7"),
            )
    yield "healthz, p95 ms", f"{alive:.2f}", ""
    yield "services/list of 500 × 3 sources, p95 ms", f"{listed:.2f}", ""
    yield "in healthz", f"{listed / alive:.1f}", "<= 20"
    yield "services/get among 500, p95 ms", f"{one:.2f}", ""


def fill(services=SERVICES):
    at = now()
    with writing():
        for number in range(services):
            asked = StatusAddService(slug=f"s{number}", name=f"Service {number}")
            add_service(asked, at)
    for source in range(SOURCES):
        for first in range(0, services, 100):
            samples = [
                {
                    "slug": f"s{number}",
                    "status": "operational",
                    "observed_at": at,
                    "response_time_ms": 20,
                }
                for number in range(first, first + 100)
            ]
            asked = StatusRecordMeasurements(source=f"p{source}", measurements=samples)
            with writing():
                record_measurements(asked, at, retention=timedelta(days=100))
