"""Download the JSON documents of another status page."""

from collections.abc import Iterable
from urllib.parse import urljoin, urlsplit

import urllib3
from urllib3.exceptions import HTTPError, LocationParseError

from models.errors import ValidationFailed

TIMEOUT = urllib3.Timeout(connect=5, read=20)
MAX_BYTES = 16_000_000
MAX_REDIRECTS = 3
CHUNK_BYTES = 65_536
REDIRECTS = {301, 302, 303, 307, 308}
# Plain HTTP is allowed only where no network is involved.
LOCAL_HOSTS = {"127.0.0.1", "::1", "localhost"}


def fetch_documents(base_url: str, names: Iterable[str]) -> dict[str, str]:
    """
    Return the text of each document below the URL, by name.

    Raise ValidationFailed if one is missing. Redirects are followed only within the
    same host.
    """
    base_url = base_url.rstrip("/")
    _require_safe_url(base_url)
    headers = {"User-Agent": "masthead", "Accept": "application/json"}
    with urllib3.PoolManager(timeout=TIMEOUT, headers=headers, retries=False) as pool:
        return {name: _fetch_text(pool, f"{base_url}/{name}") for name in names}


def _require_safe_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ValidationFailed(f"{url} is not a valid URL.") from None
    if not host or parts.username is not None or parts.query or parts.fragment:
        raise ValidationFailed(f"{url} is not the base URL of a status page.")
    is_local = parts.scheme == "http" and host in LOCAL_HOSTS
    if parts.scheme != "https" and not is_local:
        raise ValidationFailed(f"{url} must begin with https://.")


def _fetch_text(pool: urllib3.PoolManager, url: str) -> str:
    current_url = url
    for _ in range(MAX_REDIRECTS + 1):
        redirect_url, body = _get(pool, current_url)
        if redirect_url is None:
            try:
                return body.decode()
            except UnicodeDecodeError:
                raise ValidationFailed(f"{url} is not text in UTF-8.") from None
        if urlsplit(redirect_url)[:2] != urlsplit(url)[:2]:
            raise ValidationFailed(
                f"{url} redirects to {redirect_url}, which is on another host."
            )
        current_url = redirect_url
    raise ValidationFailed(f"{url} redirects more than {MAX_REDIRECTS} times.")


def _get(pool: urllib3.PoolManager, url: str) -> tuple[str | None, bytes]:
    """Return the URL that the response redirects to, or None and its body."""
    try:
        response = pool.request("GET", url, redirect=False, preload_content=False)
        try:
            location = response.headers.get("Location")
            if response.status in REDIRECTS and location:
                return urljoin(url, location), b""
            if response.status != 200:
                raise ValidationFailed(f"{url} returned {response.status}, not 200.")
            return None, _read_body(response, url)
        finally:
            response.close()
    except (HTTPError, LocationParseError, OSError) as error:
        raise ValidationFailed(f"{url} cannot be read: {error}.") from None


def _read_body(response: urllib3.BaseHTTPResponse, url: str) -> bytes:
    body = bytearray()
    for chunk in response.stream(CHUNK_BYTES):
        body += chunk
        if len(body) > MAX_BYTES:
            raise ValidationFailed(f"{url} has more than {MAX_BYTES} bytes.")
    return bytes(body)
