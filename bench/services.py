"""Compare listing 500 services, measured by three sources each, with /healthz."""

from datetime import timedelta

from bench.server import Client, empty_database, now, p95, server_process
from models.status.measurements.measurements import (
    StatusRecordMeasurements,
    record_measurements,
)
from models.status.services.catalogue import StatusAddService, add_service
from models.storage.database import writing

SERVICES, SOURCES, BATCH_SIZE = 500, 3, 100


def run():
    with empty_database() as (path, secret):
        fill()
        with server_process(path) as (port, _):
            client = Client(port, secret)
            healthz, service_list, service = p95(
                lambda: client.get("/healthz"),
                lambda: client.get("/status/v1/services/list"),
                lambda: client.get("/status/v1/services/get?slug=s7"),
            )
    label = f"services/list of {SERVICES} services × {SOURCES} sources, p95"
    yield "healthz, p95 ms", f"{healthz:.2f}", ""
    yield f"{label} ms", f"{service_list:.2f}", ""
    yield f"{label} ÷ healthz", f"{service_list / healthz:.1f}", "<= 20"
    yield "services/get with the same services, p95 ms", f"{service:.2f}", ""


def fill(services=SERVICES):
    """Add the services and one measurement per source; `services` in hundreds."""
    observed_at = now()
    with writing():
        for number in range(services):
            request = StatusAddService(slug=f"s{number}", name=f"Service {number}")
            add_service(request, observed_at)
    for source in range(SOURCES):
        for first in range(0, services, BATCH_SIZE):
            samples = [
                {
                    "slug": f"s{number}",
                    "status": "operational",
                    "observed_at": observed_at,
                    "response_time_ms": 20,
                }
                for number in range(first, first + BATCH_SIZE)
            ]
            request = StatusRecordMeasurements(
                source=f"p{source}", measurements=samples
            )
            with writing():
                record_measurements(request, observed_at, retention=timedelta(days=100))
