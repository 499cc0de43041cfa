"""The headers of requests and answers, as the OpenAPI document tells them."""

from typing import Any

from api.http.request_parsing import BARE_KEY, QUOTED_KEY
from api.operation import Operation

_HEADER = "#/components/headers/{name}"

IDEMPOTENCY_KEY: dict[str, Any] = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "pattern": f"^(?:{BARE_KEY}|{QUOTED_KEY})$"},
    "description": "A repeat within 24 hours gets the first answer.",
}
DRY_RUN: dict[str, Any] = {
    "name": "Dry-Run",
    "in": "header",
    "required": False,
    "schema": {"enum": ["true", "false"]},
    "description": "With true the change is rehearsed: nothing is kept.",
}
IF_NONE_MATCH: dict[str, Any] = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "description": "The ETag of an answer at hand: while it is the same, 304.",
}
# What answers carry, and what it says.
_ANSWERED = {
    "Dry-Run": "true where the change was only rehearsed.",
    "ETag": "Names the answer, for If-None-Match.",
    "Idempotent-Replayed": "true where this is the first answer, told again.",
    "Link": "Where the next page is, as rel=next.",
    "RateLimit": "What is left of the key's rate, as the IETF draft says it.",
    "RateLimit-Policy": "The key's rate.",
    "Site-Generation": "The generation of the site that shows the change.",
    "X-Request-Id": "The id of the request: that of the caller, or a new one.",
}


def asked_headers(operation: Operation) -> list[dict[str, Any]]:
    """Return what a request may be sent with, beside the key."""
    found = [IF_NONE_MATCH] if operation.etag else []
    if operation.mutates:
        required = {"required": operation.idempotent == "required"}
        found += [IDEMPOTENCY_KEY | required, DRY_RUN]
    return found


def answered_headers(operation: Operation) -> dict[str, Any]:
    """Return what an answer carries."""
    names = ["RateLimit", "RateLimit-Policy", "X-Request-Id"]
    if operation.mutates:
        names += ["Dry-Run", "Idempotent-Replayed"]
    if operation.rebuilds:
        names.append("Site-Generation")
    if operation.etag:
        names.append("ETag")
    if operation.paged == "cursor":
        names.append("Link")
    return {name: {"$ref": _HEADER.format(name=name)} for name in sorted(names)}


def headers() -> dict[str, Any]:
    return {
        name: {"description": told, "schema": {"type": "string"}}
        for name, told in _ANSWERED.items()
    }
