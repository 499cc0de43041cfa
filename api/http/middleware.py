"""
Wrap the Flask application in WSGI middleware.

RequestMiddleware is the outermost layer: it gives every response its request id and
security headers and writes the access log. OperationMiddleware handles the operations
of the API and leaves every other path to Flask.

CSP and CORS are decided in models/response_headers.py, for responses and files alike.
"""

from collections.abc import Callable, Iterable
from functools import partial
from http import HTTPStatus
from typing import Any

from api.http.access_log import AccessLog
from api.http.messages import REFUSAL, Environ, Request, Response
from models.errors import Refusal
from models.response_headers import DEFAULT_HEADERS

StartResponse = Callable[..., Any]
WSGIApp = Callable[[Environ, StartResponse], Iterable[bytes]]
View = Callable[[Request], Response]

# The key of the Request in the WSGI environment.
REQUEST = "masthead.request"
# The headers of every response that does not set them itself.
RESPONSE_DEFAULTS = (*DEFAULT_HEADERS.items(), ("Cache-Control", "no-store"))
STATUS_LINES = {s.value: f"{s.value} {s.phrase}" for s in HTTPStatus}


class RequestMiddleware:
    """Assign a request id, add the default headers, and log each response."""

    def __init__(self, app: WSGIApp, access_log: AccessLog) -> None:
        self._app = app
        self._access_log = access_log

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
        self._access_log.record(request, int(status[:3]))
        present = dict(headers)
        headers.append(("X-Request-Id", request.id))
        for header in RESPONSE_DEFAULTS:
            if header[0] not in present:
                headers.append(header)
        return start_response(status, headers, exc_info)


class OperationMiddleware:
    """
    Handle requests for operations, and pass all others on to `app`.

    `views` maps path and method to the operation's name and view. A request for a
    known path with another method goes to `wrong_method`, and one that the server
    has refused to `refuse`.
    """

    def __init__(
        self,
        app: WSGIApp,
        views: dict[str, dict[str, tuple[str, View]]],
        wrong_method: Callable[[Request, Iterable[str]], Response],
        refuse: Callable[[Refusal, Request], Response],
    ) -> None:
        self._app = app
        self._views = views
        self._wrong_method = wrong_method
        self._refuse = refuse

    def __call__(
        self, environ: Environ, start_response: StartResponse
    ) -> Iterable[bytes]:
        methods = self._views.get(environ["PATH_INFO"])
        refusal: Refusal | None = environ.get(REFUSAL)
        if methods is None and refusal is None:
            return self._app(environ, start_response)
        methods = methods or {}
        request: Request = environ[REQUEST]
        request.operation, view = methods.get(request.method, (None, None))
        if refusal is not None:
            response = self._refuse(refusal, request)
        else:
            response = view(request) if view else self._wrong_method(request, methods)
        headers = list(response.headers.items())
        if response.status != HTTPStatus.NOT_MODIFIED:
            headers.append(("Content-Length", str(response.content_length)))
        start_response(STATUS_LINES[response.status], headers)
        if request.method == "HEAD":
            response.close()
            return []
        return response.chunks(environ)
