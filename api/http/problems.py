"""How a refusal is told in HTTP, as RFC 9457 says."""

from api.http.middleware import Response
from api.http.problem_types import KINDS
from models.base import canonical_json
from models.errors import Refusal

MEDIA_TYPE = "application/problem+json"

# What a kind tells in headers, from the members of its refusal.
_RETRY = {"rate-limited": None, "idempotency-in-progress": 1, "storage-busy": 2}
_CHALLENGES = {
    "missing-credentials": "Bearer",
    "invalid-key": 'Bearer error="invalid_token"',
    "key-revoked": 'Bearer error="invalid_token"',
    "key-expired": 'Bearer error="invalid_token"',
}


def problem(
    refusal: Refusal, *, site_url: str, instance: str, request_id: str
) -> Response:
    """Return the refusal as RFC 9457 says."""
    kind = KINDS[refusal.kind]
    members = dict(refusal.members)
    headers = _headers(refusal, members)
    body = {
        "type": f"{site_url}/problems/{refusal.kind}/",
        "title": kind.title,
        "status": kind.status,
        "detail": refusal.detail,
        "instance": instance,
        "requestId": request_id,
    }
    body |= {name: value for name, value in members.items() if value != []}
    return Response(canonical_json(body) + b"\n", kind.status, headers)


def _headers(refusal: Refusal, members: dict[str, object]) -> dict[str, str]:
    headers = {"Content-Type": MEDIA_TYPE, "Cache-Control": "no-store"}
    if refusal.kind in _CHALLENGES:
        headers["WWW-Authenticate"] = _CHALLENGES[refusal.kind]
    if refusal.kind == "insufficient-scope":
        headers["WWW-Authenticate"] = (
            f'Bearer error="insufficient_scope", scope="{members["requiredScope"]}"'
        )
    if refusal.kind in _RETRY:
        wait = members.pop("retryAfter", None) or _RETRY[refusal.kind] or 1
        headers["Retry-After"] = str(wait)
    if allow := members.pop("allow", None):
        headers["Allow"] = str(allow)
    return headers
