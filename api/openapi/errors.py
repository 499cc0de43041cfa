"""Describe the error responses of each operation for the OpenAPI document."""

from typing import Any

from api.http.problem_types import PROBLEM_TYPES
from api.openapi.schemas import REF
from api.operation import Operation

# The kinds of problems that operations may respond with besides those they declare.
COMMON = (
    "validation-failed",
    "missing-credentials",
    "invalid-key",
    "key-revoked",
    "key-expired",
    "insufficient-scope",
    "actor-not-allowed",
    "rate-limited",
    "headers-too-large",
    "internal-error",
)
COMMON_GET = ("malformed-request",)
COMMON_POST = (
    "malformed-request",
    "payload-too-large",
    "unsupported-media-type",
    "transfer-encoding-unsupported",
    "server-busy",
    "storage-busy",
)
COMMON_MUTATION = (
    "idempotency-key-invalid",
    "idempotency-key-reused",
    "idempotency-in-progress",
)


def specific_kinds(operation: Operation) -> list[str]:
    """Return the kinds that the operation declares, or that follow from its request."""
    kinds = {error.kind for error in operation.errors}
    if operation.is_mutation and operation.idempotent == "required":
        kinds.add("idempotency-key-missing")
    if operation.secret_field is not None:
        kinds.add("idempotency-secret-sealed")
    if operation.pagination is not None:
        kinds.add("query-too-costly")
    if operation.pagination == "cursor":
        kinds.add("invalid-cursor")
    return sorted(kinds, key=lambda kind: (PROBLEM_TYPES[kind].status, kind))


def error_responses(operation: Operation) -> dict[str, Any]:
    """Return the problem responses of the operation, by status."""
    kinds = {*COMMON, *specific_kinds(operation)}
    kinds |= set(COMMON_GET if operation.method == "GET" else COMMON_POST)
    if operation.is_mutation:
        kinds |= set(COMMON_MUTATION)
    kinds_by_status: dict[str, list[str]] = {}
    for kind in sorted(kinds):
        status = str(PROBLEM_TYPES[kind].status)
        kinds_by_status.setdefault(status, []).append(kind)
    content = {
        "application/problem+json": {"schema": {"$ref": REF.format(model="Problem")}}
    }
    return {
        status: {
            "description": ", ".join(kinds),
            "content": content,
            "x-problems": kinds,
        }
        for status, kinds in sorted(kinds_by_status.items())
    }
