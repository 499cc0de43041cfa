"""Other systems: how an address in one is written, and whose it is."""

from urllib.parse import SplitResult, urlsplit

# Whose address it is, by the end of its host.
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
ELSEWHERE = "web"


def read_url(value: str) -> str:
    """Return the address as it is, or say what is wrong with it."""
    if any(each.isspace() or not each.isprintable() for each in value):
        raise ValueError("Must be an address without spaces or control characters.")
    parts = _split(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("Must be an address that begins with http:// or https://.")
    if "@" in parts.netloc:
        raise ValueError("Must not name a user or a password.")
    return value


def system_of(url: str | None) -> str:
    """Name the system at the address, `web` where it is none that we know."""
    host = (_split(url).hostname or "") if url else ""
    for end, system in SYSTEMS.items():
        if host == end or host.endswith("." + end.removeprefix(".")):
            return system
    return ELSEWHERE


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port  # read here, since reading it is what checks it
    except ValueError:
        raise ValueError("Must be an address with a host and a port.") from None
    return parts
