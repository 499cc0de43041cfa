"""Limit the requests with wrong API keys of each client address."""

from collections import OrderedDict
from ipaddress import IPv6Address, ip_address
from threading import Lock

from models.errors import RateLimited
from models.platform.rate_limits import Rate, take_token

# Enough for people and programs that share an address to mistype keys.
WRONG_KEY_RATE = Rate(capacity=100, refill=1)
MAX_ADDRESSES = 10_000


class WrongKeyLimiter:
    """
    A token bucket for each address, from which only wrong keys take tokens.

    Right keys are never refused, since many clients can share an address: behind a
    reverse proxy, all of them have the address of the proxy. The buckets of the
    addresses that were used least recently are dropped.
    """

    def __init__(
        self, rate: Rate = WRONG_KEY_RATE, max_addresses: int = MAX_ADDRESSES
    ) -> None:
        self._rate = rate
        self._max_addresses = max_addresses
        self._full_at: OrderedDict[str, int] = OrderedDict()
        self._lock = Lock()

    def record(self, address: str, now: int) -> None:
        """
        Record a wrong key at `now`, in nanoseconds.

        Raise RateLimited if the address has sent too many of them.
        """
        network = client_network(address)
        with self._lock:
            decision = take_token(self._full_at.get(network), now, self._rate)
            self._full_at[network] = decision.full_at
            self._full_at.move_to_end(network)
            if len(self._full_at) > self._max_addresses:
                self._full_at.popitem(last=False)
        if not decision.allowed:
            raise RateLimited(
                "This address has sent too many wrong API keys. Correct the API key.",
                retryAfter=decision.retry_after,
            )


def client_network(address: str) -> str:
    """
    Return the network of one client: the address, or the /64 of an IPv6 address.

    A single client often has a whole /64. An IPv4 address in IPv6 form is the IPv4
    address.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    mapped = parsed.ipv4_mapped
    return str(mapped) if mapped else f"{int(parsed) >> 64:x}::/64"
