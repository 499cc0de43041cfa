"""
Represent HTTP requests and responses: what WSGI passes, parsed only as far as needed.

Flask's contexts and header objects cost more than most operations do, so operations
work with these classes instead.
"""

import re
from collections.abc import Iterable
from random import getrandbits
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl

from werkzeug.datastructures import MultiDict

Environ = dict[str, Any]

# The key in the WSGI environment of a refusal that the server has decided on.
REFUSAL = "masthead.refusal"

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)


class RequestHeaders:
    """The headers of a request, by name in any case; None for a missing one."""

    __slots__ = ("_environ",)

    def __init__(self, environ: Environ) -> None:
        self._environ = environ

    def get(self, name: str) -> str | None:
        value: str | None = self._environ.get("HTTP_" + name.upper().replace("-", "_"))
        return value


class Request:
    """
    A request, with what the access log says about it.

    `operation` is the name of the operation or of Flask's endpoint, `key_prefix` that
    of the API key, and `caller` identifies who uses the key, and replacements of it.
    All are None until they are known.
    """

    __slots__ = (
        "caller",
        "environ",
        "headers",
        "id",
        "key_prefix",
        "method",
        "operation",
        "path",
        "started_at",
    )

    def __init__(self, environ: Environ) -> None:
        self.started_at = perf_counter()
        self.environ = environ
        self.headers = RequestHeaders(environ)
        self.operation: str | None = None
        self.key_prefix: str | None = None
        self.caller: str | None = None
        self.method: str = environ["REQUEST_METHOD"]
        self.path: str = environ["PATH_INFO"]
        self.id = _request_id(environ.get("HTTP_X_REQUEST_ID"))

    @property
    def client_address(self) -> str:
        """The address of the connection: behind a reverse proxy, that of the proxy."""
        return str(self.environ.get("REMOTE_ADDR") or "")

    @property
    def content_length(self) -> int:
        """The length of the body in bytes."""
        header = self.environ.get("CONTENT_LENGTH") or "0"
        return int(header) if header.isdecimal() else 0

    def read_body(self) -> bytes:
        length = self.content_length
        return self.environ["wsgi.input"].read(length) if length else b""

    @property
    def media_type(self) -> str:
        header: str = self.environ.get("CONTENT_TYPE") or ""
        return header.partition(";")[0].strip().lower()

    @property
    def query_string(self) -> str:
        return str(self.environ.get("QUERY_STRING") or "")

    @property
    def query(self) -> MultiDict[str, str]:
        return MultiDict(parse_qsl(self.query_string, keep_blank_values=True))


class Response:
    """A response: its body, status and headers."""

    __slots__ = ("body", "headers", "status")

    def __init__(
        self, body: bytes, status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        self.body = body
        self.status = status
        self.headers = {} if headers is None else headers

    @property
    def content_length(self) -> int:
        return len(self.body)

    def chunks(self, environ: Environ) -> Iterable[bytes]:  # noqa: ARG002
        """Return the body as WSGI sends it."""
        return [self.body]

    def close(self) -> None:
        """Free what the body occupies, if it will not be sent."""


def _request_id(header: str | None) -> str:
    """Return the client's X-Request-Id if it is valid, else a new id."""
    if header and REQUEST_ID.fullmatch(header):
        return header
    # An id is no secret. The random numbers of the operating system would let another
    # thread have its turn in each request. Python seeds these anew after a fork.
    return f"{getrandbits(128):032x}"
