"""One question over HTTP, bounded in time and bytes, that follows no redirect."""

import socket
import ssl
from collections.abc import Mapping
from functools import cache
from http.client import HTTPException
from typing import NamedTuple

from urllib3 import HTTPHeaderDict, HTTPResponse
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError
from urllib3.util import Url, parse_url

from api.client.deadline import Deadline

AGENT = {"User-Agent": "masthead-probe", "Accept": "*/*"}
# What a network, a server or a name can do to us; a host such as a..b is no name.
FAILURES = (OSError, HTTPError, HTTPException, UnicodeError)
_PART = 65_536


class Question(NamedTuple):
    """What is asked; of the answer's body at most so many bytes are read."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = {}
    body: bytes | None = None
    most: int = 1 << 20
    ca_file: str | None = None


class Response(NamedTuple):
    """What came; of HTTPS also until when the certificate holds, in Unix time."""

    status: int
    headers: HTTPHeaderDict
    body: bytes
    location: str | None = None
    holds_until: int | None = None


def ask(question: Question, deadline: Deadline) -> Response:
    """Ask on a connection of its own, so that the way there is looked at too."""
    url = parse_url(question.url)
    connection = _connection(url, question.ca_file, deadline)
    try:
        connection.connect()
        holds_until = _holds_until(connection)
        connection.request(
            question.method,
            url.request_uri,
            body=question.body,
            headers=_headers(question.headers),
            preload_content=False,
        )
        answer = connection.getresponse()
        body = _body(answer, question.most, deadline)
        location = answer.get_redirect_location() or None
        return Response(answer.status, answer.headers, body, location, holds_until)
    finally:
        connection.close()


def _headers(given: Mapping[str, str]) -> HTTPHeaderDict:
    headers = HTTPHeaderDict(AGENT)
    for name, value in given.items():
        headers[name] = value
    return headers


def _body(answer: HTTPResponse, most: int, deadline: Deadline) -> bytes:
    parts, size = [], 0
    with answer:
        while size < most and (part := answer.read(min(_PART, most - size))):
            parts.append(part)
            size += len(part)
    # A connection that was cut looks like one that has said all.
    deadline.left()
    return b"".join(parts)


def _connection(url: Url, ca_file: str | None, deadline: Deadline) -> HTTPConnection:
    assert url.host
    host = url.host.strip("[]")
    made: _Plain | _Sealed
    if url.scheme == "http":
        made = _Plain(host, url.port or 80)
    else:
        made = _Sealed(host, url.port or 443, ssl_context=_trust(ca_file))
    made.deadline = deadline
    return made


class _Plain(HTTPConnection):
    deadline: Deadline

    def _new_conn(self) -> socket.socket:
        return self.deadline.connect(self.host, self.port)


class _Sealed(HTTPSConnection):
    deadline: Deadline

    def _new_conn(self) -> socket.socket:
        return self.deadline.connect(self.host, self.port)


@cache
def _trust(ca_file: str | None) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=ca_file)


def _holds_until(connection: HTTPConnection) -> int | None:
    if not isinstance(connection.sock, ssl.SSLSocket):
        return None
    certificate = connection.sock.getpeercert()
    return (
        ssl.cert_time_to_seconds(str(certificate["notAfter"])) if certificate else None
    )
