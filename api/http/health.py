"""Is it alive, is it ready: for whoever restarts processes or routes traffic."""

import time
from collections.abc import Callable
from threading import Lock
from typing import Any

from flask import Flask, Response, jsonify

from models.errors import StorageBusy
from models.instance import set_instance_value
from models.runtime.faults import Fault
from models.storage.database import writing

# What is wrong beside the database: nothing when all is well.
Troubles = Callable[[], list[Fault]]
# So often at most the database is written to only to learn whether it can be.
PROBE_SECONDS = 1.0


def register_health(app: Flask, troubles: Troubles) -> Troubles:
    """Return what is wrong with the service, database and all."""
    probe = _Probe()

    def wrong() -> list[Fault]:
        found = probe.faults()
        try:
            return found + troubles()
        except StorageBusy as busy:
            return found or [_fault(busy)]

    @app.get("/healthz", endpoint="healthz", provide_automatic_options=False)
    def alive() -> Response:
        return jsonify(status="ok")

    @app.get("/readyz", endpoint="readyz", provide_automatic_options=False)
    def ready() -> tuple[Response, int]:
        found = wrong()
        is_ready = all(each.is_harmless for each in found)
        answer: dict[str, Any] = {
            "status": "ready" if is_ready else "not ready",
            "states": sorted({each.state for each in found}),
            "troubles": [each.detail for each in found],
        }
        return jsonify(answer), 200 if is_ready else 503

    return wrong


class _Probe:
    """
    Writes a little, to learn whether the database can be written.

    A transaction without a write would begin on a full disk too. Who asks while
    another waits for the answer gets the last one.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._until = 0.0
        self._found: list[Fault] = []

    def faults(self) -> list[Fault]:
        if self._lock.acquire(blocking=False):
            try:
                if time.monotonic() >= self._until:
                    self._found = _storage_faults()
                    self._until = time.monotonic() + PROBE_SECONDS
            finally:
                self._lock.release()
        return self._found


def _storage_faults() -> list[Fault]:
    try:
        with writing():
            set_instance_value("probed", time.monotonic_ns())
    except StorageBusy as busy:
        return [_fault(busy)]
    return []


def _fault(busy: StorageBusy) -> Fault:
    return Fault(str(busy.members["state"]), "The database takes no writes.")
