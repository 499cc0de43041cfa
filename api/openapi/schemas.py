"""Generate the schemas of requests and responses for the OpenAPI document."""

from typing import Any, get_args, get_origin

from pydantic.json_schema import (
    CoreModeRef,
    DefsRef,
    GenerateJsonSchema,
    models_json_schema,
)

from api.operation import OPERATIONS, Operation
from models.base import Schema

REF = "#/components/schemas/{model}"
# The keywords of JSON Schema for the bounds that pydantic leaves under its own names
# where a number is parsed by a function of ours.
_BOUNDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
}


class _NamedByClass(GenerateJsonSchema):
    """
    Names schemas after their classes, whose names differ.

    By default, six names of each schema are compared with those of all others, which
    takes as long as everything else.
    """

    def get_defs_ref(self, core_mode_ref: CoreModeRef) -> DefsRef:
        ref = super().get_defs_ref(core_mode_ref)
        class_name, *_ = self._prioritized_defsref_choices[ref]
        # The second is for a class whose requests and responses have other schemas.
        self._prioritized_defsref_choices[ref] = [class_name, ref]
        return ref


def all_schemas() -> dict[str, Any]:
    """Return the schemas of all bodies and responses by name, with descriptions."""
    bodies = {
        operation.request
        for operation in OPERATIONS
        if operation.request and body_schema(operation)
    }
    models = [(model, "validation") for model in bodies]
    responses = {_response_model(o) for o in OPERATIONS if not o.is_download}
    models += [(model, "serialization") for model in responses]
    _, generated = models_json_schema(
        sorted(models, key=lambda pair: pair[0].__name__),  # type: ignore[arg-type]
        by_alias=True,
        ref_template=REF,
        schema_generator=_NamedByClass,
    )
    schemas = _tidy_all(generated["$defs"])
    return dict(sorted({**schemas, "Problem": PROBLEM}.items()))


def published_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema without what examples are made from."""
    fields = {
        name: {key: value for key, value in field.items() if key != "examples"}
        for name, field in schema["properties"].items()
    }
    kept = {key: value for key, value in schema.items() if key != "exampleFields"}
    return kept | {"properties": fields}


def query_schema(operation: Operation) -> dict[str, Any]:
    """
    Return the schema of the query; its properties are the parameters.

    Only a GET has one, and a POST whose body is a file.
    """
    return {"properties": {}} if body_schema(operation) else request_schema(operation)


def request_schema(operation: Operation) -> dict[str, Any]:
    """Return the schema of the operation's request by itself, with descriptions."""
    if operation.request is None:
        return {"properties": {}}
    generated = operation.request.model_json_schema(
        by_alias=True, ref_template=REF, schema_generator=_NamedByClass
    )
    return _tidy(generated) | {"$defs": _tidy_all(generated.get("$defs", {}))}


def body_schema(operation: Operation) -> dict[str, Any] | None:
    """Return a reference to the schema of a body; None unless it is JSON."""
    if operation.method == "GET" or operation.read_upload or not operation.request:
        return None
    return {"$ref": REF.format(model=operation.request.__name__)}


def data_schema(operation: Operation) -> dict[str, Any]:
    """Return a reference to the schema of `data` in the response, or a list of it."""
    ref = {"$ref": REF.format(model=_response_model(operation).__name__)}
    is_list = get_origin(operation.response) is list
    return {"items": ref, "type": "array"} if is_list else ref


def _response_model(operation: Operation) -> type[Schema]:
    """Return the schema of the response, or of its items if it is a list."""
    model: type[Schema] = next(iter(get_args(operation.response)), operation.response)
    return model


def _tidy_all(schemas: dict[str, Any]) -> dict[str, Any]:
    return {name: _tidy(schema) for name, schema in schemas.items()}


def _tidy(schema: dict[str, Any]) -> dict[str, Any]:
    required = schema.get("required", [])
    fields = schema.get("properties", {})
    tidied = {name: _tidy_field(f, name in required) for name, f in fields.items()}
    return schema | {"properties": tidied}


def _tidy_field(field: dict[str, Any], is_required: bool) -> dict[str, Any]:
    """Drop the title, which repeats the name, and the default of optional fields."""
    tidied = _with_bounds({key: v for key, v in field.items() if key != "title"})
    if not is_required and tidied.get("default", ...) is None:
        del tidied["default"]
    return tidied | _take_help(tidied)


def _take_help(schema: dict[str, Any]) -> dict[str, Any]:
    """
    Remove the description and the example from the schema, and return them.

    They may be those of a type: in one of the choices, or in the items of a list.
    """
    names = ("description", "examples")
    taken = {name: schema.pop(name) for name in names if name in schema}
    parts = [*schema.get("anyOf", ()), schema.get("items")]
    for part in filter(None, parts):
        taken = _take_help(part) | taken
    return taken


def _with_bounds(node: Any) -> Any:
    """Rename pydantic's bounds of numbers to the keywords of JSON Schema."""
    if isinstance(node, list):
        return [_with_bounds(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {_BOUNDS.get(key, key): _with_bounds(value) for key, value in node.items()}


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
