"""The schemas of the OpenAPI document: every shape that is taken or given."""

from collections.abc import Iterator
from typing import Any, get_args, get_origin

from pydantic.json_schema import models_json_schema

from api.openapi.vocabulary import meaning_of
from api.operation import OPERATIONS, Operation
from models.base import Schema

REF = "#/components/schemas/{model}"
# What pydantic calls the bounds of a number that was read by a function of ours.
_BOUNDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
}


def schemas() -> dict[str, Any]:
    """Return the schema of every shape by its name, each member with its meaning."""
    taken = {
        each.request for each in OPERATIONS if each.request and each.method == "POST"
    }
    given = {_given(each) for each in OPERATIONS}
    wanted = [(shape, "validation") for shape in taken]
    wanted += [(shape, "serialization") for shape in given]
    _, told = models_json_schema(
        sorted(wanted, key=lambda pair: pair[0].__name__),  # type: ignore[arg-type]
        by_alias=True,
        ref_template=REF,
    )
    found = {name: _tidied(each) for name, each in told["$defs"].items()}
    for area, name in _places(found):
        _explain(found[name], area, name)
    return dict(sorted({**found, "Problem": PROBLEM}.items()))


def query_of(operation: Operation) -> dict[str, Any]:
    """Return the schema of what a GET asks: its members are the parameters."""
    if operation.method != "GET" or not operation.request:
        return {"properties": {}}
    told = operation.request.model_json_schema(by_alias=True, ref_template=REF)
    schema = _tidied(told)
    _explain(schema, operation.area, operation.request.__name__)
    return schema


def body_of(operation: Operation) -> dict[str, Any] | None:
    """Return the schema of what a POST asks."""
    if operation.method == "GET" or not operation.request:
        return None
    return {"$ref": REF.format(model=operation.request.__name__)}


def data_of(operation: Operation) -> dict[str, Any]:
    """Return the schema of what an operation gives: a shape, or a list of one."""
    ref = {"$ref": REF.format(model=_given(operation).__name__)}
    is_list = get_origin(operation.response) is list
    return {"items": ref, "type": "array"} if is_list else ref


def _given(operation: Operation) -> type[Schema]:
    shape: type[Schema] = next(iter(get_args(operation.response)), operation.response)
    return shape


def _places(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each schema once, with the area that it is of."""
    seen = set()
    for each in OPERATIONS:
        waiting = [*_named_in([body_of(each), data_of(each)])]
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                waiting += _named_in(found[name])
                yield each.area, name


def _named_in(node: Any) -> Iterator[str]:
    """Yield the names of the schemas that a part of the document refers to."""
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"].rsplit("/", 1)[-1]
        node = list(node.values())
    if isinstance(node, list):
        for each in node:
            yield from _named_in(each)


def _explain(schema: dict[str, Any], area: str, shape: str) -> None:
    for name, member in schema.get("properties", {}).items():
        member["description"] = meaning_of(area, shape, name)


def _tidied(schema: dict[str, Any]) -> dict[str, Any]:
    required = schema.get("required", [])
    members = schema.get("properties", {})
    tidied = {name: _tidy(each, name in required) for name, each in members.items()}
    return schema | {"properties": tidied}


def _tidy(schema: dict[str, Any], required: bool) -> dict[str, Any]:
    """Leave out titles made from names, and a default that stands for nothing."""
    told = _bounded({name: each for name, each in schema.items() if name != "title"})
    if not required and told.get("default", ...) is None:
        del told["default"]
    return told


def _bounded(schema: Any) -> Any:
    """Say the bounds of numbers in the words of JSON Schema."""
    if isinstance(schema, list):
        return [_bounded(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {_BOUNDS.get(name, name): _bounded(each) for name, each in schema.items()}


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
