"""Connect to receivers, but only to addresses that deliveries may be sent to."""

import socket
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from ipaddress import IPv4Address, ip_address
from threading import Thread

from api.client.deadline import Deadline, SocketAddress
from models.notifications.addresses.http_address import (
    Destination,
    IPAddress,
    RefusedAddress,
    literal_address,
    require_allowed,
)

# Returns the IP addresses of a name as text, or raises an OSError.
Resolver = Callable[[str], Sequence[str]]


def connect_safely(
    destination: Destination,
    networks: Sequence[str],
    resolver: Resolver,
    deadline: Deadline,
) -> socket.socket:
    """
    Return a connection to an allowed address of the destination.

    The name is resolved once, and the connection goes to one of the addresses that
    were checked, so that a later answer of the name server changes nothing. Of several
    addresses, those that are not allowed are left out. Raise RefusedAddress if none
    is allowed.
    """
    refusals, allowed = [], []
    for address in _addresses(destination.host, resolver, deadline):
        try:
            require_allowed(address, destination.scheme, networks)
        except RefusedAddress as error:
            refusals.append(error)
        else:
            allowed.append(_socket_address(address, destination.port))
    if refusals and not allowed:
        raise refusals[0]
    return deadline.connect_to(allowed)


def system_addresses(name: str) -> list[str]:
    """Return the addresses of a name by the system's resolver, each once."""
    found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(info[4][0]) for info in found))


def _addresses(host: str, resolver: Resolver, deadline: Deadline) -> list[IPAddress]:
    if literal := literal_address(host):
        return [literal]
    return [ip_address(text) for text in _resolve(host, resolver, deadline)]


def _resolve(host: str, resolver: Resolver, deadline: Deadline) -> Sequence[str]:
    """
    Return the addresses of a name; raise TimeoutError at the deadline.

    A look-up cannot be aborted: its thread ends when the resolver gives up.
    """
    answer: Future[Sequence[str]] = Future()

    def run() -> None:
        try:
            answer.set_result(resolver(host))
        except Exception as error:
            answer.set_exception(error)

    Thread(target=run, name="resolve", daemon=True).start()
    return answer.result(timeout=deadline.seconds_left())


def _socket_address(address: IPAddress, port: int) -> SocketAddress:
    if isinstance(address, IPv4Address):
        return socket.AF_INET, (str(address), port)
    return socket.AF_INET6, (str(address), port, 0, 0)
