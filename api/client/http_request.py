"""
Send one HTTP request with limits on time and size, without following redirects.

Also: to which URLs, and how long a server asks its clients to wait.
"""

import socket
import ssl
from collections.abc import Callable, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cache, partial
from http.client import HTTPException
from typing import NamedTuple
from urllib.parse import urlsplit

from urllib3 import HTTPHeaderDict, HTTPResponse
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError
from urllib3.util import Url, parse_url

from api.client.deadline import Deadline
from models.errors import ValidationFailed

DEFAULT_HEADERS = {"User-Agent": "masthead-probe", "Accept": "*/*"}
# What the network, the server or the URL can cause; a host such as a..b raises a
# UnicodeError.
REQUEST_ERRORS = (OSError, HTTPError, HTTPException, UnicodeError)
_CHUNK_BYTES = 65_536
# Plain HTTP is allowed only where no network is involved.
LOCAL_HOSTS = {"127.0.0.1", "::1", "localhost"}

# Returns a connection to a host and port.
Connect = Callable[[str, int], socket.socket]


class HttpRequest(NamedTuple):
    """A request; no more than `max_body_bytes` of the response body are read."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = {}
    body: bytes | None = None
    max_body_bytes: int = 1 << 20
    ca_file: str | None = None


class HttpResponse(NamedTuple):
    """A response; over HTTPS with the expiry of the certificate, in Unix time."""

    status: int
    headers: HTTPHeaderDict
    body: bytes
    location: str | None = None
    certificate_expires_at: int | None = None


def send_request(
    request: HttpRequest,
    deadline: Deadline,
    connect: Connect | None = None,
    before_sending: Callable[[], None] = lambda: None,
) -> HttpResponse:
    """
    Send the request over a new connection, so that connecting is checked too.

    `connect` may choose the address; the certificate must be that of the URL's host.
    Nothing of the request is sent before `before_sending` is called.
    """
    url, headers = parse_url(request.url), HTTPHeaderDict(DEFAULT_HEADERS)
    headers.update(request.headers)
    connection = _connection(url, request.ca_file, connect or deadline.connect)
    try:
        connection.connect()
        certificate_expires_at = _certificate_expiry(connection)
        before_sending()
        connection.request(
            request.method,
            url.request_uri,
            body=request.body,
            headers=headers,
            preload_content=False,
        )
        response = connection.getresponse()
        return HttpResponse(
            status=response.status,
            headers=response.headers,
            body=_read_body(response, request.max_body_bytes, deadline),
            location=response.get_redirect_location() or None,
            certificate_expires_at=certificate_expires_at,
        )
    finally:
        connection.close()


def _read_body(response: HTTPResponse, max_bytes: int, deadline: Deadline) -> bytes:
    chunks, size = [], 0
    with response:
        while size < max_bytes:
            chunk = response.read(min(_CHUNK_BYTES, max_bytes - size))
            if not chunk:
                break
            chunks.append(chunk)
            size += len(chunk)
    # A connection that the deadline has cut looks like the end of the body.
    deadline.seconds_left()
    return b"".join(chunks)


def _connection(url: Url, ca_file: str | None, connect: Connect) -> HTTPConnection:
    assert url.host
    host = url.host.strip("[]")
    connection: HTTPConnection
    if url.scheme == "http":
        connection = HTTPConnection(host, url.port or 80)
    else:
        ssl_context = _ssl_context(ca_file)
        connection = HTTPSConnection(host, url.port or 443, ssl_context=ssl_context)
    open_socket = partial(connect, host, connection.port)
    connection._new_conn = open_socket  # type: ignore[method-assign]
    return connection


@cache
def _ssl_context(ca_file: str | None) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=ca_file)


def _certificate_expiry(connection: HTTPConnection) -> int | None:
    if not isinstance(connection.sock, ssl.SSLSocket):
        return None
    certificate = connection.sock.getpeercert()
    return (
        ssl.cert_time_to_seconds(str(certificate["notAfter"])) if certificate else None
    )


def retry_after_seconds(header: str, now: datetime, max_seconds: float) -> float:
    """Parse a Retry-After header: seconds or a date, and 0 for anything else."""
    if header.isascii() and header.isdigit():
        return min(float(header), max_seconds)
    try:
        seconds = (parsedate_to_datetime(header) - now).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return 0
    return min(max(seconds, 0), max_seconds)


def require_safe_url(url: str, noun: str) -> None:
    """Raise ValidationFailed unless it is the base URL of a server, over HTTPS."""
    if "://" not in url:
        scheme = "http" if _host(f"//{url}") in LOCAL_HOSTS else "https"
        raise ValidationFailed(f"{url} has no scheme: write {scheme}://{url}.")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ValidationFailed(f"{url} is not a valid URL.") from None
    if not host or parts.username is not None or parts.query or parts.fragment:
        raise ValidationFailed(f"{url} is not the base URL of a {noun}.")
    is_local = parts.scheme == "http" and host in LOCAL_HOSTS
    if parts.scheme != "https" and not is_local:
        raise ValidationFailed(f"{url} must begin with https://.")


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None
