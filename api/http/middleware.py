"""
Wrap the Flask application in WSGI middleware.

RequestMiddleware is the outermost layer: it gives every response its request id and
security headers and writes the access log. OperationMiddleware handles the operations
of the API and leaves every other path to Flask.

CSP and CORS are decided in models/response_headers.py, for responses and files alike.
"""

import logging
from collections.abc import Callable, Iterable
from functools import partial
from http import HTTPStatus
from time import perf_counter
from typing import Any
from urllib.parse import quote

from api.http.dispatch import Dispatcher, Routes
from api.http.metrics import ProcessCounts
from api.http.request import REFUSAL, Environ, Request
from models.errors import Refusal
from models.logs import LogLine
from models.notifications.subscriptions.links import SUBSCRIBE
from models.response_headers import DEFAULT_HEADERS

StartResponse = Callable[..., Any]
WSGIApp = Callable[[Environ, StartResponse], Iterable[bytes]]

# The key of the Request in the WSGI environment.
REQUEST = "masthead.request"
# The headers of every response that does not set them itself.
RESPONSE_DEFAULTS = (*DEFAULT_HEADERS.items(), ("Cache-Control", "no-store"))
STATUS_LINES = {s.value: f"{s.value} {s.phrase}" for s in HTTPStatus}
# The names in the log of requests for files of the site, and for any other path.
SITE, UNKNOWN = "site", "unknown"
MAX_PATH_LENGTH = 100
MAX_METHOD_LENGTH = 20

log = logging.getLogger("masthead.requests")


class RequestMiddleware:
    """Assign a request id, add the default headers, and log each response."""

    def __init__(self, app: WSGIApp, counts: ProcessCounts) -> None:
        self._app = app
        self._counts = counts

    def __call__(
        self, environ: Environ, start_response: StartResponse
    ) -> Iterable[bytes]:
        environ[REQUEST] = request = Request(environ)
        return self._app(environ, partial(self._start, request, start_response))

    def _start(
        self,
        request: Request,
        start_response: StartResponse,
        status: str,
        headers: list[tuple[str, str]],
        exc_info: Any = None,
    ) -> Any:
        """Stand in for the server's start_response, which is called with the rest."""
        self._log(request, int(status[:3]))
        present = dict(headers)
        headers.append(("X-Request-Id", request.id))
        for header in RESPONSE_DEFAULTS:
            if header[0] not in present:
                headers.append(header)
        return start_response(status, headers, exc_info)

    def _log(self, request: Request, status: int) -> None:
        """Log and count a response; method and path only if it has no operation."""
        seconds = perf_counter() - request.started_at
        operation = request.operation or (SITE if status < 400 else UNKNOWN)
        self._counts.record_response(operation, status, seconds)
        if not log.isEnabledFor(logging.INFO):
            return
        method = path = None
        if request.operation is None:
            method = request.method[:MAX_METHOD_LENGTH]
            # WSGI passes the bytes of a path decoded as Latin-1.
            shown = without_token(request.path)[:MAX_PATH_LENGTH]
            path = quote(shown, safe="/", encoding="latin-1")
        line = LogLine(
            operation=operation,
            method=method,
            path=path,
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


class OperationMiddleware:
    """
    Handle requests for operations, and pass all others on to `app`.

    The dispatcher refuses a request for a known path with another method, and one that
    the server has refused.
    """

    def __init__(self, app: WSGIApp, routes: Routes, dispatcher: Dispatcher) -> None:
        self._app = app
        self._routes = routes
        self._dispatcher = dispatcher

    def __call__(
        self, environ: Environ, start_response: StartResponse
    ) -> Iterable[bytes]:
        methods = self._routes.get(environ["PATH_INFO"])
        refusal: Refusal | None = environ.get(REFUSAL)
        if methods is None and refusal is None:
            return self._app(environ, start_response)
        methods = methods or {}
        request: Request = environ[REQUEST]
        request.operation, view = methods.get(request.method, (None, None))
        if refusal is not None:
            response = self._dispatcher.refuse(refusal, request)
        elif view is not None:
            response = view(request)
        else:
            response = self._dispatcher.wrong_method(request, methods)
        headers = list(response.headers.items())
        if response.status != HTTPStatus.NOT_MODIFIED:
            headers.append(("Content-Length", str(response.content_length)))
        start_response(STATUS_LINES[response.status], headers)
        if request.method == "HEAD":
            response.close()
            return []
        return response.chunks(environ)
