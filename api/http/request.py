"""
Represent requests as WSGI passes them, parsed only as far as needed.

Flask's contexts cost more than most operations do, so operations work with these
classes instead.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import getrandbits
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl

from werkzeug.datastructures import (
    EnvironHeaders,
    Headers,
    ImmutableMultiDict,
    MultiDict,
)

from api.operation import UploadedBody

Environ = dict[str, Any]
# By name, which within this process is spelled as in the standards.
RequestHeaders = Headers | Mapping[str, str]

# The key in the WSGI environment of a refusal that the server has decided on.
REFUSAL = "masthead.refusal"

NO_QUERY: MultiDict[str, str] = ImmutableMultiDict()
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)


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
        self.headers = EnvironHeaders(environ)
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

    @property
    def media_type(self) -> str:
        header: str = self.environ.get("CONTENT_TYPE") or ""
        return header.partition(";")[0].strip().lower()

    @property
    def query_string(self) -> str:
        return str(self.environ.get("QUERY_STRING") or "")

    @property
    def query(self) -> MultiDict[str, str]:
        if not self.query_string:
            return NO_QUERY
        return MultiDict(parse_qsl(self.query_string, keep_blank_values=True))


@dataclass(slots=True)
class OperationRequest:
    """
    What an authenticated caller asks of an operation, over HTTP or in this process.

    Query and body are not parsed: what is wrong with them is said to those who may call
    the operation.
    """

    id: str
    headers: RequestHeaders
    query: MultiDict[str, str]
    body: bytes | UploadedBody
    media_type: str


def _request_id(header: str | None) -> str:
    """Return the client's X-Request-Id if it is valid, else a new id."""
    if header and REQUEST_ID.fullmatch(header):
        return header
    # An id is no secret. The random numbers of the operating system would let another
    # thread have its turn in each request. Python seeds these anew after a fork.
    return f"{getrandbits(128):032x}"
