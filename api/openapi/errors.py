"""What each operation refuses with, as the OpenAPI document tells it."""

from typing import Any

from api.http.problem_types import KINDS
from api.openapi.schemas import REF
from api.operation import Operation

# What every operation may answer beside its own refusals.
COMMON = (
    "validation-failed",
    "missing-credentials",
    "invalid-key",
    "key-revoked",
    "key-expired",
    "insufficient-scope",
    "actor-not-allowed",
    "rate-limited",
    "internal-error",
)
COMMON_GET = ("malformed-request",)
COMMON_POST = (
    "malformed-request",
    "payload-too-large",
    "unsupported-media-type",
    "storage-busy",
)
COMMON_MUTATION = (
    "idempotency-key-invalid",
    "idempotency-key-reused",
    "idempotency-in-progress",
)


def own_kinds(operation: Operation) -> list[str]:
    """Return the kinds that not every operation of its sort refuses with."""
    kinds = {each.kind for each in operation.errors}
    if operation.mutates and operation.idempotent == "required":
        kinds.add("idempotency-key-missing")
    if operation.paged == "cursor":
        kinds.add("invalid-cursor")
    return sorted(kinds, key=lambda kind: (KINDS[kind].status, kind))


def refusals(operation: Operation) -> dict[str, Any]:
    """Return the responses that are problems, by their status."""
    kinds = {*COMMON, *own_kinds(operation)}
    kinds |= set(COMMON_GET if operation.method == "GET" else COMMON_POST)
    if operation.mutates:
        kinds |= set(COMMON_MUTATION)
    by_status: dict[str, list[str]] = {}
    for kind in sorted(kinds):
        by_status.setdefault(str(KINDS[kind].status), []).append(kind)
    content = {
        "application/problem+json": {"schema": {"$ref": REF.format(model="Problem")}}
    }
    return {
        status: {
            "description": ", ".join(found),
            "content": content,
            "x-problems": found,
        }
        for status, found in sorted(by_status.items())
    }
