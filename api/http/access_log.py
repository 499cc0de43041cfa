"""One line in the log for each request, and its id in the answer."""

import logging
from time import perf_counter
from urllib.parse import quote

from flask import Flask, Response, g, request

from api.http.metrics import Metrics
from api.http.middleware import Request
from models.logs import LogLine
from models.response_headers import DEFAULT_HEADERS

# What Flask answers beside its own addresses; the second is whatever is none.
SITE, UNKNOWN = "site", "unknown"

# What an answer has that says nothing else.
DEFAULTS = {**DEFAULT_HEADERS, "Cache-Control": "no-store"}

log = logging.getLogger("masthead.requests")


class Access:
    """Notes each answer: in the log, and in what is counted."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def register(self, app: Flask) -> None:
        """Note what Flask answers; operations are noted by the front."""

        @app.before_request
        def begin() -> None:
            g.request = Request(request.environ)

        @app.after_request
        def end(response: Response) -> Response:
            response.headers["X-Request-Id"] = g.request.id
            for name, value in DEFAULTS.items():
                response.headers.setdefault(name, value)
            found = SITE if response.status_code < 400 else UNKNOWN
            self.note(g.request, request.endpoint or found, response.status_code)
            return response

    def note(self, request: Request, operation: str | None, status: int) -> None:
        """Name the operation; files and unknown addresses also by their path."""
        seconds, operation = perf_counter() - request.started, operation or UNKNOWN
        self._metrics.answered(operation, status, seconds)
        if not log.isEnabledFor(logging.INFO):
            return
        is_path = operation in (SITE, UNKNOWN)
        line = LogLine(
            operation=operation,
            method=request.environ["REQUEST_METHOD"][:20] if is_path else None,
            path=_told_path(request.path) if is_path else None,
            status=status,
            ms=seconds * 1000,
            key=request.key,
            request=request.id,
        )
        log.info(line)


def _told_path(path: str) -> str:
    # WSGI gives the bytes of a path as if they were Latin-1.
    return quote(path[:100], safe="/", encoding="latin-1")
