"""Ports, names, and looking again before a target is called down."""

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
            asked, sender = server.recvfrom(1000)
            if not asked:
                return
            query = dns.message.from_wire(asked)
            about = query.question[0]
            kind = dns.rdatatype.to_text(about.rdtype)
            told = dns.message.make_response(query)
            if found := known.get((str(about.name), kind)):
                told.answer.append(
                    dns.rrset.from_text(about.name, 60, "IN", kind, *found)
                )
            server.sendto(told.to_wire(), sender)

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
def test_dns(looked, names, name, record, expected, status):
    """A name must have such a record, and where one is expected, that one."""
    lines = [f'name = "{name}"', f'record = "{record}"', 'server = "127.0.0.1"']
    lines += [f"port = {names}", "timeout_seconds = 2"]
    lines += [f'expected = "{expected}"'] if expected else []

    found = looked("dns", *lines)

    assert found[0] == status
    assert (found[1] is None) == (status == "operational")


def test_dns_without_a_server(looked):
    """A name server that is silent is down within the time."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        lines = (
            'name = "api.example"',
            'server = "127.0.0.1"',
            "timeout_seconds = 0.3",
        )

        found = looked("dns", *lines, f"port = {silent.getsockname()[1]}")

    assert found == ("down", "no answer within 0.3 s", None)


def test_tcp(serve, looked):
    """A port that takes connections is operational, one that refuses them down."""
    port = serve(answer()).rpartition(":")[2]

    assert looked("tcp", 'host = "127.0.0.1"', f"port = {port}")[0] == "operational"
    assert looked("tcp", 'host = "127.0.0.1"', "port = 1")[0] == "down"


def test_first_address_is_dead(serve, looked, monkeypatch):
    """Of two addresses the first may be silent: time is left for the second."""
    port = int(serve(answer()).rpartition(":")[2])
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        dead = full.getsockname()
        crowd = [socket.socket() for _ in range(3)]
        for each in crowd:
            each.setblocking(False)
            each.connect_ex(dead)
        found = socket.getaddrinfo("127.0.0.1", port, type=socket.SOCK_STREAM)
        both = [(*found[0][:4], dead), *found]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: both)

        lines = ('host = "two.example"', f"port = {port}", "timeout_seconds = 0.4")
        status, _, ms = looked("tcp", *lines)
        for each in crowd:
            each.close()

    assert status == "operational"
    assert ms >= 150


@pytest.fixture
def shaky(serve, plan):
    """A target that fails so often before it answers, with two retries."""

    def made(fails):
        asked = []

        def behave(connection, _):
            asked.append(1)
            answer(200 if len(asked) > fails else 500)(connection, _)

        text = f'[[targets]]\nservice = "api"\nkind = "http"\nurl = "http://{serve(behave)}"'
        (target,) = plan(text, retries=2, retry_pause_seconds=7).targets
        return target, asked

    return made


@pytest.mark.parametrize(
    ("fails", "looks", "status"),
    [(0, 1, "operational"), (2, 3, "operational"), (3, 3, "down")],
)
def test_looking_again(shaky, fails, looks, status):
    """Down is said after the first look and every retry have failed, with pauses."""
    target, asked = shaky(fails)
    pauses = []

    times = iter(NOON + timedelta(seconds=n) for n in range(9))
    found = check_with_retries(target, lambda: next(times), pauses.append)

    assert found.measurement.status == status
    assert len(asked) == looks
    assert pauses == [7] * (looks - 1)
    assert found.measurement.observed_at == NOON + timedelta(seconds=looks - 1)


def test_told_to_stop_while_looking_again(shaky):
    """A look that failed and was not repeated says nothing."""
    target, asked = shaky(3)

    found = check_with_retries(target, lambda: NOON, lambda seconds: True)

    assert found is None
    assert len(asked) == 1
