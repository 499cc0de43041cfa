"""Compare uptime/get over 13 million samples with /healthz."""

import time

from bench.server import (
    Client,
    empty_database,
    now,
    p95,
    peak_megabytes,
    server_process,
)
from models.base import epoch_ms
from models.status.measurements.rollups import roll_up
from models.status.services.catalogue import StatusAddService, add_service
from models.storage.database import database, writing

# Each service has one sample per minute.
SERVICES, DAYS, MINUTE_MS = 100, 91, 60_000

_INSERT_SAMPLES = """
WITH RECURSIVE minute(at) AS (
    VALUES (?2) UNION ALL SELECT at + ?3 FROM minute WHERE at + ?3 < ?4
)
INSERT INTO measurement (service_id, observed_at, source, status, response_time_ms)
SELECT ?1, at, 'probe', iif(at / ?3 % 997 = 0, 'down', 'operational'), at / ?3 % 300
FROM minute
"""


def run():
    with empty_database() as (path, secret):
        started = time.perf_counter()
        samples = fill()
        filled = time.perf_counter()
        hours = roll_up(now())
        aggregated = time.perf_counter()
        with server_process(path) as (port, process):
            client = Client(port, secret)
            uptime_path = "/status/v1/uptime/get?slug=s7&period=90d"
            healthz, uptime = p95(
                lambda: client.get("/healthz"), lambda: client.get(uptime_path)
            )
            memory = peak_megabytes(process)
    fill_seconds = f"{filled - started:.0f}"
    yield f"generating {samples / 1e6:.1f} million samples, s", fill_seconds, ""
    yield f"aggregating their {hours} hours, s", f"{aggregated - filled:.0f}", ""
    yield "healthz, p95 ms", f"{healthz:.2f}", ""
    yield "uptime/get 90d, p95 ms", f"{uptime:.2f}", ""
    yield "uptime/get 90d, p95 ÷ healthz", f"{uptime / healthz:.1f}", "<= 5"
    yield "peak memory of the server, MB", f"{memory:.0f}", "< 200"


def fill():
    """Insert the services and their samples; return the number of samples."""
    end = epoch_ms(now())
    start = end - DAYS * 24 * 60 * MINUTE_MS
    for number in range(SERVICES):
        with writing():
            request = StatusAddService(slug=f"s{number}", name=f"Service {number}")
            service = add_service(request, now())
            database.execute_sql(
                _INSERT_SAMPLES, (service.number, start, MINUTE_MS, end)
            )
    return SERVICES * ((end - start) // MINUTE_MS)
