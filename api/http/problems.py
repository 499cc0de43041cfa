"""Turn a refusal into a problem response (RFC 9457)."""

from api.http.problem_types import PROBLEM_TYPES
from api.http.response import Response
from models.base import canonical_json
from models.errors import Refusal

MEDIA_TYPE = "application/problem+json"

# Seconds in Retry-After for the kinds that have it, if the refusal does not say.
_RETRY_AFTER = {
    "rate-limited": 1,
    "idempotency-in-progress": 1,
    "server-busy": 2,
    "storage-busy": 2,
}
_CHALLENGES = {
    "missing-credentials": "Bearer",
    "invalid-key": 'Bearer error="invalid_token"',
    "key-revoked": 'Bearer error="invalid_token"',
    "key-expired": 'Bearer error="invalid_token"',
}


def problem_response(
    refusal: Refusal, *, site_url: str, instance: str, request_id: str
) -> Response:
    """Return the problem for a refusal; some of its members become headers."""
    problem_type = PROBLEM_TYPES[refusal.kind]
    members = dict(refusal.members)
    headers = _headers(refusal.kind, members)
    body = {
        "type": f"{site_url}/problems/{refusal.kind}/",
        "title": problem_type.title,
        "status": problem_type.status,
        "detail": refusal.detail,
        "requestId": request_id,
    }
    if instance:
        body["instance"] = instance
    body |= {name: value for name, value in members.items() if value != []}
    return Response(canonical_json(body) + b"\n", problem_type.status, headers)


def _headers(kind: str, members: dict[str, object]) -> dict[str, str]:
    """Return the headers, and take the members that they contain out of `members`."""
    headers = {"Content-Type": MEDIA_TYPE, "Cache-Control": "no-store"}
    if kind in _CHALLENGES:
        headers["WWW-Authenticate"] = _CHALLENGES[kind]
    if kind == "insufficient-scope":
        scope = members["requiredScope"]
        headers["WWW-Authenticate"] = (
            f'Bearer error="insufficient_scope", scope="{scope}"'
        )
    if kind in _RETRY_AFTER:
        seconds = members.pop("retryAfter", None) or _RETRY_AFTER[kind]
        headers["Retry-After"] = str(seconds)
    if allow := members.pop("allow", None):
        headers["Allow"] = str(allow)
    return headers
