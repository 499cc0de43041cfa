"""
Compare recording measurements over HTTP with inserting the rows with sqlite3.

Both take turns, so that other work on the machine affects both equally. The clients
share the processors with the server, so they only put the time into a body that was
serialized before, as sqlite3 only gets the time of rows that were made before.
"""

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
ROUNDS, CLIENTS, BATCH_SIZE = 5, 4, 200
SQLITE_SECONDS, SERVER_SECONDS = 1.5, 2.5
# The targets of the ratio without and with an Idempotency-Key.
HEADERS = {"": "", "Idempotency-Key": ">= 0.15"}


def run():
    with empty_database() as (path, secret):
        with writing():
            for number in range(BATCH_SIZE):
                request = StatusAddService(slug=f"s{number}", name=f"S{number}")
                add_service(request, now())
        settings = Settings(
            database=path, output=str(Path(path).with_name("output")), processes=1
        )
        sqlite_rates, rates = [], {header: [] for header in HEADERS}
        sqlite = Sqlite(Path(path).with_name("alone.db"))
        with app_server(settings, port := free_port()):
            for _ in range(ROUNDS):
                sqlite_rates.append(sqlite.samples_per_second())
                for header in HEADERS:
                    rate = samples_per_second_over_http(port, secret, header)
                    rates[header].append(rate)
    sqlite_rate = sum(sqlite_rates) / ROUNDS
    yield "200 rows per commit with sqlite3 alone, samples/s", f"{sqlite_rate:.0f}", ""
    for header in HEADERS:
        rate = sum(rates[header]) / ROUNDS
        suffix = f"full server, {CLIENTS} clients" + (f", {header}" if header else "")
        yield f"measurements/record, {suffix}, samples/s", f"{rate:.0f}", ""
        ratio = f"{rate / sqlite_rate:.2f}"
        yield f"ratio to sqlite3 alone, {suffix}", ratio, HEADERS[header]


def samples_per_second_over_http(port, secret, header):
    counts, end = [0] * CLIENTS, time.perf_counter() + SERVER_SECONDS

    def probe(index):
        client, batches = Client(port, secret), 0
        source = f"probe-{index}{header.lower()}"
        body = measurement_batch(source, TIME_PLACE)
        while time.perf_counter() < end:
            batches += 1
            if header:
                client.headers[header] = f"{source}-{time.time_ns()}"
            client.post(RECORD_PATH, body.replace(TIME_PLACE, format_moment(now())))
            counts[index] += BATCH_SIZE

    started = time.perf_counter()
    threads = [threading.Thread(target=probe, args=(n,)) for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.perf_counter() - started)


# In the place of the time of every sample in a batch.
TIME_PLACE = "TIME"


def measurement_batch(source, timestamp):
    """Return the JSON body that records one sample for every service."""
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
    """Connect with only sqlite3 and Masthead's PRAGMA settings."""
    connection = sqlite3.connect(path, isolation_level=None)
    for name, value in PRAGMAS.items():
        connection.execute(f"PRAGMA {name} = {value}")
    return connection


class Sqlite:
    """A table of measurements that only sqlite3 fills."""

    def __init__(self, path):
        self._connection = sqlite_connection(path)
        self._connection.execute(
            "CREATE TABLE measurement (service_id INTEGER, observed_at INTEGER,"
            " source TEXT, status TEXT, response_time_ms INTEGER,"
            " PRIMARY KEY (service_id, observed_at, source)) WITHOUT ROWID"
        )
        self._numbers = range(BATCH_SIZE)
        self._batches = 0

    def samples_per_second(self):
        insert = "INSERT OR IGNORE INTO measurement VALUES (?, ?, 'probe-1', ?, ?)"
        started, count = time.perf_counter(), 0
        while time.perf_counter() < started + SQLITE_SECONDS:
            count += 1
            at = self._batches + count
            rows = [(n, at, "operational", n) for n in self._numbers]
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(insert, rows)
            self._connection.execute("COMMIT")
        self._batches += count
        return count * BATCH_SIZE / (time.perf_counter() - started)
