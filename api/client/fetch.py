"""Reading the documents of another status page over the network."""

from collections.abc import Iterable
from urllib.parse import urljoin, urlsplit

import urllib3
from urllib3.exceptions import HTTPError, LocationParseError

from models.errors import ValidationFailed

TIMEOUT = urllib3.Timeout(connect=5, read=20)
MOST_BYTES = 16_000_000
MOST_REDIRECTS = 3
AT_ONCE = 65_536
MOVED = {301, 302, 303, 307, 308}
# Here a word said in the clear is heard by nobody.
OWN = {"127.0.0.1", "::1", "localhost"}


def fetched(base: str, names: Iterable[str]) -> dict[str, str]:
    """
    Return the texts of the documents below an address.

    Each must be there. A redirect is followed on the same host alone.
    """
    base = base.rstrip("/")
    _require_safe(base)
    agent = {"User-Agent": "masthead", "Accept": "application/json"}
    with urllib3.PoolManager(timeout=TIMEOUT, headers=agent, retries=False) as pool:
        return {name: _text(pool, f"{base}/{name}") for name in names}


def _require_safe(url: str) -> None:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ValidationFailed(f"{url} is no address.") from None
    if not host or parts.username is not None or parts.query or parts.fragment:
        raise ValidationFailed(f"{url} is not the base address of a status page.")
    if parts.scheme != "https" and not (parts.scheme == "http" and host in OWN):
        raise ValidationFailed(f"{url} must begin with https://.")


def _text(pool: urllib3.PoolManager, url: str) -> str:
    asked = url
    for _ in range(MOST_REDIRECTS + 1):
        target, body = _answer(pool, asked)
        if target is None:
            try:
                return body.decode()
            except UnicodeDecodeError:
                raise ValidationFailed(f"{url} is not text in UTF-8.") from None
        if urlsplit(target)[:2] != urlsplit(url)[:2]:
            raise ValidationFailed(f"{url} leads to {target}, which is elsewhere.")
        asked = target
    raise ValidationFailed(f"{url} leads on more than {MOST_REDIRECTS} times.")


def _answer(pool: urllib3.PoolManager, url: str) -> tuple[str | None, bytes]:
    """Return where the answer leads, or else its body."""
    try:
        answer = pool.request("GET", url, redirect=False, preload_content=False)
        try:
            target = answer.headers.get("Location")
            if answer.status in MOVED and target:
                return urljoin(url, target), b""
            if answer.status != 200:
                raise ValidationFailed(f"{url} answers {answer.status}, not 200.")
            return None, _body(answer, url)
        finally:
            answer.close()
    except (HTTPError, LocationParseError, OSError) as error:
        raise ValidationFailed(f"{url} cannot be read: {error}.") from None


def _body(answer: urllib3.BaseHTTPResponse, url: str) -> bytes:
    body = bytearray()
    for part in answer.stream(AT_ONCE):
        body += part
        if len(body) > MOST_BYTES:
            raise ValidationFailed(f"{url} has more than {MOST_BYTES} bytes.")
    return bytes(body)
