"""Targets over HTTP that answer, hang, lie and die."""

import time

import pytest

from tests.probing.conftest import answer


def test_answer_as_expected(serve, looked):
    """A status that is expected makes the service operational; its time is told."""
    status, why, ms = looked("http", f'url = "http://{serve(answer(204))}/health"')

    assert (status, why) == ("operational", None)
    assert ms >= 0


@pytest.mark.parametrize(
    ("told", "expected", "status"),
    [
        (503, '["200-299"]', "down"),
        (199, '["200-299"]', "down"),
        (299, '["200-299"]', "operational"),
        (300, '["200-299"]', "down"),
        (401, '[401, "200-204"]', "operational"),
        (203, '[401, "200-204"]', "operational"),
    ],
)
def test_status(serve, looked, told, expected, status):
    """A status counts when it is one of those named or lies in a range of them."""
    where = serve(answer(told))

    found = looked("http", f'url = "http://{where}/"', f"status = {expected}")

    assert found[0] == status


def test_wrong_status_says_which(serve, looked):
    """Who answers wrongly has answered: the time is told, and what came."""
    status, why, ms = looked("http", f'url = "http://{serve(answer(503))}/"')

    assert (status, why) == ("down", "answered 503 instead of 200-299")
    assert ms is not None


@pytest.mark.parametrize(
    ("text", "status"), [("is well", "operational"), ("é", "down")]
)
def test_text(serve, looked, text, status):
    """The text must be in the body; a good status alone may be a lie."""
    where = serve(answer())

    found = looked("http", f'url = "http://{where}/"', f'contains = "{text}"')

    assert found[0] == status


def test_text_past_the_limit(serve, looked):
    """No more than max_bytes are read, so what comes after them is not there."""
    where = serve(answer(body="x" * 100 + "end"))
    asked = (f'url = "http://{where}/"', 'contains = "end"')

    assert looked("http", *asked, "max_bytes = 102")[0] == "down"
    assert looked("http", *asked, "max_bytes = 103")[0] == "operational"


def test_endless_body(serve, looked):
    """A body without an end is read up to max_bytes, and what came is judged."""

    def babble(connection, asked):
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            connection.sendall(b"well " * 10_000)

    found = looked("http", f'url = "http://{serve(babble)}/"', 'contains = "well"')

    assert found[0] == "operational"


def test_silence(serve, looked, over):
    """Who takes the connection and says nothing is down when the time is over."""
    where = serve(lambda connection, asked: over.wait(5))

    found = looked("http", f'url = "http://{where}/"', "timeout_seconds = 0.2")

    assert found == ("down", "no answer within 0.2 s", None)


@pytest.mark.parametrize("head", ["", "HTTP/1.1 200 OK\r\n\r\n"])
def test_slow_bytes(serve, looked, over, head):
    """The time limit is for the whole: a byte now and then does not buy more."""

    def drip(connection, asked):
        connection.sendall(head.encode())
        while not over.wait(0.05):
            connection.sendall(b"H")

    started = time.monotonic()
    found = looked("http", f'url = "http://{serve(drip)}/"', "timeout_seconds = 0.3")

    assert found == ("down", "no answer within 0.3 s", None)
    assert time.monotonic() - started < 3


@pytest.mark.parametrize(
    "said",
    [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\ncut", b"SSH-2.0-liar\r\n"],
)
def test_death_within_the_answer(serve, looked, said):
    """An answer that ends too soon, or is none of HTTP's, is no answer."""
    where = serve(lambda connection, asked: connection.sendall(said))

    status, why, ms = looked("http", f'url = "http://{where}/"')

    assert (status, ms) == ("down", None)
    assert why


def test_nobody_there(looked):
    """A port where nobody listens is down, and it is said why."""
    found = looked("http", 'url = "http://127.0.0.1:1/"')

    assert found == ("down", "connection refused", None)


def test_name_that_is_none(looked):
    """A host that cannot be a name is a target's trouble and not the probe's."""
    assert looked("http", 'url = "http://a..b/"')[0] == "down"


def test_slow_answer(serve, looked):
    """An answer past degraded_above_ms is degraded, and says how long it took."""

    def late(connection, asked):
        time.sleep(0.05)
        answer()(connection, asked)

    where = serve(late)
    slow = looked("http", f'url = "http://{where}/"', "degraded_above_ms = 20")
    fine = looked("http", f'url = "http://{where}/"', "degraded_above_ms = 5000")

    assert slow[0] == "degraded"
    assert "more than 20 ms" in slow[1]
    assert fine[0] == "operational"


def test_what_is_sent(serve, looked):
    """The method, the path with its query and the headers of the file are sent."""
    seen = []

    def note(connection, asked):
        seen.append(asked.decode())
        answer()(connection, asked)

    url = f'url = "http://{serve(note)}/a?b=c"'
    headers = 'headers = { X-From = "probe", user-agent = "ours" }'
    looked("http", url, 'method = "HEAD"', headers)

    assert seen[0].startswith("HEAD /a?b=c HTTP/1.1\r\n")
    assert "X-From: probe\r\n" in seen[0]
    assert seen[0].lower().count("user-agent: ours") == seen[0].count("gent:") == 1
