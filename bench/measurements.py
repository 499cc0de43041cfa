"""Compare recording measurements over HTTP with inserting the rows with sqlite3."""

import json
import sqlite3
import threading
import time
from pathlib import Path

from bench.server import Client, app_server, empty_database, now
from models.fields import format_moment
from models.settings import Settings
from models.status.services.catalogue import StatusAddService, add_service
from models.storage.database import writing
from models.storage.engines.sqlite import PRAGMAS
from tests.ports import free_port

RECORD_PATH = "/status/v1/admin/measurements/record"
SECONDS, CLIENTS, BATCH_SIZE = 8, 4, 200
# The targets without and with an Idempotency-Key.
HEADERS = {"": ">= 0.45", "Idempotency-Key": ">= 0.35"}


def run():
    with empty_database() as (path, secret):
        with writing():
            for number in range(BATCH_SIZE):
                request = StatusAddService(slug=f"s{number}", name=f"S{number}")
                add_service(request, now())
        settings = Settings(
            database=path, output=str(Path(path).with_name("output")), processes=1
        )
        rates = {}
        with app_server(settings, port := free_port()):
            for header in HEADERS:
                rates[header] = samples_per_second_over_http(port, secret, header)
        sqlite_rate = samples_per_second_with_sqlite(Path(path).with_name("alone.db"))
    yield "200 rows per commit with sqlite3 alone, samples/s", f"{sqlite_rate:.0f}", ""
    for header, rate in rates.items():
        suffix = f"full server, {CLIENTS} clients" + (f", {header}" if header else "")
        yield f"measurements/record, {suffix}, samples/s", f"{rate:.0f}", ""
        ratio = f"{rate / sqlite_rate:.2f}"
        yield f"ratio to sqlite3 alone, {suffix}", ratio, HEADERS[header]


def samples_per_second_over_http(port, secret, header):
    counts, end = [0] * CLIENTS, time.perf_counter() + SECONDS

    def probe(index):
        client, batches = Client(port, secret), 0
        source = f"probe-{index}{header.lower()}"
        while time.perf_counter() < end:
            batches += 1
            if header:
                client.headers[header] = f"{source}-{batches}"
            client.post(RECORD_PATH, measurement_batch(source, now()))
            counts[index] += BATCH_SIZE

    started = time.perf_counter()
    threads = [threading.Thread(target=probe, args=(n,)) for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.perf_counter() - started)


def measurement_batch(source, observed_at):
    """Return the JSON body that records one sample for every service."""
    timestamp = format_moment(observed_at)
    samples = [
        {
            "slug": f"s{number}",
            "status": "operational",
            "responseTimeMs": number,
            "observedAt": timestamp,
        }
        for number in range(BATCH_SIZE)
    ]
    return json.dumps({"source": source, "measurements": samples})


def sqlite_connection(path):
    """Connect with sqlite3 alone and Masthead's PRAGMA settings."""
    connection = sqlite3.connect(path, isolation_level=None)
    for name, value in PRAGMAS.items():
        connection.execute(f"PRAGMA {name} = {value}")
    return connection


def samples_per_second_with_sqlite(path):
    connection = sqlite_connection(path)
    connection.execute(
        "CREATE TABLE measurement (service_id INTEGER, observed_at INTEGER,"
        " source TEXT, status TEXT, response_time_ms INTEGER,"
        " PRIMARY KEY (service_id, observed_at, source)) WITHOUT ROWID"
    )
    insert = "INSERT OR IGNORE INTO measurement VALUES (?, ?, ?, ?, ?)"
    started, batches = time.perf_counter(), 0
    while time.perf_counter() < started + SECONDS / 2:
        batches += 1
        rows = [(n, batches, "probe-1", "operational", n) for n in range(BATCH_SIZE)]
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(insert, rows)
        connection.execute("COMMIT")
    return batches * BATCH_SIZE / (time.perf_counter() - started)
