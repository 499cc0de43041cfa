"""Sending to an API that is unreachable, busy, wrong or hostile."""

import json
import logging
import re
from datetime import timedelta
from email.utils import format_datetime

import pytest

from api.client import sender as sending
from api.client.sender import RECORD_PATH, Sender
from api.client.spool import Spool
from tests.probing.conftest import KEY, answer
from tests.probing.test_spool import NOON, moments, sample, waiting

TAKEN = answer(body='{"data": {"recorded": 1, "unknown": []}}')


def problem(status, detail, *pointers, **headers):
    errors = [{"pointer": item, "code": "x", "detail": "y"} for item in pointers]
    body = json.dumps({"detail": detail, "errors": errors})
    return answer(status, body, Content_Type="application/problem+json", **headers)


@pytest.fixture
def spool(tmp_path):
    spool_file = Spool(tmp_path / "spool", max_samples=1000, max_age=timedelta(days=30))
    yield spool_file
    spool_file.close()


@pytest.fixture
def make_sender(serve, spool, config):
    """Send three samples to an API with these responses, one after the other."""

    def make(*responses, context=None, **top):
        requests, queue = [], [*responses]

        def behave(connection, request):
            requests.append(request.decode())
            queue.pop(0)(connection, request)

        for number in range(3):
            spool.add(sample(number))
        url = f"http{'s' if context else ''}://{serve(behave, context)}"
        text = '[[targets]]\nservice = "a"\nkind = "dns"\nname = "a.example"'
        return Sender(config(text, api=url, **top), spool, lambda: NOON), requests

    return make


def test_taken(make_sender, spool):
    """The samples are sent to measurements/record with the key, and then deleted."""
    sender, requests = make_sender(TAKEN)

    pause = sender.send()

    assert pause == 0
    head, _, body = requests[0].partition("\r\n\r\n")
    assert head.startswith(f"POST {RECORD_PATH} HTTP/1.1\r\n")
    assert f"Authorization: Bearer {KEY}\r\n" in head
    sent = json.loads(body)
    assert sent["source"] == "here"
    assert sent["measurements"][1] == {
        "slug": "api",
        "status": "down",
        "responseTimeMs": None,
        "observedAt": "2026-03-01T12:00:01.000Z",
    }
    assert (sender.sent, spool.waiting) == (3, 0)


@pytest.mark.parametrize("is_trusted", [True, False])
def test_certificate(make_sender, spool, certificate, is_trusted):
    """The key is sent only to an API with a trusted certificate."""
    context, file = certificate(90)
    trust = {"api_ca_file": str(file)} if is_trusted else {}
    sender, requests = make_sender(TAKEN, context=context, **trust)

    sender.send()

    assert len(requests) == is_trusted
    assert (sender.sent, spool.waiting) == ((3, 0) if is_trusted else (0, 3))


@pytest.mark.parametrize(
    "response",
    [
        answer(200, "<html>Please log in</html>"),
        answer(200, '{"data": {}}'),
        answer(302, Location="http://127.0.0.1:1/"),
        answer(400, "<html>400 The plain HTTP request was sent to HTTPS port</html>"),
        problem(401, "The key is unknown."),
        problem(403, "The key lacks a scope."),
        answer(404),
        answer(502),
        problem(503, "Busy."),
        lambda connection, request: None,
        lambda connection, request: connection.sendall(b"HTTP/1.1 200 OK\r\nCont"),
    ],
)
def test_not_taken(make_sender, spool, response):
    """
    A temporary problem, or a response of something else than the API, loses no sample.
    """
    sender, requests = make_sender(response)

    sender.send()

    assert (sender.sent, sender.failures, spool.waiting) == (0, 1, 3)
    assert len(requests) == 1


def test_silent_api(make_sender, spool, shutdown, monkeypatch, caplog):
    """A silent API is given up after the timeout, and nothing is lost."""
    monkeypatch.setattr(sending, "REQUEST_SECONDS", 0.2)
    sender, _ = make_sender(lambda connection, request: shutdown.wait(5))

    sender.send()

    assert (sender.failures, spool.waiting) == (1, 3)
    assert 'why="no answer within 0.2 s"' in caplog.text


def test_pauses_grow(make_sender):
    """Pauses are random, from a range that doubles up to a minute, for ever."""
    sender, _ = make_sender(*[answer(503)] * 0)
    sender._url = "http://127.0.0.1:1"

    pauses = [sender.send() for _ in range(1100)]

    assert all(pause <= min(60, 2**n) for n, pause in enumerate(pauses[:20]))
    assert 50 < max(pauses) <= 60
    assert min(pauses[10:]) < 10


@pytest.mark.parametrize(
    ("retry_after", "min_seconds", "max_seconds"),
    [
        ("7", 7, 7),
        (format_datetime(NOON + timedelta(seconds=9), usegmt=True), 9, 9),
        (format_datetime(NOON - timedelta(seconds=9), usegmt=True), 0, 1),
        ("99999999", 300, 300),
        ("soon", 0, 1),
        ("-5", 0, 1),
        ("Sun, 1 Mar 2026 12:00:00 +99999999999999", 0, 1),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after(make_sender, status, retry_after, min_seconds, max_seconds):
    """The sender waits as long as the API requests, up to an hour."""
    sender, _ = make_sender(problem(status, "Not now.", Retry_After=retry_after))

    assert min_seconds <= sender.send() <= max_seconds


def test_refused_item(make_sender, spool, tmp_path):
    """
    A sample that the API rejects is set aside, and the rest of the batch is accepted.
    """
    sender, requests = make_sender(
        problem(422, "No.", "/measurements/1/observedAt"), TAKEN
    )

    sender.send()

    retried = json.loads(requests[1].partition("\r\n\r\n")[2])["measurements"]
    assert [item["observedAt"][17:19] for item in retried] == ["00", "02"]
    assert (sender.sent, sender.refused, spool.waiting) == (2, 1, 0)
    (rejected,) = (tmp_path / "spool.refused").read_text().splitlines()
    assert json.loads(rejected)["observedAt"] == "2026-03-01T12:00:01.000Z"


@pytest.mark.parametrize("pointers", [(), ("/source",), ("/measurements/77/slug",)])
def test_refused_batch(make_sender, spool, tmp_path, pointers):
    """A batch that is rejected as a whole is set aside and not sent for ever."""
    sender, requests = make_sender(problem(422, "No.", *pointers))

    assert sender.send() == 0
    assert (sender.sent, sender.refused, spool.waiting) == (0, 3, 0)
    assert len((tmp_path / "spool.refused").read_text().splitlines()) == 3
    assert len(requests) == 1


def test_after_a_failure(make_sender, spool):
    """Unaccepted samples are sent again unchanged, before newer ones."""
    sender, _ = make_sender(answer(502), TAKEN)
    sender.send()
    spool.add(sample(3))

    assert waiting(spool) == moments(0, 1, 2, 3)
    assert sender.send() == 0
    assert spool.waiting == sender.consecutive_failures == 0


def test_unknown_service(make_sender, spool, caplog):
    """A slug that the API does not know is reported once, and does no harm."""
    unknown = answer(body='{"data": {"recorded": 0, "unknown": ["api"]}}')
    sender, _ = make_sender(unknown, TAKEN, unknown)

    sender.send()
    for slug in ("web", "api"):
        spool.add(sample(7, slug=slug))
        sender.send()

    assert caplog.text.count("event=unknown-service service=api") == 1


def test_service_that_becomes_known(make_sender, spool, caplog):
    """
    The number of samples lost until then is reported, and later disappearances too.
    """
    unknown = answer(body='{"data": {"recorded": 0, "unknown": ["web"]}}')
    sender, _ = make_sender(unknown, unknown, TAKEN, unknown)
    caplog.set_level(logging.INFO, "masthead.probe")

    for second in range(4):
        spool.add(sample(second, slug="web"))
        sender.send()

    events = re.findall(r"event=(\S+)-service service=web(?: (lost=\d+))?", caplog.text)
    assert events == [("unknown", ""), ("known", "lost=2"), ("unknown", "")]
    assert "its samples are lost until it is added there" in caplog.text


def test_unknown_service_is_not_sent(make_sender, spool):
    """
    Samples that the API discarded do not count as sent; they have their own count.
    """
    unknown = answer(body='{"data": {"recorded": 3, "unknown": ["web", "other"]}}')
    sender, _ = make_sender(unknown)
    spool.add(sample(3, slug="web"))

    sender.send()

    assert (sender.sent, sender.unknown, spool.waiting) == (3, 1, 0)
    assert sender.unknown_services == {"web"}
