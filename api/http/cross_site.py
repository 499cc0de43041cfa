"""
Refuse requests that another site has a browser send.

The session's cookie is SameSite=Lax: browsers send it with links of other sites, which
only read, and not with their forms. Still every form that changes something is checked,
because a proxy that signs people in has a cookie of its own.
"""

from urllib.parse import urlsplit

from api.http.request import RequestHeaders

SAFE_METHODS = ("GET", "HEAD")
# What browsers say of a request that a page of ours, or the person, has caused.
OWN_SITES = ("same-origin", "none")


def is_own_request(
    method: str, headers: RequestHeaders, *, is_browser: bool, site: str | None = None
) -> bool:
    """
    Return whether the person, or a page of ours, has caused the request.

    Pages of ours are on the same host, or have the origin of the `site`.

    A browser says where a request comes from in Sec-Fetch-Site or in Origin. A request
    with neither is from a program, which is believed unless it looks like a browser: it
    has a cookie, of whatever name, or a proxy says whose it is.
    """
    if method in SAFE_METHODS:
        return True
    relation, origin = headers.get("Sec-Fetch-Site"), headers.get("Origin")
    if origin is not None and origin == site:
        return True
    if relation is not None:
        return relation in OWN_SITES
    if origin is not None:
        return _host_of(origin) == (headers.get("Host") or "").lower()
    return not is_browser


def _host_of(origin: str) -> str:
    """Return host and port; the scheme may be that of a proxy in front of the API."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""
