"""Write one log line for each request, and count it in the metrics."""

import logging
from time import perf_counter
from urllib.parse import quote

from api.http.messages import Request
from api.http.metrics import Metrics
from models.logs import LogLine
from models.notifications.subscriptions.links import SUBSCRIBE

# The names in the log of requests for files of the site, and for any other path.
SITE, UNKNOWN = "site", "unknown"
MAX_PATH_LENGTH = 100
MAX_METHOD_LENGTH = 20

log = logging.getLogger("masthead.requests")


class AccessLog:
    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def record(self, request: Request, status: int) -> None:
        """Log and count a response; method and path only if it has no operation."""
        seconds = perf_counter() - request.started_at
        operation = request.operation or (SITE if status < 400 else UNKNOWN)
        self._metrics.record_response(operation, status, seconds)
        if not log.isEnabledFor(logging.INFO):
            return
        has_name = request.operation is not None
        line = LogLine(
            operation=operation,
            method=None if has_name else request.method[:MAX_METHOD_LENGTH],
            path=None if has_name else _quote_path(without_token(request.path)),
            status=status,
            ms=seconds * 1000,
            key=request.key_prefix,
            request=request.id,
        )
        log.info(line)


def without_token(path: str) -> str:
    """Return the path without what may be the token of a subscription."""
    beginning = f"{SUBSCRIBE}/"
    return beginning if path.startswith(beginning) else path


def _quote_path(path: str) -> str:
    # WSGI passes the bytes of a path decoded as Latin-1.
    return quote(path[:MAX_PATH_LENGTH], safe="/", encoding="latin-1")
