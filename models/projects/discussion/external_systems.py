"""Validate the URLs of external references, and name the system they belong to."""

from urllib.parse import SplitResult, urlsplit

# By the domain, or by the suffix of the host where it begins with a dot.
SYSTEMS = {
    "github.com": "github",
    "gitlab.com": "gitlab",
    "bitbucket.org": "bitbucket",
    "linear.app": "linear",
    ".atlassian.net": "jira",
    "sentry.io": "sentry",
    "figma.com": "figma",
    "notion.so": "notion",
}
OTHER_SYSTEM = "web"


def read_url(value: str) -> str:
    """Return the URL unchanged, or raise ValueError if it is not usable."""
    if any(char.isspace() or not char.isprintable() for char in value):
        raise ValueError("Must be a URL without spaces or control characters.")
    parts = _split(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("Must be a URL that begins with http:// or https://.")
    if "@" in parts.netloc:
        raise ValueError("Must not contain a user name or a password.")
    return value


def system_of(url: str | None) -> str:
    """Return the system of a URL, `web` if the host is unknown or there is none."""
    host = (_split(url).hostname or "") if url else ""
    for domain, system in SYSTEMS.items():
        if host == domain or host.endswith("." + domain.removeprefix(".")):
            return system
    return OTHER_SYSTEM


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port  # Reading the port validates it.
    except ValueError:
        raise ValueError("Must be a URL with a valid host and port.") from None
    return parts
