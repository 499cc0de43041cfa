"""Limit how many subscriptions a client can ask for."""

from ipaddress import ip_address

from api.http.messages import Request
from models.notifications.addresses.http_address import is_public, reached_address
from models.platform.rate_limits import Rate, RateLimiter
from models.platform.wrong_keys import client_network

# Five at once, and one more every twelve minutes.
SUBSCRIBE_RATE = Rate(capacity=5, refill=5 / 3600)


class ClientLimiter:
    """Counts the requests of each client address, in all processes of the server."""

    def __init__(self, rate_limiter: RateLimiter) -> None:
        self._rate_limiter = rate_limiter

    def allows(self, request: Request, now_ns: int) -> bool:
        name = f"subscribe {client_network(client_address(request))}"
        return self._rate_limiter.take_token(name, now_ns, SUBSCRIBE_RATE).allowed


def client_address(request: Request) -> str:
    """
    Return the address of the client, as a reverse proxy in our network names it.

    Of several, the last one is the address that connected to the proxy; clients can
    forge the others. A client that connects from elsewhere is not believed at all.
    """
    peer = request.client_address
    forwarded = request.headers.get("X-Forwarded-For") or ""
    last = forwarded.rpartition(",")[2].strip()
    is_proxy = _is_address(peer) and not is_public(reached_address(ip_address(peer)))
    return last if is_proxy and _is_address(last) else peer


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
