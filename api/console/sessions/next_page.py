"""Find the page that follows after signing in."""

import re
from urllib.parse import unquote

from flask import current_app, request
from werkzeug.exceptions import HTTPException

from api.console.console_page import CONSOLE

SIGN_IN = CONSOLE + "sign-in/"
NEXT_FIELD = "_next"
# The endpoint of addresses below /console/ at which there is no page.
UNKNOWN = "console.unknown"


def next_page() -> str:
    """Return the page of the console that is to follow; never another site."""
    path = request.values.get(NEXT_FIELD) or request.args.get("next") or CONSOLE
    is_ours = path.startswith(CONSOLE) and "\\" not in path and path.isprintable()
    # A browser would leave the console for `..`, in whatever spelling.
    _, *parts = unquote(re.split("[?#]", path)[0]).split("/")
    leaves = {".", ".."} & {*parts} or "" in parts[:-1]
    is_ours = is_ours and not leaves
    return path if is_ours and not path.startswith(SIGN_IN) else CONSOLE


def readable_page(path: str) -> str:
    """Return the page on which a form is that is sent to an address, or one above."""
    adapter = current_app.url_map.bind("")
    page = path.partition("?")[0]
    while page != CONSOLE:
        try:
            endpoint, _ = adapter.match(page, "GET")
        except HTTPException:
            endpoint = UNKNOWN
        if endpoint != UNKNOWN:
            break
        page = page.rstrip("/").rpartition("/")[0] + "/"
    return path if path.partition("?")[0] == page else page
