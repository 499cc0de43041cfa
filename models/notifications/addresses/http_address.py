"""
Decide which URLs and network addresses a delivery may be sent to.

The module is pure: it resolves no names and reads no settings.
"""

import re
from collections.abc import Iterable
from functools import cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import NamedTuple
from urllib.parse import urlsplit

IPAddress = IPv4Address | IPv6Address
IPNetwork = IPv4Network | IPv6Network

MAX_URL_LENGTH = 2000
DEFAULT_PORTS = {"http": 80, "https": 443}
NETWORKS_SETTING = "MASTHEAD_NOTIFY_NETWORKS"

# Written out, since those that Python knows differ between its patch releases: the
# registries of special-purpose addresses (IANA), and multicast.
_SPECIAL_IPV4 = tuple(
    map(
        IPv4Network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8"),
            *("169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24"),
            *("192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16"),
            *("192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
            *("224.0.0.0/4", "240.0.0.0/4"),
        ),
    )
)
# All other IPv6 addresses are local, reserved or obsolete, such as those of local NAT64
# (64:ff9b:1::/48), of sites (fec0::/10) and those that contain IPv4 addresses (::/96).
_GLOBAL_UNICAST = IPv6Network("2000::/3")
# Within it. The first has those of Teredo and ORCHID.
_SPECIAL_IPV6 = tuple(
    map(
        IPv6Network,
        ("2001::/23", "2001:db8::/32", "2620:4f:8000::/48", "3fff::/20"),
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")
_LABEL = r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"{_LABEL}(\.{_LABEL})*", re.ASCII | re.IGNORECASE)
# Programs read such a host as an IPv4 address: 127.1, 0x7f.1, 2130706433.
_NUMERIC_NAME = re.compile(r"(.*\.)?([0-9]+|0x[0-9a-f]*)", re.ASCII | re.IGNORECASE)


class RefusedAddress(ValueError):
    """A URL or an address that a delivery must not be sent to."""


class Destination(NamedTuple):
    """Where a URL leads: the host is a name or the text of an IP address."""

    scheme: str
    host: str
    port: int


def refused_address(url: str, networks: Iterable[str]) -> str | None:
    """
    Return why no delivery can be sent to the URL, as a sentence, or None.

    A name is accepted: what it resolves to is judged at each connection.
    `networks` is the value of MASTHEAD_NOTIFY_NETWORKS.
    """
    try:
        destination = parse_destination(url, networks)
        if address := literal_address(destination.host):
            require_allowed(address, destination.scheme, networks)
    except RefusedAddress as error:
        return str(error)
    return None


def parse_destination(url: str, networks: Iterable[str]) -> Destination:
    """Return where the URL leads; raise RefusedAddress unless that is unambiguous."""
    if len(url) > MAX_URL_LENGTH:
        raise RefusedAddress(f"The URL has more than {MAX_URL_LENGTH} characters.")
    if not re.fullmatch(r"[!-\[\]-~]+", url):
        # Among them the backslash, which browsers read as a slash.
        raise RefusedAddress(
            "The URL must consist of printable ASCII characters, without spaces and"
            " backslashes. Percent-encode its path, and write its host in the form that"
            " begins with xn--."
        )
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise RefusedAddress("The URL is not valid.") from None
    scheme = parts.scheme
    _require_scheme(scheme, networks)
    if "@" in parts.netloc:
        raise RefusedAddress("The URL must not contain a user name or a password.")
    if "#" in url:
        raise RefusedAddress("The URL must not contain a fragment, such as #top.")
    if port == 0:
        raise RefusedAddress("The port of the URL must be from 1 to 65535.")
    _require_host(host, is_bracketed="[" in parts.netloc)
    return Destination(scheme, host, port or DEFAULT_PORTS[scheme])


def folded_url(url: str) -> str:
    """Return the form in which two spellings of an accepted URL are equal."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    port = parts.port or DEFAULT_PORTS[parts.scheme]
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{host}:{port}{parts.path or '/'}{query}"


def _require_scheme(scheme: str, networks: Iterable[str]) -> None:
    if scheme == "https" or (scheme == "http" and parse_networks(networks)):
        return
    raise RefusedAddress(
        "The URL must begin with https://. Plain http:// is possible only in the"
        f" networks of {NETWORKS_SETTING}."
    )


def _require_host(host: str, *, is_bracketed: bool) -> None:
    if not host:
        raise RefusedAddress("The URL has no host.")
    if is_bracketed:
        if not isinstance(literal_address(host), IPv6Address):
            raise RefusedAddress(f"'{host}' is not an IPv6 address.")
    elif host.endswith("."):
        raise RefusedAddress("The host of the URL must not end with a dot.")
    elif _NUMERIC_NAME.fullmatch(host):
        if literal_address(host) is None:
            raise RefusedAddress(
                f"'{host}' is not an IPv4 address of four decimal numbers."
            )
    elif len(host) > 253 or not _NAME.fullmatch(host):
        raise RefusedAddress(f"'{host[:80]}' is not a valid host name.")


def literal_address(host: str) -> IPAddress | None:
    """Return the IP address that the host is, or None for a name."""
    # An address with a zone, such as fe80::1%eth0, is of this machine alone.
    if "%" in host:
        return None
    try:
        return ip_address(host)
    except ValueError:
        return None


def require_allowed(address: IPAddress, scheme: str, networks: Iterable[str]) -> None:
    """
    Raise RefusedAddress unless a delivery may be sent to the address.

    An address in the networks is allowed. Any other must be of the public internet,
    and reached over HTTPS.
    """
    reached = reached_address(address)
    if any(
        each in network
        for network in parse_networks(networks)
        for each in (address, reached)
    ):
        return
    if scheme != "https":
        raise RefusedAddress(
            f"{address} is not in the networks of {NETWORKS_SETTING}, so the URL must"
            " begin with https://."
        )
    if not is_public(reached):
        raise RefusedAddress(
            f"{address} is not a public address. To deliver to a private network, add"
            f" the network to {NETWORKS_SETTING}."
        )


def reached_address(address: IPAddress) -> IPAddress:
    """Return the IPv4 address that an IPv6 address is translated to, if it is."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return address.ipv4_mapped
        if address in _NAT64:
            return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def is_public(address: IPAddress) -> bool:
    """Return whether the address is of a host of the public internet."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _SPECIAL_IPV4)
    if address not in _GLOBAL_UNICAST or any(address in n for n in _SPECIAL_IPV6):
        return False
    # A tunnel leads to the IPv4 address inside.
    return address.sixtofour is None or is_public(address.sixtofour)


def parse_networks(networks: Iterable[str]) -> tuple[IPNetwork, ...]:
    """Return the networks; raise ValueError for text that is not a CIDR network."""
    return _parse_networks(tuple(networks))


@cache
def _parse_networks(networks: tuple[str, ...]) -> tuple[IPNetwork, ...]:
    return tuple(ip_network(network) for network in networks)
