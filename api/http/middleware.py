"""
A request and its answer as operations see them: WSGI, read as far as needed.

Flask's contexts and header objects cost more than most operations do, so that
operations are answered in front of Flask, which answers all else.
"""

import re
import secrets
from collections.abc import Callable, Iterable
from http import HTTPStatus
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl

from werkzeug.datastructures import MultiDict

from models.response_headers import DEFAULT_HEADERS

Environ = dict[str, Any]
Start = Callable[[str, list[tuple[str, str]]], Any]
Application = Callable[[Environ, Any], Iterable[bytes]]

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
ANSWERED = tuple(DEFAULT_HEADERS.items())
STATUS = {each.value: f"{each.value} {each.phrase}" for each in HTTPStatus}


class SentHeaders:
    """Headers by name, whatever the case; None where one was not sent."""

    __slots__ = ("_environ",)

    def __init__(self, environ: Environ) -> None:
        self._environ = environ

    def get(self, name: str) -> str | None:
        found: str | None = self._environ.get("HTTP_" + name.upper().replace("-", "_"))
        return found


class Request:
    """
    What was sent; the body is read when it is asked for.

    `key` is the prefix of the key that asked, once it is known.
    """

    __slots__ = ("environ", "headers", "id", "key", "path", "started")

    def __init__(self, environ: Environ) -> None:
        self.started = perf_counter()
        self.environ = environ
        self.headers = SentHeaders(environ)
        self.key: str | None = None
        self.path: str = environ["PATH_INFO"]
        self.id = request_id_of(environ.get("HTTP_X_REQUEST_ID"))

    @property
    def length(self) -> int:
        """How many bytes the body has."""
        said = self.environ.get("CONTENT_LENGTH") or "0"
        return int(said) if said.isdecimal() else 0

    def body(self) -> bytes:
        length = self.length
        return self.environ["wsgi.input"].read(length) if length else b""

    @property
    def media_type(self) -> str:
        said: str = self.environ.get("CONTENT_TYPE") or ""
        return said.partition(";")[0].strip().lower()

    @property
    def query_string(self) -> str:
        return str(self.environ.get("QUERY_STRING") or "")

    @property
    def query(self) -> MultiDict[str, str]:
        return MultiDict(parse_qsl(self.query_string, keep_blank_values=True))


class Response:
    """What goes back: a status, a body and what its headers say."""

    __slots__ = ("body", "headers", "status")

    def __init__(
        self, body: bytes, status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        self.body = body
        self.status = status
        self.headers = {} if headers is None else headers


View = Callable[[Request], Response]
# Told of each answered request: the operation's name, if it is one, and the status.
Note = Callable[[Request, str | None, int], None]


class OperationMiddleware:
    """
    Answers what is asked of an operation, and hands on everything else.

    `views` has the operations by path and method; an operation's path with
    another method goes to `wrong_method`.
    """

    def __init__(
        self,
        views: dict[str, dict[str, tuple[str, View]]],
        wrong_method: Callable[[Request, Iterable[str]], Response],
        rest: Application,
        note: Note,
    ) -> None:
        self._views = views
        self._wrong_method = wrong_method
        self._rest = rest
        self._note = note

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        views = self._views.get(environ["PATH_INFO"])
        if views is None:
            return self._rest(environ, start)
        request = Request(environ)
        name, view = views.get(environ["REQUEST_METHOD"], (None, None))
        answer = view(request) if view else self._wrong_method(request, views)
        self._note(request, name, answer.status)
        headers = answer.headers
        headers["X-Request-Id"] = request.id
        if answer.status != HTTPStatus.NOT_MODIFIED:
            headers["Content-Length"] = str(len(answer.body))
        start(STATUS[answer.status], [*headers.items(), *ANSWERED])
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [answer.body]


def request_id_of(sent: str | None) -> str:
    """Return the caller's own request id, or make one."""
    return sent if sent and REQUEST_ID.fullmatch(sent) else secrets.token_hex(16)
