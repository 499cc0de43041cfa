"""Check the URLs of other servers before anything is sent to them."""

from urllib.parse import urlsplit

from models.errors import ValidationFailed

# Plain HTTP is allowed only where no network is involved.
LOCAL_HOSTS = {"127.0.0.1", "::1", "localhost"}


def require_safe_url(url: str, noun: str) -> None:
    """Raise ValidationFailed unless it is the base URL of a server, over HTTPS."""
    if "://" not in url:
        scheme = "http" if _host(f"//{url}") in LOCAL_HOSTS else "https"
        raise ValidationFailed(f"{url} has no scheme: write {scheme}://{url}.")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ValidationFailed(f"{url} is not a valid URL.") from None
    if not host or parts.username is not None or parts.query or parts.fragment:
        raise ValidationFailed(f"{url} is not the base URL of a {noun}.")
    is_local = parts.scheme == "http" and host in LOCAL_HOSTS
    if parts.scheme != "https" and not is_local:
        raise ValidationFailed(f"{url} must begin with https://.")


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None
