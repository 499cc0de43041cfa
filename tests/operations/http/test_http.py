"""HTTP itself: addresses, methods, headers and log lines."""

import logging
import re

import pytest

from api.operation import OPERATIONS
from models.platform.keys import KeyRow
from tests.conftest import ROUTES

LIST = ROUTES["GET /platform/v1/keys/list"]
LINE = re.compile(
    r"operation=\S+( method=[A-Z]+ path=\S+)? status=\d{3} ms=\d+\.\d"
    r"( key=mh_\w{8})? request=[A-Za-z0-9._-]{1,64}"
)


@pytest.fixture
def lines(caplog):
    caplog.set_level(logging.INFO, "masthead.requests")
    return lambda: [r.getMessage() for r in caplog.records if r.levelname == "INFO"]


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS"])
@pytest.mark.parametrize(
    "path",
    [
        *("/platform/v1/nothing", "/platform/v1/", "/status/v2/x", "/x/%ff%00"),
        *("//platform/v1/keys/list", "/platform//v1/keys/list"),
        "/platform/v1/keys/list/",
    ],
)
def test_unknown_address(method, path, app, refusal):
    """An unknown address is a 404 problem, never a redirect."""
    response = app.test_client().open(path, method=method)

    assert response.status_code == 404
    refusal(response, "not-found")


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.route)
def test_wrong_method(operation, app, refusal):
    """The methods of an address are in Allow."""
    wrong = {"POST", "PUT", "PATCH", "DELETE", "OPTIONS"} - {operation.method}
    if operation.method == "POST":
        wrong |= {"GET"}
    for method in sorted(wrong):
        response = app.test_client().open(operation.path, method=method)

        assert response.status_code == 405
        assert operation.method in response.headers["Allow"]
        refusal(response, "method-not-allowed")


def test_instance_is_the_path(app):
    """The `instance` of a problem is the path without its query."""
    response = app.test_client().get("/platform/v1/keys/list?secret=1")

    assert response.json["instance"] == "/platform/v1/keys/list"
    assert response.headers["Cache-Control"] == "no-store"


def test_mistake_of_ours(send, issue, caplog, refusal):
    """A 500 has the rate and reveals nothing internal; the log has the whole error."""
    issue("a")
    KeyRow.update(scopes="no list").execute()

    response = send(LIST, issue("*"))

    assert response.status_code == 500
    assert "JSON" not in response.text
    assert "RateLimit" in response.headers
    assert refusal(response, "internal-error")["requestId"] in caplog.text
    assert "JSONDecodeError" in caplog.text


def test_one_line_for_each_request(send, issue, lines):
    """An operation is logged once: name, status, time, key and request id."""
    key = issue("*")

    send(LIST, key, headers={"X-Request-Id": "trace-1"})

    (line,) = lines()
    assert LINE.fullmatch(line)
    assert line.startswith("operation=platform:keys:list status=200 ")
    assert line.endswith(f" key={key[:11]} request=trace-1")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/no/where?q=hidden", "/no/where"),
        ("/a%0Ab status=200", "/a%0Ab%20status%3D200"),
        ("/%c3%a9%e2%80%a8x", "/%C3%A9%E2%80%A8x"),
    ],
)
def test_line_for_an_unknown_address(path, expected, app, lines):
    """An unknown address is logged too: its path, on one line, without its query."""
    app.test_client().get(path)

    (line,) = lines()
    assert LINE.fullmatch(line)
    assert f"operation=unknown method=GET path={expected} status=404" in line


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/openapi.json"])
def test_what_needs_no_key(path, app, lines):
    """Health and OpenAPI document need no key, have a request id and are logged."""
    response = app.test_client().get(path)

    assert response.status_code == 200
    assert response.headers["X-Request-Id"] in lines()[0]


def test_log_tells_no_secrets(send, issue, lines, caplog):
    """Keys, bodies and Idempotency-Keys are not logged."""
    add = ROUTES["POST /platform/v1/keys/add"]
    key = issue("*")
    body = {"name": "hidden name", "scopes": ["a"]}
    headers = {"Idempotency-Key": "hidden-text"}

    secret = send(add, key, json=body, headers=headers).json["data"]["secret"]
    send(add, key, json=body | {"name": "hidden\x00"}, headers=headers)

    assert len(lines()) == 2
    for text in (key, secret, "hidden"):
        assert text not in caplog.text


@pytest.mark.parametrize("name", ["Accept", "User-Agent", "Cookie", "X-Other"])
def test_foreign_headers_do_no_harm(name, send, issue):
    """Headers that we do not read may have any content."""
    response = send(LIST, issue("*"), headers={name: "é\xff, ünd mehr"})

    assert response.status_code == 200
