"""Receivers over HTTP that accept, reject, hang, send wrong data and redirect."""

import random
from datetime import timedelta
from email.utils import format_datetime

import pytest

from models.notifications.deliveries.outcomes import MAX_ANSWER
from tests.notifications.conftest import LOOPBACK, NOON
from tests.probing.conftest import answer

HEADERS = {"Content-Type": "application/json", "webhook-id": "evt_1"}
BODY = b'{"type":"incident.opened"}'


@pytest.fixture
def send(serve, make_sender):
    """Send a message to a receiver with this behaviour; return the outcome."""

    def sent(behave, **options):
        sender = make_sender(**options)
        return sender.send(f"http://{serve(behave)}/hook?a=b", HEADERS, BODY)

    return sent


def test_delivered(serve, make_sender, name_server):
    """The message is posted to the URL, with its headers and the name as Host."""
    name_server.addresses["receiver.example"] = ["127.0.0.1"]
    requests = []

    def accept(connection, request):
        requests.append(request)
        answer(202, "thanks")(connection, request)

    port = serve(accept).rpartition(":")[2]
    url = f"http://receiver.example:{port}/hook?a=b"
    outcome = make_sender().send(url, HEADERS, BODY)

    head, _, body = requests[0].partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0] == "POST /hook?a=b HTTP/1.1"
    assert {
        f"Host: receiver.example:{port}",
        "User-Agent: masthead",
        "Content-Type: application/json",
        "webhook-id: evt_1",
    } < {*lines}
    assert body == BODY
    assert outcome.is_delivered
    assert (outcome.status_code, outcome.answer) == (202, "thanks")
    assert outcome.duration_ms >= 0
    assert outcome.retry_after is None


@pytest.mark.parametrize(
    ("status", "is_delivered", "is_permanent"),
    [
        *((200, True, False), (204, True, False), (299, True, False)),
        *((300, False, False), (304, False, False), (400, False, False)),
        *((404, False, False), (410, False, True), (500, False, False)),
    ],
)
def test_status(send, status, is_delivered, is_permanent):
    """2xx is success, 410 is permanent, and every other status may be temporary."""
    outcome = send(answer(status, ""))

    assert (outcome.is_delivered, outcome.is_permanent) == (is_delivered, is_permanent)
    assert (outcome.status_code, outcome.answer) == (status, None)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect(serve, send, status):
    """A redirect is a failure that has its target, and is not followed."""
    visits = []
    elsewhere = f"http://{serve(lambda *visit: visits.append(visit))}/in"

    outcome = send(answer(status, Location=elsewhere))

    assert not outcome.is_delivered
    assert outcome.status_code == status
    assert outcome.answer.startswith("The receiver redirects")
    assert elsewhere in outcome.answer
    assert visits == []


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7),
        (format_datetime(NOON + timedelta(seconds=90), usegmt=True), 90),
        ("999999999", 86_400),
        (format_datetime(NOON - timedelta(seconds=9), usegmt=True), None),
        *(("soon", None), ("-5", None), ("", None), ("0", None)),
        ("Sun, 1 Mar 2026 12:00:00 +99999999999999", None),
    ],
)
def test_retry_after(send, header, seconds):
    """A receiver may request a pause, in seconds or until a date, of at most a day."""
    assert send(answer(503, Retry_After=header)).retry_after == seconds
    assert send(answer(200, Retry_After=header)).retry_after is None


def test_silence(send, shutdown):
    """A receiver that takes the message and does not respond fails in time."""
    outcome = send(lambda *_: shutdown.wait(60), timeout_seconds=0.3)

    assert not outcome.is_delivered
    assert (outcome.status_code, outcome.answer) == (None, "No answer within 0.3 s.")
    assert outcome.duration_ms >= 300


@pytest.mark.parametrize("head", ["", "HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 200 OK\r\n"])
def test_slow_bytes(send, shutdown, head):
    """The time limit is for the whole response, however the bytes arrive."""
    sent = []

    def drip(connection, request):
        connection.sendall(head.encode() + (b"\r\n" if head.endswith("\n") else b""))
        # Not for ever, so that a sender without a limit ends, too late.
        while len(sent) < 1200 and not shutdown.wait(0.05):
            connection.sendall(b"H")
            sent.append(1)

    outcome = send(drip, timeout_seconds=0.4)

    assert (outcome.status_code, outcome.answer) == (None, "No answer within 0.4 s.")
    assert len(sent) < 1200


def test_endless_handshake(serve, make_sender):
    """A receiver that never completes the TLS handshake fails in time."""

    def read_forever(connection, request):
        while connection.recv(100):
            pass

    url = f"https://{serve(read_forever)}/"
    outcome = make_sender(timeout_seconds=0.3).send(url, HEADERS, BODY)

    assert outcome.answer == "No answer within 0.3 s."
    assert not outcome.is_unconfirmed


def test_silent_name_server(make_sender, name_server):
    """A look-up without a response ends within the time of the delivery."""
    name_server.is_silent = True

    outcome = make_sender(timeout_seconds=0.3).send(
        "https://receiver.example/", HEADERS, BODY
    )

    assert outcome.answer == "No answer within 0.3 s."
    assert name_server.ended == 0


def test_large_answer(send):
    """Of a long response the beginning is stored, and the rest is not read."""
    sent = []

    def stream(connection, request):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n")
        for _ in range(100):
            connection.sendall(b"well " * 20_000)
            sent.append(1)

    outcome = send(stream)

    assert outcome.is_delivered
    assert outcome.answer == ("well " * 300)[:MAX_ANSWER]
    assert len(sent) < 100


def test_answer_is_readable(send):
    """Control characters and bytes that are not UTF-8 are replaced."""

    def respond(connection, request):
        body = b"a\x00b\x1b[31m\xff\nc"
        head = f"HTTP/1.1 500 No\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body)

    assert send(respond).answer == "a\\u0000b\\u001b[31m\ufffd\nc"


@pytest.mark.parametrize(
    "response",
    [
        b"",
        b"SSH-2.0-liar\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\ncut",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n",
        b"HTTP/1.1 200 " + b"x" * 70_000,
    ],
)
def test_invalid_answer(send, response):
    """A truncated or malformed response is a failure with a sentence."""
    outcome = send(lambda connection, request: connection.sendall(response))

    assert not outcome.is_delivered
    assert outcome.status_code is None
    assert outcome.answer.endswith(".")
    assert outcome.answer[0].isupper()


def test_random_answers(send):
    """Whatever a receiver sends, there is an outcome."""
    seed = random.randrange(2**32)
    print("seed", seed)
    rng = random.Random(seed)
    parts = [
        *(b"HTTP/1.1 ", b"200", b"302", b" OK", b"\r\n", b"\r\n\r\n", b"\n", b"\x00"),
        *(b"Content-Length: ", b"-1", b"9", b"Transfer-Encoding: chunked", b"\xff"),
        *(b"Location: ", b"http://[", b"//", b"Content-Encoding: deflate", b"Retry-"),
        *(b"After: ", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.0 101 Yes\r\n\r\n"),
    ]

    for _ in range(100):
        response = b"HTTP/1.1 " * rng.randrange(2)
        response += b"".join(rng.choices(parts, k=rng.randrange(12)))
        outcome = send(lambda connection, _: connection.sendall(response))  # noqa: B023

        assert outcome.status_code is not None or outcome.answer, response


def test_nobody_there(make_sender):
    """A closed port and a name without an address are failures with a sentence."""
    send = make_sender().send

    refused = send("http://127.0.0.1:1/", {}, BODY)
    assert (refused.answer, refused.is_unconfirmed) == ("Connection refused.", False)
    assert "has no address" in send("https://nobody.example/", {}, BODY).answer


def test_receiver_that_ends_without_an_answer(send):
    """A receiver that closed the connection after the message may have processed it."""
    outcome = send(lambda connection, _: connection.close())

    assert (outcome.is_delivered, outcome.is_unconfirmed) == (False, True)


def test_proxies_of_the_environment(serve, send, monkeypatch):
    """Proxies configured in the environment are not used."""
    visits = []
    proxy = f"http://{serve(lambda *visit: visits.append(visit))}"
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, proxy)
        monkeypatch.setenv(name.upper(), proxy)

    assert send(answer()).is_delivered
    assert visits == []


def test_refused_url(make_sender, name_server):
    """A URL that cannot be subscribed is not called, and its name is not resolved."""
    sender = make_sender()

    for url in ("https://a@receiver.example/", "https://receiver.example:0/"):
        outcome = sender.send(url, HEADERS, BODY)

        assert not outcome.is_delivered
        assert outcome.answer.startswith("The ")
    assert name_server.queries == []


class TestCertificates:
    @pytest.fixture
    def receiver(self, serve, certificate, name_server):
        """Serve over TLS as receiver.example; return the URL, the file and visits."""
        name_server.addresses["receiver.example"] = ["127.0.0.1"]
        name_server.addresses["other.example"] = ["127.0.0.1"]
        context, file = certificate(90, of="DNS:receiver.example")
        visits, names = [], []
        context.sni_callback = lambda _socket, name, _context: names.append(name)

        def accept(connection, request):
            visits.append(request)
            answer()(connection, request)

        port = serve(accept, context).rpartition(":")[2]
        return f"https://receiver.example:{port}/", file, visits, names

    def test_of_the_name(self, receiver, make_sender):
        """
        Certificate and SNI are for the name, although the connection is to the address.
        """
        url, file, visits, names = receiver

        assert make_sender(ca_file=file).send(url, HEADERS, BODY).is_delivered
        assert len(visits) == 1
        assert names == ["receiver.example"]

    @pytest.mark.parametrize("is_trusted", [True, False])
    def test_of_another_or_of_nobody(self, receiver, make_sender, is_trusted):
        """
        A receiver with the certificate of another name or an unknown authority gets
        nothing.
        """
        url, file, visits, _ = receiver
        if is_trusted:
            url = url.replace("receiver", "other")
        sender = make_sender(ca_file=file if is_trusted else None)

        outcome = sender.send(url, HEADERS, BODY)

        assert not outcome.is_delivered
        assert outcome.answer.startswith("The certificate is not trusted: ")
        assert not outcome.is_unconfirmed
        assert visits == []


class TestAddresses:
    """The resolution of names, and the addresses of connections."""

    @pytest.fixture
    def visits(self):
        return []

    @pytest.fixture
    def port(self, serve, visits):
        def accept(connection, request):
            visits.append(request)
            answer()(connection, request)

        return serve(accept).rpartition(":")[2]

    @pytest.mark.parametrize(
        "address",
        [
            *("127.0.0.1", "::1", "0.0.0.0", "10.0.0.1", "169.254.169.254"),
            *("fe80::1", "fd00::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"),
            *("64:ff9b:1::7f00:1", "2002:7f00:1::1", "::127.0.0.1", "224.0.0.1"),
        ],
    )
    def test_private(self, make_sender, name_server, port, visits, address):
        """A name that resolves to a non-public address is not connected to."""
        name_server.addresses["receiver.example"] = [address]

        outcome = make_sender(networks=()).send(
            f"https://receiver.example:{port}/", HEADERS, BODY
        )

        assert not outcome.is_delivered
        assert "is not a public address" in outcome.answer
        assert visits == []

    def test_translated_to_a_listed_network(
        self, make_sender, name_server, port, visits
    ):
        """A mapped address of a listed network is connected to."""
        name_server.addresses["receiver.example"] = ["::ffff:127.0.0.1"]

        outcome = make_sender().send(f"http://receiver.example:{port}/", HEADERS, BODY)

        assert outcome.is_delivered
        assert len(visits) == 1

    def test_plain_http_elsewhere(self, make_sender, name_server):
        """Plain HTTP is sent to listed networks only, public or not."""
        name_server.addresses["receiver.example"] = ["8.8.8.8"]

        outcome = make_sender().send("http://receiver.example/", HEADERS, BODY)

        assert "8.8.8.8 is not in the networks of" in outcome.answer

    def test_rebinding(self, make_sender, name_server, port, visits):
        """The connection is to the address that was checked: there is one look-up."""
        addresses = iter([["127.0.0.1"], [], ["10.0.0.1"], []])
        name_server.addresses["receiver.example"] = lambda: next(addresses)
        sender, url = make_sender(), f"http://receiver.example:{port}/"

        first = sender.send(url, HEADERS, BODY)

        assert first.is_delivered
        kinds = [("receiver.example", "A"), ("receiver.example", "AAAA")]
        assert name_server.queries == kinds
        assert "10.0.0.1 is not" in sender.send(url, HEADERS, BODY).answer
        assert len(visits) == 1

    def test_one_of_two(self, make_sender, name_server, port, visits):
        """Of several addresses, only the allowed ones are used."""
        name_server.addresses["receiver.example"] = ["10.0.0.1", "::1", "127.0.0.1"]

        outcome = make_sender(LOOPBACK).send(
            f"http://receiver.example:{port}/", HEADERS, BODY
        )

        assert outcome.is_delivered
        assert len(visits) == 1

    def test_dead_address_first(self, make_sender, name_server, port, visits):
        """An unreachable first address leaves time for the next one."""
        name_server.addresses["receiver.example"] = ["127.0.0.2", "127.0.0.1"]

        outcome = make_sender().send(f"http://receiver.example:{port}/", HEADERS, BODY)

        assert outcome.is_delivered
        assert len(visits) == 1
