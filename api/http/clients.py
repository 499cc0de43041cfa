"""Identify who has sent a request: by a credential, an address or a network."""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address

from api.http.request import Request
from models.notifications.addresses.http_address import (
    IPNetwork,
    is_public,
    reached_address,
)

# With the name of a network interface.
MAX_ADDRESS_LENGTH = 64

# Returns what may identify who has sent a request, before it is known to be valid.
CredentialOf = Callable[[Request], str | None]


def bearer_credential(request: Request) -> str | None:
    """Return the token in the header Authorization, however the header spells it."""
    words = (request.headers.get("Authorization") or "").split()
    return words[-1] if words else None


def client_address(request: Request) -> str:
    """
    Return the address of the client, as a reverse proxy in our network names it.

    Of several, the last one is the address that connected to the proxy; clients can
    forge the others. A client that connects from elsewhere is not believed at all.
    """
    peer = request.client_address
    last = (request.headers.get("X-Forwarded-For") or "").rpartition(",")[2].strip()
    is_short = 0 < len(last) <= MAX_ADDRESS_LENGTH
    return last if is_short and _is_proxy(peer) and _is_address(last) else peer


def client_networks(address: str) -> tuple[IPNetwork, ...]:
    """
    Return the networks of a client, the smallest first.

    The first is the client itself, which often has a whole /64 of IPv6. The others are
    what a single customer of a provider may have: up to a /48, or of IPv4 a /24.
    """
    parsed = ip_address(address) if _is_address(address) else IPv4Address(0)
    parsed = reached_address(parsed)
    number = int(parsed)
    if isinstance(parsed, IPv4Address):
        return tuple(IPv4Network((number, n), strict=False) for n in (32, 24))
    return tuple(IPv6Network((number, n), strict=False) for n in (64, 56, 48))


def _is_proxy(peer: str) -> bool:
    """Return whether the peer is in our network: its address is not public."""
    return _is_address(peer) and not is_public(reached_address(ip_address(peer)))


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
