"""One line in the log for each request, and its id in the answer."""

import logging
import re
import time
import uuid
from urllib.parse import quote

from flask import Flask, Response, g, request

log = logging.getLogger("masthead.requests")

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)


def register_access(app: Flask) -> None:
    @app.before_request
    def begin() -> None:
        sent = request.headers.get("X-Request-Id", "")
        g.request_id = sent if REQUEST_ID.fullmatch(sent) else uuid.uuid4().hex
        g.started = time.perf_counter()

    @app.after_request
    def end(response: Response) -> Response:
        response.headers["X-Request-Id"] = g.request_id
        log.info(
            "%s status=%d ms=%.1f request=%s",
            _asked(),
            response.status_code,
            (time.perf_counter() - g.started) * 1000,
            g.request_id,
        )
        return response


def request_id() -> str:
    """Return the caller's own request id, or the one that was made for it."""
    return str(g.request_id)


def _asked() -> str:
    """Name the operation; what is none by its path, on one line and cut short."""
    if request.endpoint:
        return f"operation={request.endpoint}"
    return f"operation=none path={quote(request.path[:100], safe='/')}"
