"""Recording over HTTP, beside the same rows written by sqlite3 alone."""

import json
import sqlite3
import threading
import time
from datetime import timedelta
from pathlib import Path

from bench.server import Client, empty_database, now, served
from models.fields import format_moment
from models.status.services.catalogue import StatusAddService, add_service
from models.storage.database import writing
from models.storage.engines.sqlite import PRAGMAS

RECORD = "/status/v1/admin/measurements/record"
SECONDS, CLIENTS, BATCH = 8, 4, 200


def run():
    with empty_database() as (path, secret):
        with writing():
            for number in range(BATCH):
                asked = StatusAddService(slug=f"s{number}", name=f"S{number}")
                add_service(asked, now())
        with served(path) as (port, _):
            through_http = _http(port, secret)
        alone = _alone(Path(path).with_name("alone.db"))
    yield "measurements/record, samples/s, 4 clients", f"{through_http:.0f}", ""
    yield "the same rows by sqlite3 executemany, samples/s", f"{alone:.0f}", ""
    yield "share of sqlite3 alone", f"{through_http / alone:.2f}", ">= 0.40"


def _http(port, secret):
    counts, end = [0] * CLIENTS, time.perf_counter() + SECONDS

    def probe(index):
        client, turn = Client(port, secret), 0
        while time.perf_counter() < end:
            turn += 1
            at = now() - timedelta(days=2) + timedelta(seconds=turn)
            client.post(RECORD, batch(f"probe-{index}", at))
            counts[index] += BATCH

    started = time.perf_counter()
    threads = [threading.Thread(target=probe, args=(n,)) for n in range(CLIENTS)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return sum(counts) / (time.perf_counter() - started)


def batch(source, at):
    observed_at = format_moment(at)
    samples = [
        {
            "slug": f"s{number}",
            "status": "operational",
            "responseTimeMs": number,
            "observedAt": observed_at,
        }
        for number in range(BATCH)
    ]
    return json.dumps({"source": source, "measurements": samples})


def by_hand(path):
    """Connect with our settings, and nothing else of ours."""
    db = sqlite3.connect(path, isolation_level=None)
    for name, value in PRAGMAS.items():
        db.execute(f"PRAGMA {name} = {value}")
    return db


def _alone(path):
    db = by_hand(path)
    db.execute(
        "CREATE TABLE measurement (service_id INTEGER, observed_at INTEGER,"
        " source TEXT, status TEXT, response_time_ms INTEGER,"
        " PRIMARY KEY (service_id, observed_at, source)) WITHOUT ROWID"
    )
    keep = "INSERT OR IGNORE INTO measurement VALUES (?, ?, ?, ?, ?)"
    started, turn = time.perf_counter(), 0
    while time.perf_counter() < started + SECONDS / 2:
        turn += 1
        rows = [(n, turn, "probe-1", "operational", n) for n in range(BATCH)]
        db.execute("BEGIN IMMEDIATE")
        db.executemany(keep, rows)
        db.execute("COMMIT")
    return turn * BATCH / (time.perf_counter() - started)
