"""Describe the headers of requests and responses for the OpenAPI document."""

from typing import Any

from api.http.request_parsing import BARE_KEY, QUOTED_KEY
from api.operation import DRY_RUN_SECRET, Operation

_HEADER = "#/components/headers/{name}"

IDEMPOTENCY_KEY: dict[str, Any] = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "pattern": f"^(?:{BARE_KEY}|{QUOTED_KEY})$"},
    "description": (
        "A unique value for the request. A retry with the same value within 24 hours"
        " returns the original response."
    ),
}
DRY_RUN: dict[str, Any] = {
    "name": "Dry-Run",
    "in": "header",
    "required": False,
    "schema": {"enum": ["true", "false"]},
    "description": "If true, the request is processed but no change is saved.",
}
IF_NONE_MATCH: dict[str, Any] = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "description": "The ETag of an earlier response. If it still matches: 304.",
}
_RESPONSE_HEADERS = {
    "Dry-Run": "true if no change was saved because of the header Dry-Run.",
    "ETag": "Identifies this version of the response, for If-None-Match.",
    "Idempotent-Replayed": "true if this is the original response to an earlier try.",
    "Link": "The URL of the next page, with rel=next.",
    "Masthead-Warning": (
        "Names the scopes of the request that open no operation, each with the nearest"
        " one that does. Absent if there are none."
    ),
    "RateLimit": "What is left of the key's rate limit, as in the IETF draft.",
    "RateLimit-Policy": "The key's rate limit.",
    "Site-Generation": "The generation of the site that shows the change.",
    "X-Request-Id": "The request ID: the client's own, or a generated one.",
}


def request_headers(operation: Operation) -> list[dict[str, Any]]:
    """Return the header parameters of an operation, except Authorization."""
    headers = [IF_NONE_MATCH] if operation.etag else []
    if operation.is_mutation:
        required = {"required": operation.idempotent == "required"}
        headers += [IDEMPOTENCY_KEY | required, _dry_run(operation)]
    return headers


def _dry_run(operation: Operation) -> dict[str, Any]:
    if operation.secret_field is None:
        return DRY_RUN
    secret = f" The response has {DRY_RUN_SECRET} instead of a secret."
    return DRY_RUN | {"description": DRY_RUN["description"] + secret}


def response_headers(operation: Operation) -> dict[str, Any]:
    """Return references to the headers of an operation's successful responses."""
    names = ["RateLimit", "RateLimit-Policy", "X-Request-Id"]
    if operation.is_mutation:
        names += ["Dry-Run", "Idempotent-Replayed"]
    if operation.warning:
        names.append("Masthead-Warning")
    if operation.rebuilds:
        names.append("Site-Generation")
    if operation.etag:
        names.append("ETag")
    if operation.pagination == "cursor":
        names.append("Link")
    return {name: {"$ref": _HEADER.format(name=name)} for name in sorted(names)}


def header_components() -> dict[str, Any]:
    return {
        name: {"description": description, "schema": {"type": "string"}}
        for name, description in _RESPONSE_HEADERS.items()
    }
