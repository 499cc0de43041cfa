"""Checks of ports and names, and retries before a target is reported as down."""

import socket
from datetime import UTC, datetime, timedelta
from threading import Thread

import dns.message
import dns.rrset
import pytest

from api.client.check import check_with_retries
from tests.probing.conftest import answer

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def names():
    """A name server that knows two names; return its port."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))
    known = {
        ("api.example.", "A"): ["192.0.2.1", "192.0.2.2"],
        ("example.", "MX"): ["10 Mail.example."],
        ("example.", "TXT"): ['"v=spf1 -all"'],
    }

    def reply():
        while True:
            request, sender = server.recvfrom(1000)
            if not request:
                return
            query = dns.message.from_wire(request)
            question = query.question[0]
            record_type = dns.rdatatype.to_text(question.rdtype)
            response = dns.message.make_response(query)
            if records := known.get((str(question.name), record_type)):
                response.answer.append(
                    dns.rrset.from_text(question.name, 60, "IN", record_type, *records)
                )
            server.sendto(response.to_wire(), sender)

    thread = Thread(target=reply, daemon=True)
    thread.start()
    yield server.getsockname()[1]
    server.connect(server.getsockname())
    server.send(b"")
    thread.join()
    server.close()


@pytest.mark.parametrize(
    ("name", "record", "expected", "status"),
    [
        ("api.example", "A", "", "operational"),
        ("api.example", "A", "192.0.2.2", "operational"),
        ("api.example", "A", "192.0.2.3", "down"),
        ("api.example", "AAAA", "", "down"),
        ("example", "MX", "10 mail.example", "operational"),
        ("example", "TXT", "v=spf1 -all", "operational"),
        ("other.example", "A", "", "down"),
    ],
)
def test_dns(check, names, name, record, expected, status):
    """A name must have a record of the type, with the expected value if one is set."""
    lines = [f'name = "{name}"', f'record = "{record}"', 'server = "127.0.0.1"']
    lines += [f"port = {names}", "timeout_seconds = 2"]
    lines += [f'expected = "{expected}"'] if expected else []

    result = check("dns", *lines)

    assert result[0] == status
    assert (result[1] is None) == (status == "operational")


def test_dns_without_a_server(check):
    """A silent name server is down after the timeout."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        lines = (
            'name = "api.example"',
            'server = "127.0.0.1"',
            "timeout_seconds = 0.3",
        )

        result = check("dns", *lines, f"port = {silent.getsockname()[1]}")

    assert result == ("down", "no answer within 0.3 s", None)


def test_tcp(serve, check):
    """A port that accepts connections is operational, one that refuses them down."""
    port = serve(answer()).rpartition(":")[2]

    assert check("tcp", 'host = "127.0.0.1"', f"port = {port}")[0] == "operational"
    assert check("tcp", 'host = "127.0.0.1"', "port = 1")[0] == "down"


def test_first_address_is_dead(serve, check, monkeypatch):
    """If the first of two addresses is silent, time is left for the second."""
    port = int(serve(answer()).rpartition(":")[2])
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        dead = full.getsockname()
        crowd = [socket.socket() for _ in range(3)]
        for connection in crowd:
            connection.setblocking(False)
            connection.connect_ex(dead)
        addresses = socket.getaddrinfo("127.0.0.1", port, type=socket.SOCK_STREAM)
        both = [(*addresses[0][:4], dead), *addresses]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: both)

        lines = ('host = "two.example"', f"port = {port}", "timeout_seconds = 0.4")
        status, _, ms = check("tcp", *lines)
        for connection in crowd:
            connection.close()

    assert status == "operational"
    assert ms >= 150


@pytest.fixture
def flaky_target(serve, config):
    """A target that fails so often before it answers, with two retries."""

    def made(fails):
        requests = []

        def behave(connection, _):
            requests.append(1)
            answer(200 if len(requests) > fails else 500)(connection, _)

        text = f'[[targets]]\nservice = "api"\nkind = "http"\nurl = "http://{serve(behave)}"'
        (target,) = config(text, retries=2, retry_pause_seconds=7).targets
        return target, requests

    return made


@pytest.mark.parametrize(
    ("fails", "checks", "status"),
    [(0, 1, "operational"), (2, 3, "operational"), (3, 3, "down")],
)
def test_looking_again(flaky_target, fails, checks, status):
    """
    Down is reported after the first check and every retry have failed, with pauses.
    """
    target, requests = flaky_target(fails)
    pauses = []

    times = iter(NOON + timedelta(seconds=n) for n in range(9))
    result = check_with_retries(target, lambda: next(times), pauses.append)

    assert result.measurement.status == status
    assert len(requests) == checks
    assert pauses == [7] * (checks - 1)
    assert result.measurement.observed_at == NOON + timedelta(seconds=checks - 1)


def test_told_to_stop_while_looking_again(flaky_target):
    """A failed check whose retries were interrupted reports nothing."""
    target, requests = flaky_target(3)

    result = check_with_retries(target, lambda: NOON, lambda seconds: True)

    assert result is None
    assert len(requests) == 1
