"""The OpenAPI 3.1 document, made from the declarations that dispatch requests."""

import inspect
from dataclasses import asdict
from typing import Any

from api.http.problem_types import KINDS
from api.openapi.errors import own_kinds, refusals
from api.openapi.examples import Examples
from api.openapi.headers import answered_headers, asked_headers, headers
from api.openapi.schemas import body_of, data_of, query_of, schemas
from api.operation import OPERATIONS, Operation, declare_operations
from models.runtime.release import VERSION
from models.settings import Settings


def described(settings: Settings) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the API says of itself, for pages: its problems, and the document."""
    declare_operations()
    problems = {kind: asdict(problem) for kind, problem in KINDS.items()}
    return problems, document(settings.site_name, VERSION)


def document(site_name: str, version: str) -> dict[str, Any]:
    """Return the whole document; equal declarations give equal documents."""
    paths: dict[str, dict[str, Any]] = {}
    shapes = schemas()
    for each in sorted(OPERATIONS, key=lambda each: each.path):
        told = _operation(each, shapes)
        paths.setdefault(each.path, {})[each.method.lower()] = told
    return {
        "openapi": "3.1.0",
        "info": {"title": f"{site_name} API", "version": version},
        "servers": [{"url": "/"}],
        "security": [{"key": []}],
        "tags": _tags(),
        "paths": paths,
        "components": {
            "headers": headers(),
            "schemas": shapes,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _tags() -> list[dict[str, Any]]:
    """Return the nouns of the areas, each with its page of the reference."""
    nouns = sorted({(each.area, each.noun) for each in OPERATIONS})
    return [
        {
            "name": f"{area} {noun}",
            "externalDocs": {"url": f"/reference/{area}/{noun}/"},
        }
        for area, noun in nouns
    ]


def _operation(operation: Operation, shapes: dict[str, Any]) -> dict[str, Any]:
    summary, _, description = inspect.getdoc(operation.handler).partition("\n")  # type: ignore[union-attr]
    where = f"/reference/{operation.area}/{operation.noun}/#{_anchor(operation)}"
    told: dict[str, Any] = {
        "operationId": operation.name.replace(":", "_").replace("-", "_"),
        "summary": summary.strip(),
        "description": (
            f"{description.strip()}\n\nScope: `{operation.scope}`."
        ).strip(),
        "externalDocs": {"url": where},
        "tags": [f"{operation.area} {operation.noun}"],
        "x-scope": operation.scope,
        "x-problems": own_kinds(operation),
        "parameters": _parameters(operation, shapes) + asked_headers(operation),
        "responses": _answers(operation, shapes) | refusals(operation),
    }
    if schema := body_of(operation):
        example = Examples(shapes, operation.area, are_answers=False).of(schema)
        content = {"application/json": {"schema": schema, "example": example}}
        told["requestBody"] = {"required": True, "content": content}
        told["x-most-bytes"] = operation.max_body_bytes
    return told


def _anchor(operation: Operation) -> str:
    """Return the verb; of two on one page the administrator's says that it is."""
    route = (operation.area, operation.noun, operation.verb)
    named = [e for e in OPERATIONS if (e.area, e.noun, e.verb) == route]
    is_second = len(named) > 1 and "/admin/" in operation.path
    return f"admin-{operation.verb}" if is_second else operation.verb


def _parameters(operation: Operation, shapes: dict[str, Any]) -> list[dict[str, Any]]:
    query, found = query_of(operation), []
    shape = operation.request.__name__ if operation.request else ""
    shown = Examples(shapes, operation.area, are_answers=False).members(query, shape)
    required = query.get("required", [])
    for name, member in query["properties"].items():
        parameter = {
            "name": name,
            "in": "query",
            "required": name in required,
            "description": member.pop("description"),
            "schema": _without_null(member),
        }
        if name in shown:
            parameter["example"] = shown[name]
        if parameter["schema"].get("type") == "array":
            # One parameter, its words separated by commas.
            parameter |= {"style": "form", "explode": False}
        found.append(parameter)
    return found


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A query has no null: what may be left out is said by `required`."""
    choices = [c for c in schema.pop("anyOf", []) if c != {"type": "null"}]
    if len(choices) > 1:
        return schema | {"anyOf": choices}
    return schema | choices[0] if choices else schema


def _answers(operation: Operation, shapes: dict[str, Any]) -> dict[str, Any]:
    told = answered_headers(operation)
    found = {"200": _answer(operation, shapes) | {"headers": told}}
    if operation.etag:
        same = "Not changed since the answer of the ETag sent."
        found["304"] = {"description": same, "headers": told}
    return found


def _answer(operation: Operation, shapes: dict[str, Any]) -> dict[str, Any]:
    data = data_of(operation)
    shown = Examples(shapes, operation.area, are_answers=True).of(data)
    if operation.verb == "create" and "version" in shown:
        # What was made just now has had no other.
        shown["version"] = 1
    example = {"data": shown}
    properties = {"data": data}
    if operation.paged:
        properties["meta"], meta = _META[operation.paged]
        example["meta"] = meta
    schema = {
        "type": "object",
        "required": sorted(properties),
        "properties": properties,
    }
    content = {"application/json": {"schema": schema, "example": example}}
    return {"description": "OK", "content": content}


# What stands beside the rows of a page, and an example of it.
_META: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "cursor": (
        {
            "type": "object",
            "required": ["cursor"],
            "properties": {"cursor": {"type": ["string", "null"]}},
        },
        {"cursor": None},
    ),
    "offset": (
        {
            "type": "object",
            "required": ["offset", "limit", "more"],
            "properties": {
                "offset": {"type": "integer"},
                "limit": {"type": "integer"},
                "more": {"type": "boolean"},
            },
        },
        {"offset": 0, "limit": 50, "more": False},
    ),
}
