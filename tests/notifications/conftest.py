"""A name server on this machine, and senders that use it."""

import socket
from contextlib import suppress
from datetime import UTC, datetime
from threading import Thread

import dns.exception
import dns.flags
import dns.message
import dns.resolver
import dns.rrset
import pytest

from api.notifications.http_sender import HttpSender
from tests.probing.conftest import certificate, serve, shutdown  # noqa: F401

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LOOPBACK = ("127.0.0.0/8",)


class NameServer:
    """Answers with the addresses of each name, and records the requested names."""

    def __init__(self):
        self.addresses, self.queries, self.is_silent = {}, [], False
        # How many look-ups have ended.
        self.ended = 0
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        Thread(target=self._run, daemon=True).start()

    def resolve(self, name):
        """Return the addresses of the name, as the resolver of a sender."""
        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers = ["127.0.0.1"]
        resolver.port = self._socket.getsockname()[1]
        resolver.lifetime = 30
        found = []
        try:
            for kind in ("A", "AAAA"):
                answers = resolver.resolve(name, kind, raise_on_no_answer=False)
                found += [str(address) for address in answers.rrset or ()]
        except dns.exception.DNSException as error:
            raise OSError(f"{name} has no address") from error
        finally:
            self.ended += 1
        return found

    def stop(self):
        self._socket.close()

    def _run(self):
        with suppress(OSError):
            while True:
                query, client = self._socket.recvfrom(4096)
                if not self.is_silent:
                    self._socket.sendto(self._answer(query), client)

    def _answer(self, query):
        message = dns.message.from_wire(query)
        (question,) = message.question
        kind = dns.rdatatype.to_text(question.rdtype)
        self.queries.append((question.name.to_text(omit_final_dot=True), kind))
        response = dns.message.make_response(message)
        response.flags |= dns.flags.RA
        addresses = self.addresses.get(self.queries[-1][0])
        if addresses is None:
            response.set_rcode(dns.rcode.NXDOMAIN)
        # A function returns another response each time.
        texts = addresses() if callable(addresses) else addresses or ()
        ours = [text for text in texts if (":" in text) == (kind == "AAAA")]
        if ours:
            rrset = dns.rrset.from_text_list(question.name, 0, "IN", kind, ours)
            response.answer.append(rrset)
        return response.to_wire()


@pytest.fixture
def name_server():
    server = NameServer()
    yield server
    server.stop()


@pytest.fixture
def make_sender(name_server):
    """Create a sender that uses the name server and may send to this machine."""

    def make(networks=LOOPBACK, timeout_seconds=10, ca_file=None):
        return HttpSender(
            networks,
            lambda: NOON,
            resolver=name_server.resolve,
            timeout_seconds=timeout_seconds,
            ca_file=ca_file and str(ca_file),
        )

    return make
