"""Serve /healthz (the process is alive) and /readyz (it can serve requests)."""

import time
from collections.abc import Callable
from threading import Lock
from typing import Any

from flask import Flask, jsonify
from werkzeug.wrappers import Response

from models.errors import StorageBusy
from models.instance import set_instance_value
from models.runtime.faults import Fault
from models.storage.database import ADVICE, recent_faults, writing
from models.storage.write_locks import WriteLock

# Returns the current faults; an empty list when all is well.
ListFaults = Callable[[], list[Fault]]
# The database is written to at most once in this time to find out whether it can be.
PROBE_SECONDS = 1.0
# For so long after a request has met a fault the server is not ready: the write that
# is tried touches no damaged page, and needs no further connection.
MET_SECONDS = 10.0


def register_health(app: Flask, list_faults: ListFaults) -> ListFaults:
    """Register both endpoints; return a function that adds the database's faults."""
    database_probe = _DatabaseProbe()

    def list_all_faults() -> list[Fault]:
        database_faults = database_probe.faults()
        try:
            return database_faults + list_faults()
        except StorageBusy as busy:
            return database_faults or [_database_fault(busy)]

    @app.get("/healthz", endpoint="healthz", provide_automatic_options=False)
    def healthz() -> Response:
        return jsonify(status="ok")

    @app.get("/readyz", endpoint="readyz", provide_automatic_options=False)
    def readyz() -> tuple[Response, int]:
        faults = list_all_faults()
        is_ready = all(fault.is_harmless for fault in faults)
        body: dict[str, Any] = {
            "status": "ready" if is_ready else "not ready",
            "states": sorted({fault.state for fault in faults}),
            "troubles": [fault.detail for fault in faults],
        }
        return jsonify(body), 200 if is_ready else 503

    return list_all_faults


class _DatabaseProbe:
    """
    Finds out whether the database can be written, by a small write.

    A transaction that writes nothing would succeed on a full disk too. Concurrent
    callers get the previous result instead of waiting.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._valid_until = 0.0
        self._faults: list[Fault] = []

    def faults(self) -> list[Fault]:
        if self._lock.acquire(blocking=False):
            try:
                if time.monotonic() >= self._valid_until:
                    self._faults = _write_probe()
                    self._valid_until = time.monotonic() + PROBE_SECONDS
            finally:
                self._lock.release()
        return self._faults


def _write_probe() -> list[Fault]:
    try:
        with writing(WriteLock.PLATFORM):
            set_instance_value("probed", time.monotonic_ns())
    except StorageBusy as busy:
        return [_database_fault(busy)]
    detail = f"Requests could not use the database in the last {MET_SECONDS:.0f} s."
    return [
        Fault(state, f"{detail} {ADVICE[state]}.")
        for state in recent_faults(MET_SECONDS)
    ]


def _database_fault(busy: StorageBusy) -> Fault:
    state = str(busy.members["state"])
    return Fault(state, f"The database accepts no writes. {ADVICE[state]}.")
