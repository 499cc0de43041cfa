"""Is it alive, is it ready: for whoever restarts processes or routes traffic."""

from collections.abc import Callable
from typing import Any

from flask import Flask, Response, jsonify

from models.database import writing
from models.errors import StorageBusy

# What the builder says of itself: nothing when all is well.
Troubles = Callable[[], list[str]]


def register_health(app: Flask, troubles: Troubles) -> None:
    @app.get("/healthz", endpoint="healthz", provide_automatic_options=False)
    def alive() -> Response:
        return jsonify(status="ok")

    @app.get("/readyz", endpoint="readyz", provide_automatic_options=False)
    def ready() -> tuple[Response, int]:
        found = _storage_troubles() + troubles()
        answer: dict[str, Any] = {"status": "not ready" if found else "ready"}
        return jsonify(answer | {"troubles": found}), 503 if found else 200


def _storage_troubles() -> list[str]:
    try:
        with writing():
            return []
    except StorageBusy:
        return ["The database takes no writes."]
