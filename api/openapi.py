"""The OpenAPI 3.1 document, made from the declarations that dispatch requests."""

import inspect
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import models_json_schema

from api.asking import BARE_KEY, QUOTED_KEY
from api.kinds import KINDS
from api.operation import OPERATIONS, Operation
from models.base import Shape

REF = "#/components/schemas/{model}"
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


def document(site_name: str, version: str) -> dict[str, Any]:
    """Return the whole document; equal declarations give equal documents."""
    paths: dict[str, dict[str, Any]] = {}
    for each in sorted(OPERATIONS, key=lambda each: each.path):
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each)
    return {
        "openapi": "3.1.0",
        "info": {"title": f"{site_name} API", "version": version},
        "servers": [{"url": "/"}],
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: Operation) -> dict[str, Any]:
    summary, _, description = inspect.getdoc(operation.handler).partition("\n")  # type: ignore[union-attr]
    told: dict[str, Any] = {
        "operationId": operation.name.replace(":", "_").replace("-", "_"),
        "summary": summary.strip(),
        "description": (
            f"{description.strip()}\n\nScope: `{operation.scope}`."
        ).strip(),
        "tags": [operation.area],
        "x-scope": operation.scope,
        "parameters": _parameters(operation),
        "responses": _answers(operation) | _refusals(operation),
    }
    if operation.method == "POST" and operation.takes:
        schema = {"$ref": REF.format(model=operation.takes.__name__)}
        content = {"application/json": {"schema": schema}}
        told["requestBody"] = {"required": True, "content": content}
    return told


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    found = []
    if operation.method == "GET" and operation.takes:
        schema = operation.takes.model_json_schema(by_alias=True, ref_template=REF)
        required = schema.get("required", [])
        for name, told in schema["properties"].items():
            member = _tidy(told, name in required)
            parameter = {
                "name": name,
                "in": "query",
                "required": name in required,
                "schema": _without_null(member),
            }
            if parameter["schema"].get("type") == "array":
                # One parameter, its words separated by commas.
                parameter |= {"style": "form", "explode": False}
            found.append(parameter)
    if operation.revalidates:
        found.append(_IF_NONE_MATCH)
    return found + (_headers(operation) if operation.mutates else [])


_IF_NONE_MATCH: dict[str, Any] = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "description": "The ETag of an answer at hand: while it is the same, 304.",
}


def _headers(operation: Operation) -> list[dict[str, Any]]:
    """What a change may be sent with."""
    return [
        {
            "name": "Idempotency-Key",
            "in": "header",
            "required": operation.idempotent == "required",
            "schema": {"type": "string", "pattern": f"^(?:{BARE_KEY}|{QUOTED_KEY})$"},
            "description": "A repeat within 24 hours gets the first answer.",
        },
        {
            "name": "Dry-Run",
            "in": "header",
            "required": False,
            "schema": {"enum": ["true", "false"]},
            "description": "With true the change is rehearsed: nothing is kept.",
        },
    ]


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A query has no null: what may be left out is said by `required`."""
    choices = [c for c in schema.pop("anyOf", []) if c != {"type": "null"}]
    if len(choices) > 1:
        return schema | {"anyOf": choices}
    return schema | choices[0] if choices else schema


def _answers(operation: Operation) -> dict[str, Any]:
    if not operation.revalidates:
        return {"200": _answer(operation)}
    headers = {"ETag": {"schema": {"type": "string"}}}
    same = {"description": "Not changed since the answer of the ETag sent."}
    return {
        "200": _answer(operation) | {"headers": headers},
        "304": same | {"headers": headers},
    }


def _answer(operation: Operation) -> dict[str, Any]:
    data = TypeAdapter(operation.gives).json_schema(
        by_alias=True, ref_template=REF, mode="serialization"
    )
    data.pop("$defs", None)
    if "title" in data and isinstance(operation.gives, type):
        data = {"$ref": REF.format(model=operation.gives.__name__)}
    properties = {"data": data}
    if operation.paged:
        properties["meta"] = _META[operation.paged]
    schema = {
        "type": "object",
        "required": sorted(properties),
        "properties": properties,
    }
    return {"description": "OK", "content": {"application/json": {"schema": schema}}}


_META: dict[str, dict[str, Any]] = {
    "cursor": {
        "type": "object",
        "required": ["cursor"],
        "properties": {"cursor": {"type": ["string", "null"]}},
    },
    "offset": {
        "type": "object",
        "required": ["offset", "limit", "more"],
        "properties": {
            "offset": {"type": "integer"},
            "limit": {"type": "integer"},
            "more": {"type": "boolean"},
        },
    },
}


def _refusals(operation: Operation) -> dict[str, Any]:
    kinds = {*COMMON, *(each.kind for each in operation.refuses)}
    kinds |= set(COMMON_GET if operation.method == "GET" else COMMON_POST)
    if operation.mutates:
        kinds |= set(COMMON_MUTATION)
        if operation.idempotent == "required":
            kinds.add("idempotency-key-missing")
    if operation.paged == "cursor":
        kinds.add("invalid-cursor")
    by_status: dict[str, list[str]] = {}
    for kind in sorted(kinds):
        by_status.setdefault(str(KINDS[kind].status), []).append(kind)
    content = {
        "application/problem+json": {"schema": {"$ref": REF.format(model="Problem")}}
    }
    return {
        status: {"description": ", ".join(found), "content": content}
        for status, found in sorted(by_status.items())
    }


def _schemas() -> dict[str, Any]:
    taken = {each.takes for each in OPERATIONS if each.takes and each.method == "POST"}
    given = {shape for each in OPERATIONS for shape in _shapes_in(each.gives)}
    wanted = [(shape, "validation") for shape in taken]
    wanted += [(shape, "serialization") for shape in given]
    _, told = models_json_schema(
        sorted(wanted, key=lambda pair: pair[0].__name__),  # type: ignore[arg-type]
        by_alias=True,
        ref_template=REF,
    )
    schemas = {name: _tidy_object(each) for name, each in told["$defs"].items()}
    return dict(sorted({**schemas, "Problem": PROBLEM}.items()))


def _shapes_in(gives: Any) -> list[type[Shape]]:
    inner = getattr(gives, "__args__", (gives,))
    return [
        each for each in inner if isinstance(each, type) and issubclass(each, Shape)
    ]


def _tidy_object(schema: dict[str, Any]) -> dict[str, Any]:
    required = schema.get("required", [])
    members = schema.get("properties", {})
    tidied = {name: _tidy(each, name in required) for name, each in members.items()}
    return schema | {"properties": tidied}


def _tidy(schema: dict[str, Any], required: bool) -> dict[str, Any]:
    """Leave out titles made from names, and a default that stands for nothing."""
    told = {name: each for name, each in schema.items() if name != "title"}
    if not required and told.get("default", ...) is None:
        del told["default"]
    return told


PROBLEM: dict[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status"],
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "instance": {"type": "string"},
        "requestId": {"type": "string"},
        "errors": {"type": "array", "items": {"type": "object"}},
    },
}
