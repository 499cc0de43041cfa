"""Keep the token of a session in a cookie."""

import re

from werkzeug.wrappers import Response

from api.http.clients import client_address
from api.http.request import Request

# Browsers accept the prefix only with Secure, Path=/ and no Domain, so no other host
# can set the cookie.
NAME = "__Host-masthead"
# On loopback without TLS a browser would not keep that one.
LOCAL_NAME = "masthead-console"
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "[::1]")
MAX_AGE_SECONDS = 7 * 86_400
# A link in a chat or a mail opens the console for whoever is signed in. Forms and
# embedded content of other sites are sent without the cookie.
SAME_SITE = "Lax"


def cookie_name(request: Request) -> str:
    host = re.sub(r":[0-9]+$", "", request.headers.get("Host") or "")
    is_local = host in LOOPBACK_HOSTS and client_address(request) in (
        "127.0.0.1",
        "::1",
    )
    is_plain = request.headers.get("X-Forwarded-Proto") != "https"
    return LOCAL_NAME if is_local and is_plain else NAME


def set_cookie(response: Response, request: Request, token: str) -> None:
    name = cookie_name(request)
    response.set_cookie(
        name,
        token,
        max_age=MAX_AGE_SECONDS,
        path="/",
        secure=name == NAME,
        httponly=True,
        samesite=SAME_SITE,
    )


def delete_cookie(response: Response, request: Request) -> None:
    name = cookie_name(request)
    response.delete_cookie(
        name, path="/", secure=name == NAME, httponly=True, samesite=SAME_SITE
    )
