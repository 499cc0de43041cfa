"""Uptime of 90 days over 13 million samples: 100 services, one a minute."""

import time
from datetime import timedelta

from bench.server import Client, empty_database, now, p95, peak_megabytes, served
from models.base import epoch_ms
from models.status.measurements.rollups import roll_up
from models.status.services.catalogue import StatusAddService, add_service
from models.storage.database import database, writing

SERVICES, DAYS, MINUTE = 100, 91, 60_000

_FILL = """
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
        rows = fill()
        filled = time.perf_counter()
        hours = roll_up(now())
        rolled = time.perf_counter()
        with served(path) as (port, process):
            client = Client(port, secret)
            ask = "/status/v1/uptime/get?slug=s7&period=90d"
            alive, told = p95(lambda: client.get("/healthz"), lambda: client.get(ask))
            memory = peak_megabytes(process)
    yield f"{rows / 1e6:.1f} million samples made, s", f"{filled - started:.0f}", ""
    yield f"{hours} hours rolled up, s", f"{rolled - filled:.0f}", ""
    yield "healthz, p95 ms", f"{alive:.2f}", ""
    yield "uptime/get 90d, p95 ms", f"{told:.2f}", ""
    yield "in healthz", f"{told / alive:.1f}", "<= 5"
    yield "most memory of the server, MB", f"{memory:.0f}", "< 200"


def fill():
    end = epoch_ms(now())
    start = end - milliseconds_of(timedelta(days=DAYS))
    for number in range(SERVICES):
        with writing():
            asked = StatusAddService(slug=f"s{number}", name=f"Service {number}")
            service = add_service(asked, now())
            database.execute_sql(_FILL, (service.number, start, MINUTE, end))
    return SERVICES * ((end - start) // MINUTE)


def milliseconds_of(time):
    return int(time.total_seconds() * 1000)
