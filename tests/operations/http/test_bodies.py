"""How much of a body is read, and what the server itself rejects."""

import http.client
import json
import logging
import socket
from contextlib import closing

import pytest

from api.http.server import limits
from tests.conftest import ROUTES
from tests.operations.http.test_load import wait_until
from tests.ports import served

ADD = ROUTES["POST /status/v1/admin/services/add"]
BUNDLE = ROUTES["POST /projects/v1/admin/projects/import"]
KEYLESS = limits.KEYLESS_BODY_BYTES


@pytest.fixture
def port(app):
    with served(app, threads=2) as found:
        yield found


@pytest.fixture
def connect(port):
    with closing(socket.create_connection(("127.0.0.1", port), 10)) as client:
        yield client


@pytest.fixture
def post(port):
    """Send a body of this size, whole or in chunks, and return the response."""
    clients = []

    def sent(operation, size, key=None, *, is_chunked=False, path=None):
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        clients.append(client)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        parts = [b" " * 8192] * (size // 8192) + [b" " * (size % 8192)]
        headers |= {} if is_chunked else {"Content-Length": str(size)}
        client.request("POST", path or operation.path, iter(parts), headers)
        answer = client.getresponse()
        return answer, json.loads(answer.read())

    yield sent
    for client in clients:
        client.close()


def start(client, operation, size, key, *more):
    """Send the header of a request whose body follows later."""
    lines = [
        f"POST {operation.path} HTTP/1.1",
        "Host: x",
        f"Authorization: Bearer {key}",
        f"Content-Length: {size}",
        *more,
    ]
    client.sendall("\r\n".join([*lines, "", ""]).encode())


WRONG_KEYS = [None, "mh_0", "mh_" + "a" * 58]


@pytest.mark.parametrize("is_chunked", [False, True], ids=["whole", "chunked"])
@pytest.mark.parametrize("key", WRONG_KEYS, ids=["none", "short", "unknown"])
def test_body_without_a_key(post, key, is_chunked):
    """
    Without a valid key 64 KiB are read; a longer body is rejected while it is still
    being sent, and the connection is closed.
    """
    within, problem = post(ADD, KEYLESS, key, is_chunked=is_chunked)
    assert within.status == 401

    beyond, problem = post(ADD, 4 * KEYLESS, key, is_chunked=is_chunked)
    assert beyond.status == 413
    assert beyond.headers["Connection"] == "close"
    assert problem["limitBytes"] == KEYLESS


@pytest.mark.parametrize("is_chunked", [False, True], ids=["whole", "chunked"])
def test_body_with_a_key(post, issue, is_chunked):
    """
    With a valid key, a body may be as long as the operation allows, and no longer.
    """
    key, limit = issue("*"), ADD.max_body_bytes

    within, _ = post(ADD, limit, key, is_chunked=is_chunked)
    beyond, problem = post(ADD, limit + KEYLESS, key, is_chunked=is_chunked)

    assert within.status == 400
    assert (beyond.status, problem["limitBytes"]) == (413, limit)


def test_body_for_what_the_key_may_not_do(post, issue):
    """A key without the scope is rejected before its body is read."""
    answer, problem = post(BUNDLE, 10 * limits.MIB, issue("status:*"))

    assert answer.status == 403
    assert problem["requiredScope"] == BUNDLE.scope


def test_body_for_no_operation(post, issue):
    """A key does not raise the limit of an address that takes no body."""
    answer, problem = post(ADD, 2 * KEYLESS, issue("*"), path="/status/")

    assert (answer.status, problem["limitBytes"]) == (413, KEYLESS)


def test_body_that_waits_to_be_asked_for(connect, issue):
    """100 Continue is sent once the body is admitted, and not before."""
    start(connect, BUNDLE, 2 * KEYLESS, issue("*"), "Expect: 100-continue")

    assert connect.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
    connect.sendall(b" " * 2 * KEYLESS)
    assert connect.recv(1000).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("header", ["", "Content-Length: 0\r\n"])
def test_no_body_to_wait_for(connect, header):
    """A request without a body gets its response, although it expects 100 Continue."""
    expecting = f"GET /healthz HTTP/1.1\r\nHost: x\r\n{header}Expect: 100-continue\r\n"
    last = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    connect.sendall(f"{expecting}\r\n{last}".encode())

    with connect.makefile("rb") as responses:
        lines = responses.read().split(b"\r\n")
    statuses = [line for line in lines if b"HTTP/1.1" in line]
    assert len(statuses) == 2
    assert b"HTTP/1.1 100 Continue" not in statuses


def test_body_that_is_not_asked_for(connect):
    """
    A client that waits for 100 Continue without a valid key gets only the rejection.
    """
    start(connect, BUNDLE, 2 * KEYLESS, "mh_0", "Expect: 100-continue")

    assert connect.recv(1000).startswith(b"HTTP/1.1 413 ")


def test_bodies_together(post, connect, issue, monkeypatch):
    """The total size of large bodies is limited, and one caller may use half of it."""
    key, other, size = issue("*"), issue("*"), 3 * KEYLESS
    monkeypatch.setattr(limits, "MAX_SPOOLED_BYTES", 3 * size)
    start(connect, ADD, size, key, "Expect: 100-continue")
    assert connect.recv(1000).startswith(b"HTTP/1.1 100 ")

    busy, problem = post(ADD, size, key)
    admitted, _ = post(ADD, size, other)

    assert (busy.status, busy.headers["Retry-After"]) == (503, "2")
    assert problem["type"].endswith("/server-busy/")
    assert admitted.status == 400
    connect.sendall(b" " * size)
    assert connect.recv(1000).startswith(b"HTTP/1.1 400 ")
    # The first body is released just after its response.
    wait_until(lambda: post(ADD, size, key)[0].status == 400)


def test_body_that_breaks_off(post, connect, issue, monkeypatch):
    """A body whose client has disconnected makes room for others."""
    key, size = issue("*"), 3 * KEYLESS
    monkeypatch.setattr(limits, "MAX_SPOOLED_BYTES", 2 * size)
    start(connect, ADD, size, key, "Expect: 100-continue")
    assert connect.recv(1000).startswith(b"HTTP/1.1 100 ")

    connect.shutdown(socket.SHUT_RDWR)

    wait_until(lambda: post(ADD, size, key)[0].status == 400)


MALFORMED = {
    "no request": (b"Hello.\r\n\r\n", "malformed-request"),
    "header": (b"GET / HTTP/1.1\r\nX\r\n\r\n", "malformed-request"),
    "chunk": (
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n\r\n",
        "malformed-request",
    ),
    "endless chunk": (
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * 40_000,
        "malformed-request",
    ),
    "encoding": (
        b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
        "transfer-encoding-unsupported",
    ),
    "long header": (
        b"GET /status/ HTTP/1.1\r\nX: " + b"a" * limits.MAX_HEADER_BYTES,
        "headers-too-large",
    ),
    "long number": (
        b"POST / HTTP/1.1\r\nContent-Length: " + b"9" * 99 + b"\r\n\r\n",
        "payload-too-large",
    ),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_refusal_by_the_server(connect, case, caplog):
    """What the server rejects by itself is a problem with an id, and is logged."""
    caplog.set_level(logging.INFO)
    request, kind = MALFORMED[case]

    connect.sendall(request)
    answer = http.client.HTTPResponse(connect)
    answer.begin()
    problem = json.loads(answer.read())

    assert answer.headers["Content-Type"] == "application/problem+json"
    assert problem["type"].endswith(f"/{kind}/")
    assert problem["status"] == answer.status
    assert problem["requestId"] == answer.headers["X-Request-Id"]
    (line,) = [str(r.msg) for r in caplog.records if r.name == "masthead.requests"]
    assert f"status={answer.status}" in line
    assert f"request={problem['requestId']}" in line
