"""One line in the log for each request, and its id in the answer."""

import logging
import re
import secrets
import time
from urllib.parse import quote

from flask import Flask, Response, g, request

log = logging.getLogger("masthead.requests")

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)


def register_access(app: Flask) -> None:
    """Note what Flask answers; operations are noted by the front."""

    @app.before_request
    def begin() -> None:
        g.request_id = request_id_of(request.headers.get("X-Request-Id"))
        g.started = time.perf_counter()

    @app.after_request
    def end(response: Response) -> Response:
        response.headers["X-Request-Id"] = g.request_id
        note(None, request.path, response.status_code, g.started, g.request_id)
        return response


def request_id_of(sent: str | None) -> str:
    """Return the caller's own request id, or make one."""
    return sent if sent and REQUEST_ID.fullmatch(sent) else secrets.token_hex(16)


def note(
    operation: str | None, path: str, status: int, started: float, request_id: str
) -> None:
    """Name the operation; what is none by its path, on one line and cut short."""
    if log.isEnabledFor(logging.INFO):
        asked = operation or f"none path={quote(path[:100], safe='/')}"
        spent = (time.perf_counter() - started) * 1000
        log.info(
            "operation=%s status=%d ms=%.1f request=%s",
            asked,
            status,
            spent,
            request_id,
        )
