"""Turn the OpenAPI document into data for the pages of the API reference."""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any

from markupsafe import Markup

from sitegen.markdown.highlighting import highlight
from sitegen.reference.examples import ExampleRequest, curl, javascript, python

JsonSchema = Mapping[str, Any]
OpenApi = Mapping[str, Any]

_TYPE_LABELS = {
    "array": "list",
    "boolean": "true or false",
    "date-time": "date-time",
    "integer": "whole number",
    "null": "null",
    "number": "number",
    "object": "object",
    "string": "text",
    "uuid": "UUID",
}
# The unit of the limits, by their minimum and maximum keywords of JSON Schema.
_LIMIT_UNITS = {
    ("minLength", "maxLength"): " characters",
    ("minItems", "maxItems"): " items",
    ("minimum", "maximum"): "",
}


def operations_by_page(openapi: OpenApi) -> dict[str, list[dict[str, Any]]]:
    """Return the operations of each noun, by the address of the noun's page."""
    by_page: dict[str, list[dict[str, Any]]] = {
        tag["externalDocs"]["url"]: [] for tag in openapi.get("tags", ())
    }
    for path, methods in openapi.get("paths", {}).items():
        for method, spec in methods.items():
            href = spec["externalDocs"]["url"]
            page, _, anchor = href.partition("#")
            by_page[page].append(
                {
                    "id": anchor,
                    "href": href,
                    "path": path,
                    "method": method.upper(),
                    "spec": spec,
                }
            )
    return by_page


def operation_summary(operation: JsonSchema) -> dict[str, str]:
    """Return an operation as an item of a list."""
    names = ("id", "href", "method", "path")
    summary = {name: operation[name] for name in names}
    return summary | {"summary": operation["spec"]["summary"]}


def operations_by_problem(openapi: OpenApi) -> dict[str, list[dict[str, str]]]:
    """
    Return the operations that declare each problem type.

    The list is empty for problems that all operations of some kind have in common.
    """
    by_type: dict[str, list[dict[str, str]]] = {}
    for operation in chain.from_iterable(operations_by_page(openapi).values()):
        for problem_type in _problem_types(operation["spec"]):
            operations = by_type.setdefault(problem_type, [])
            if problem_type in operation["spec"]["x-problems"]:
                operations.append(operation_summary(operation))
    return by_type


def operation_detail(
    operation: JsonSchema, openapi: OpenApi, problems: Mapping[str, Any]
) -> dict[str, Any]:
    """Return everything that the reference shows of an operation."""
    spec = operation["spec"]
    parameters, own_errors = spec["parameters"], spec["x-problems"]
    error = partial(_error, problems)
    response = spec["responses"]["200"]
    example = _example(response)
    return operation_summary(operation) | {
        "paragraphs": _paragraphs(spec["description"]),
        "scope": spec["x-scope"],
        "maxBodyBytes": spec.get("x-most-bytes"),
        "headers": [
            parameter for parameter in parameters if parameter["in"] == "header"
        ],
        "parameters": [
            _query_parameter(parameter)
            for parameter in parameters
            if parameter["in"] == "query"
        ],
        "fields": list(_fields(_body_schema(spec), openapi)),
        "examples": _examples(operation),
        "response": None
        if example is None
        else _code(json.dumps(example, indent=2, ensure_ascii=False), "json"),
        "responseHeaders": sorted(response["headers"]),
        "ownErrors": [error(problem_type) for problem_type in own_errors],
        "commonErrors": [
            error(problem_type)
            for problem_type in _problem_types(spec)
            if problem_type not in own_errors
        ],
    }


def _problem_types(spec: JsonSchema) -> list[str]:
    return [
        problem_type
        for response in spec["responses"].values()
        for problem_type in response.get("x-problems", ())
    ]


def _paragraphs(description: str) -> list[str]:
    paragraphs = [" ".join(part.split()) for part in description.split("\n\n")]
    return [text for text in paragraphs if not text.startswith("Scope: ")]


def _error(problems: Mapping[str, Any], problem_type: str) -> dict[str, Any]:
    problem = problems[problem_type]
    return {
        "type": problem_type,
        "href": f"/problems/{problem_type}/",
        "status": problem["status"],
        "title": problem["title"],
    }


def _body_schema(spec: JsonSchema) -> JsonSchema:
    schema: JsonSchema = _json_content(spec.get("requestBody", {})).get("schema", {})
    return schema


def _example(body: JsonSchema) -> Any:
    """Return the example of a request or response; None if its body is a file."""
    return _json_content(body).get("example")


def _json_content(body: JsonSchema) -> JsonSchema:
    content: JsonSchema = body.get("content", {}).get("application/json", {})
    return content


def _fields(
    schema: JsonSchema, openapi: OpenApi, prefix: str = ""
) -> Iterator[dict[str, Any]]:
    """Yield the fields of an object, each followed by the fields inside it."""
    schema = _resolve_ref(schema, openapi)
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        yield _field(prefix + name, field, name in required, field["description"])
        is_list = field.get("type") == "array"
        inner = field["items"] if is_list else field
        yield from _fields(inner, openapi, f"{prefix}{name}{'[]' * is_list}.")


def _resolve_ref(schema: JsonSchema, openapi: OpenApi) -> JsonSchema:
    """Return the schema of an object, which is always a reference; else {}."""
    if "$ref" not in schema:
        return {}
    name = schema["$ref"].rsplit("/", 1)[-1]
    resolved: JsonSchema = openapi["components"]["schemas"][name]
    return resolved


def _query_parameter(parameter: JsonSchema) -> dict[str, Any]:
    field = _field(
        parameter["name"],
        parameter["schema"],
        parameter["required"],
        parameter["description"],
    )
    if parameter.get("explode") is False:
        limits = (field["limits"], "separated by commas")
        field["limits"] = "; ".join(filter(None, limits))
    return field


def _field(
    name: str, schema: JsonSchema, required: bool, description: str
) -> dict[str, Any]:
    default = schema.get("default")
    return {
        "name": name,
        "required": required,
        "type": _type(schema),
        "values": _values(schema),
        "limits": "; ".join(_limits(schema)),
        "default": None if default in (None, [], {}) else _format_value(default),
        "description": description,
    }


def _type(schema: JsonSchema) -> str:
    if "anyOf" in schema:
        # An enum comes last, since its values follow.
        schemas = sorted(schema["anyOf"], key=lambda option: bool(_enum(option)))
        return " or ".join(map(_type, schemas))
    if values := _enum(schema):
        return "one of" if len(values) > 1 else "the value"
    if schema.get("type") == "array":
        item_type = _type(schema["items"])
        return "any of" if item_type == "one of" else f"list of {item_type}"
    json_type: str = schema.get("format") or schema.get("type", "object")
    return _TYPE_LABELS.get(json_type, json_type)


def _values(schema: JsonSchema) -> list[str]:
    """Return the allowed values of an enum, or of the items of a list."""
    schemas = [schema, schema.get("items", {}), *schema.get("anyOf", ())]
    return [str(value) for option in schemas for value in _enum(option) if value]


def _enum(schema: JsonSchema) -> list[Any]:
    values: list[Any] = schema.get("enum", [])
    return values or ([schema["const"]] if "const" in schema else [])


def _limits(schema: JsonSchema) -> Iterator[str]:
    for (minimum, maximum), unit in _LIMIT_UNITS.items():
        if maximum in schema:
            start = f"{schema[minimum]:,} to " if minimum in schema else "at most "
            yield f"{start}{schema[maximum]:,}{unit}"
        elif schema.get(minimum, 1) > 1:
            yield f"at least {schema[minimum]:,}{unit}"
    if "exclusiveMaximum" in schema:
        yield f"below {schema['exclusiveMaximum']:,}"
    if "items" in schema:
        yield from (f"each {limit}" for limit in _limits(schema["items"]))
    for option in schema.get("anyOf", ()):
        yield from _limits(option)


def _examples(operation: JsonSchema) -> list[dict[str, Any]]:
    """Return the request of an operation in each language, highlighted."""
    request = _example_request(operation)
    return [
        {"name": name, "code": _code(write(request), language)}
        for name, language, write in (
            ("curl", "bash", curl),
            ("Python", "python", python),
            ("JavaScript", "javascript", javascript),
        )
    ]


def _example_request(operation: JsonSchema) -> ExampleRequest:
    spec = operation["spec"]
    is_keyed = any(
        parameter["name"] == "Idempotency-Key" and parameter["required"]
        for parameter in spec["parameters"]
    )
    body = _example(spec.get("requestBody", {}))
    return ExampleRequest(
        method=operation["method"],
        path=operation["path"],
        query={
            parameter["name"]: _format_value(parameter["example"])
            for parameter in spec["parameters"]
            if "example" in parameter
        },
        headers={"Idempotency-Key": f"{operation['id']}-1"} if is_keyed else {},
        body=body,
        sends_file="requestBody" in spec and body is None,
        returns_file="application/json" not in spec["responses"]["200"]["content"],
    )


def _format_value(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(_format_value, value))
    return value if isinstance(value, str) else json.dumps(value)


def _code(text: str, language: str) -> Markup:
    return Markup(highlight(text, language))  # noqa: S704  it escapes
