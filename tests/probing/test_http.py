"""Targets over HTTP that answer, hang, lie and die."""

import time

import pytest

from tests.probing.conftest import answer


def test_answer_as_expected(serve, check):
    """An expected status makes the service operational, with its response time."""
    status, why, ms = check("http", f'url = "http://{serve(answer(204))}/health"')

    assert (status, why) == ("operational", None)
    assert ms >= 0


@pytest.mark.parametrize(
    ("status_code", "expected", "status"),
    [
        (503, '["200-299"]', "down"),
        (199, '["200-299"]', "down"),
        (299, '["200-299"]', "operational"),
        (300, '["200-299"]', "down"),
        (401, '[401, "200-204"]', "operational"),
        (203, '[401, "200-204"]', "operational"),
    ],
)
def test_status(serve, check, status_code, expected, status):
    """A status counts when it is one of those named or lies in a range of them."""
    address = serve(answer(status_code))

    result = check("http", f'url = "http://{address}/"', f"status = {expected}")

    assert result[0] == status


def test_wrong_status_says_which(serve, check):
    """A wrong status is reported, with its response time."""
    status, why, ms = check("http", f'url = "http://{serve(answer(503))}/"')

    assert (status, why) == ("down", "answered 503 instead of 200-299")
    assert ms is not None


@pytest.mark.parametrize(
    ("text", "status"), [("is well", "operational"), ("é", "down")]
)
def test_text(serve, check, text, status):
    """The text must be in the body, because a good status alone may be wrong."""
    address = serve(answer())

    result = check("http", f'url = "http://{address}/"', f'contains = "{text}"')

    assert result[0] == status


def test_text_past_the_limit(serve, check):
    """At most max_bytes are read, so a later text is not found."""
    address = serve(answer(body="x" * 100 + "end"))
    options = (f'url = "http://{address}/"', 'contains = "end"')

    assert check("http", *options, "max_bytes = 102")[0] == "down"
    assert check("http", *options, "max_bytes = 103")[0] == "operational"


def test_endless_body(serve, check):
    """An endless body is read up to max_bytes, and that part is checked."""

    def stream_forever(connection, request):
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            connection.sendall(b"well " * 10_000)

    result = check(
        "http", f'url = "http://{serve(stream_forever)}/"', 'contains = "well"'
    )

    assert result[0] == "operational"


def test_silence(serve, check, shutdown):
    """
    A server that accepts the connection and stays silent is down after the timeout.
    """
    address = serve(lambda connection, request: shutdown.wait(5))

    result = check("http", f'url = "http://{address}/"', "timeout_seconds = 0.2")

    assert result == ("down", "no answer within 0.2 s", None)


@pytest.mark.parametrize("head", ["", "HTTP/1.1 200 OK\r\n\r\n"])
def test_slow_bytes(serve, check, shutdown, head):
    """The time limit is for the whole: a byte now and then does not buy more."""

    def send_slowly(connection, request):
        connection.sendall(head.encode())
        # Not for ever, so that a check without a limit ends, too late.
        for _ in range(1200):
            if shutdown.wait(0.05):
                return
            connection.sendall(b"H")

    started = time.monotonic()
    result = check(
        "http", f'url = "http://{serve(send_slowly)}/"', "timeout_seconds = 0.3"
    )

    assert result == ("down", "no answer within 0.3 s", None)
    assert time.monotonic() - started < 30


@pytest.mark.parametrize(
    "response",
    [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\ncut", b"SSH-2.0-liar\r\n"],
)
def test_death_within_the_answer(serve, check, response):
    """A truncated or malformed response is no response."""
    address = serve(lambda connection, request: connection.sendall(response))

    status, why, ms = check("http", f'url = "http://{address}/"')

    assert (status, ms) == ("down", None)
    assert why


def test_nobody_there(check):
    """A closed port is down, with the reason."""
    result = check("http", 'url = "http://127.0.0.1:1/"')

    assert result == ("down", "connection refused", None)


def test_name_that_is_none(check):
    """An invalid host name is a problem of the target, not of the probe."""
    assert check("http", 'url = "http://a..b/"')[0] == "down"


def test_slow_answer(serve, check):
    """A response slower than degraded_above_ms is degraded, with its time."""

    def respond_late(connection, request):
        time.sleep(0.05)
        answer()(connection, request)

    address = serve(respond_late)
    slow = check("http", f'url = "http://{address}/"', "degraded_above_ms = 20")
    fine = check("http", f'url = "http://{address}/"', "degraded_above_ms = 5000")

    assert slow[0] == "degraded"
    assert "more than 20 ms" in slow[1]
    assert fine[0] == "operational"


def test_what_is_sent(serve, check):
    """The method, the path with its query and the headers of the file are sent."""
    requests = []

    def record_request(connection, request):
        requests.append(request.decode())
        answer()(connection, request)

    url = f'url = "http://{serve(record_request)}/a?b=c"'
    headers = 'headers = { X-From = "probe", user-agent = "ours" }'
    check("http", url, 'method = "HEAD"', headers)

    assert requests[0].startswith("HEAD /a?b=c HTTP/1.1\r\n")
    assert "X-From: probe\r\n" in requests[0]
    assert (
        requests[0].lower().count("user-agent: ours") == requests[0].count("gent:") == 1
    )
