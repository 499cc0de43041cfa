"""Compare recording measurements over HTTP with inserting the rows with sqlite3."""

import json
import sqlite3
import threading
import time
from datetime import timedelta
from pathlib import Path

from bench.server import Client, empty_database, now, server_process
from models.fields import format_moment
from models.status.services.catalogue import StatusAddService, add_service
from models.storage.database import writing
from models.storage.engines.sqlite import PRAGMAS

RECORD_PATH = "/status/v1/admin/measurements/record"
SECONDS, CLIENTS, BATCH_SIZE = 8, 4, 200


def run():
    with empty_database() as (path, secret):
        with writing():
            for number in range(BATCH_SIZE):
                request = StatusAddService(slug=f"s{number}", name=f"S{number}")
                add_service(request, now())
        with server_process(path) as (port, _):
            http_rate = samples_per_second_over_http(port, secret)
        sqlite_rate = samples_per_second_with_sqlite(Path(path).with_name("alone.db"))
    label = f"measurements/record over HTTP, {CLIENTS} clients, samples/s"
    yield label, f"{http_rate:.0f}", ""
    yield "the same rows with sqlite3 alone, samples/s", f"{sqlite_rate:.0f}", ""
    yield "ratio to sqlite3 alone", f"{http_rate / sqlite_rate:.2f}", ">= 0.40"


def samples_per_second_over_http(port, secret):
    counts, end = [0] * CLIENTS, time.perf_counter() + SECONDS

    def probe(index):
        client, batches = Client(port, secret), 0
        while time.perf_counter() < end:
            batches += 1
            observed_at = now() - timedelta(days=2) + timedelta(seconds=batches)
            client.post(RECORD_PATH, measurement_batch(f"probe-{index}", observed_at))
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
