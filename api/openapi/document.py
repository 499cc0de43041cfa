"""Generate the OpenAPI 3.1 document from the declarations that dispatch requests."""

import inspect
from functools import cache
from typing import Any

from api.http.problem_types import describe_problems
from api.openapi.errors import error_responses, specific_kinds
from api.openapi.examples import Examples
from api.openapi.headers import header_components, request_headers, response_headers
from api.openapi.schemas import (
    all_schemas,
    body_schema,
    data_schema,
    published_schema,
    query_schema,
)
from api.openapi.webhooks import webhook_objects
from api.operation import OPERATIONS, Operation, declare_operations
from models.pagination import RankedQuery
from models.runtime.release import VERSION


@cache
def current_openapi(site_name: str) -> dict[str, Any]:
    """Return the document of this release, for all callers the same object."""
    declare_operations()
    return openapi_document(site_name, VERSION)


def describe_api(site_name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the site publishes of the API: problem types, and this document."""
    return describe_problems(), current_openapi(site_name)


def openapi_document(site_name: str, version: str) -> dict[str, Any]:
    """Return the document; equal declarations give equal documents."""
    paths: dict[str, dict[str, Any]] = {}
    schemas = all_schemas()
    for operation in sorted(OPERATIONS, key=lambda operation: operation.path):
        path_item = paths.setdefault(operation.path, {})
        path_item[operation.method.lower()] = _operation_object(operation, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": f"{site_name} API", "version": version},
        "servers": [{"url": "/"}],
        "security": [{"key": []}],
        "tags": _tags(),
        "paths": paths,
        "webhooks": webhook_objects(),
        "components": {
            "headers": header_components(),
            "schemas": {n: published_schema(s) for n, s in schemas.items()},
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _tags() -> list[dict[str, Any]]:
    """Return one tag for each noun of an area, with its page of the reference."""
    nouns = sorted({(operation.area, operation.noun) for operation in OPERATIONS})
    return [
        {
            "name": f"{area} {noun}",
            "externalDocs": {"url": f"/reference/{area}/{noun}/"},
        }
        for area, noun in nouns
    ]


def _operation_object(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    docstring = inspect.getdoc(operation.handler) or ""
    summary, _, description = docstring.partition("\n")
    page = f"/reference/{operation.area}/{operation.noun}/"
    operation_object: dict[str, Any] = {
        "operationId": operation.name.replace(":", "_").replace("-", "_"),
        "summary": summary.strip(),
        "description": (
            f"{description.strip()}\n\nScope: `{operation.scope}`."
        ).strip(),
        "externalDocs": {"url": f"{page}#{operation.anchor}"},
        "tags": [f"{operation.area} {operation.noun}"],
        "x-scope": operation.scope,
        "x-problems": specific_kinds(operation),
        "parameters": _parameters(operation, schemas) + request_headers(operation),
        "responses": _responses(operation, schemas) | error_responses(operation),
    }
    if schema := body_schema(operation):
        examples = Examples(schemas, is_response=False)
        content = {
            "application/json": {"schema": schema, "example": examples.value_of(schema)}
        }
        operation_object["requestBody"] = {"required": True, "content": content}
    elif operation.read_upload:
        operation_object["requestBody"] = {"required": True, "content": _FILE}
    if "requestBody" in operation_object:
        operation_object["x-most-bytes"] = operation.max_body_bytes
    return operation_object


def _parameters(operation: Operation, schemas: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the query parameters."""
    query, parameters = query_schema(operation), []
    schema_name = operation.request.__name__ if operation.request else ""
    examples = Examples(schemas, is_response=False)
    example_fields = examples.fields_of(query, schema_name)
    required = query.get("required", [])
    for name, field in published_schema(query)["properties"].items():
        parameter = {
            "name": name,
            "in": "query",
            "required": name in required,
            "description": field.pop("description"),
            "schema": _without_null(field),
        }
        if name in example_fields:
            parameter["example"] = example_fields[name]
        if parameter["schema"].get("type") == "array":
            # One parameter whose values are separated by commas.
            parameter |= {"style": "form", "explode": False}
        parameters.append(parameter)
    return parameters


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Remove null from the choices: a query has no null, only `required`."""
    choices = [c for c in schema.pop("anyOf", []) if c != {"type": "null"}]
    if len(choices) > 1:
        return schema | {"anyOf": choices}
    return schema | choices[0] if choices else schema


def _responses(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    headers = response_headers(operation)
    responses = {"200": _success(operation, schemas) | {"headers": headers}}
    if operation.etag:
        description = "Not modified since the response with the given ETag."
        responses["304"] = {"description": description, "headers": headers}
    return responses


def _success(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    if operation.is_download:
        return {"description": "The bytes of the file.", "content": _FILE}
    schema = data_schema(operation)
    examples = Examples(schemas, is_response=True)
    data_example = examples.value_of(schema)
    if operation.verb == "create" and "version" in data_example:
        # The example of other operations has a later version.
        data_example["version"] = 1
    example, properties = {"data": data_example}, {"data": schema}
    if operation.pagination:
        properties["meta"], example["meta"] = _META[operation.pagination]
        if operation.request and issubclass(operation.request, RankedQuery):
            properties["meta"] = _RANKED_META
    response_schema = {
        "type": "object",
        "required": sorted(properties),
        "properties": properties,
    }
    content = {"application/json": {"schema": response_schema, "example": example}}
    return {"description": "OK", "content": content}


# The content of a body that is a file of any type.
_FILE = {"*/*": {"schema": {"type": "string", "format": "binary"}}}
# The schema of `meta` in the responses of lists, with an example.
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
_RANKED_META = {
    "type": "object",
    "required": ["cursor"],
    "properties": {
        "cursor": {"type": ["string", "null"]},
        "sortedBy": {
            "const": "time",
            "description": "Present if the page follows those sorted by relevance: its"
            " entries are sorted by time, newest first.",
        },
    },
}
