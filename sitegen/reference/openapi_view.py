"""What the description of the API tells, put for people: types, limits, examples."""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from sitegen.markdown.highlighting import highlighted

JsonSchema = Mapping[str, Any]

_WORDS = {
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
# What is counted, by the two words of JSON Schema that bound it.
_COUNTED = {
    ("minLength", "maxLength"): " characters",
    ("minItems", "maxItems"): " items",
    ("minimum", "maximum"): "",
}


def nouns(openapi: JsonSchema) -> dict[str, list[dict[str, Any]]]:
    """Return the operations of each noun, by the address of its page."""
    found: dict[str, list[dict[str, Any]]] = {
        tag["externalDocs"]["url"]: [] for tag in openapi.get("tags", ())
    }
    for path, methods in openapi.get("paths", {}).items():
        for method, told in methods.items():
            href = told["externalDocs"]["url"]
            page, _, anchor = href.partition("#")
            names = {"id": anchor, "href": href, "path": path, "told": told}
            found[page].append(names | {"method": method.upper()})
    return found


def operation_line(operation: JsonSchema) -> dict[str, str]:
    """Return an operation as a line of a list."""
    names = ("id", "href", "method", "path")
    told = {name: operation[name] for name in names}
    return told | {"summary": operation["told"]["summary"]}


def refusing(openapi: JsonSchema) -> dict[str, list[dict[str, str]]]:
    """
    Return which operations refuse with each kind of their own accord.

    With a kind that has none of these, all operations of a sort refuse alike.
    """
    found: dict[str, list[dict[str, str]]] = {}
    for each in chain.from_iterable(nouns(openapi).values()):
        for kind in _kinds(each["told"]):
            own = found.setdefault(kind, [])
            if kind in each["told"]["x-problems"]:
                own.append(operation_line(each))
    return found


def detail_of(
    operation: JsonSchema, openapi: JsonSchema, problems: Mapping[str, Any]
) -> dict[str, Any]:
    """Return all that is told of an operation."""
    told = operation["told"]
    parameters, own = told["parameters"], told["x-problems"]
    refusal = partial(_refusal, problems)
    return operation_line(operation) | {
        "paragraphs": _paragraphs(told["description"]),
        "scope": told["x-scope"],
        "mostBytes": told.get("x-most-bytes"),
        "headers": [each for each in parameters if each["in"] == "header"],
        "parameters": [_parameter(p) for p in parameters if p["in"] == "query"],
        "members": list(_members(_body_of(told), openapi)),
        "request": _code(_curl(operation), "bash"),
        "answer": _code(_json(_example_of(told["responses"]["200"])), "json"),
        "answered": sorted(told["responses"]["200"]["headers"]),
        "own": [refusal(kind) for kind in own],
        "others": [refusal(kind) for kind in _kinds(told) if kind not in own],
    }


def _kinds(told: JsonSchema) -> list[str]:
    answers = told["responses"].values()
    return [kind for each in answers for kind in each.get("x-problems", ())]


def _paragraphs(description: str) -> list[str]:
    parts = [" ".join(each.split()) for each in description.split("\n\n")]
    return [each for each in parts if not each.startswith("Scope: ")]


def _refusal(problems: Mapping[str, Any], kind: str) -> dict[str, Any]:
    told = problems[kind]
    return {
        "kind": kind,
        "href": f"/problems/{kind}/",
        "status": told["status"],
        "title": told["title"],
    }


def _body_of(told: JsonSchema) -> JsonSchema:
    if "requestBody" not in told:
        return {}
    found: JsonSchema = told["requestBody"]["content"]["application/json"]["schema"]
    return found


def _example_of(told: JsonSchema) -> Any:
    return told["content"]["application/json"]["example"]


def _members(
    schema: JsonSchema, openapi: JsonSchema, before: str = ""
) -> Iterator[Any]:
    """Yield the members of an object, each followed by those within it."""
    found = _named_in(schema, openapi)
    required = found.get("required", ())
    for name, member in found.get("properties", {}).items():
        yield _row(before + name, member, name in required, member["description"])
        is_list = member.get("type") == "array"
        inner = member["items"] if is_list else member
        yield from _members(inner, openapi, f"{before}{name}{'[]' * is_list}.")


def _named_in(schema: JsonSchema, openapi: JsonSchema) -> JsonSchema:
    if "$ref" not in schema:
        return {}
    found: JsonSchema = openapi["components"]["schemas"][
        schema["$ref"].rsplit("/", 1)[-1]
    ]
    return found


def _parameter(told: JsonSchema) -> dict[str, Any]:
    found = _row(told["name"], told["schema"], told["required"], told["description"])
    if told.get("explode") is False:
        parts = (found["limits"], "separated by commas")
        found["limits"] = "; ".join(filter(None, parts))
    return found


def _row(name: str, schema: JsonSchema, required: bool, meaning: str) -> dict[str, Any]:
    default = schema.get("default")
    return {
        "name": name,
        "required": required,
        "type": _type(schema),
        "words": _choices(schema),
        "limits": "; ".join(_limits(schema)),
        "default": None if default in (None, [], {}) else _said(default),
        "meaning": meaning,
    }


def _type(schema: JsonSchema) -> str:
    if "anyOf" in schema:
        # Last what the words follow.
        kinds = sorted(schema["anyOf"], key=lambda each: bool(_enum(each)))
        return " or ".join(map(_type, kinds))
    if words := _enum(schema):
        return "one of" if len(words) > 1 else "the word"
    if schema.get("type") == "array":
        inner = _type(schema["items"])
        return "any of" if inner == "one of" else f"list of {inner}"
    kind: str = schema.get("format") or schema.get("type", "object")
    return _WORDS.get(kind, kind)


def _choices(schema: JsonSchema) -> list[str]:
    """Return the words of which a member is one, or those of its items."""
    inner = [schema, schema.get("items", {}), *schema.get("anyOf", ())]
    return [str(word) for each in inner for word in _enum(each) if word]


def _enum(schema: JsonSchema) -> list[Any]:
    found: list[Any] = schema.get("enum", [])
    return found or ([schema["const"]] if "const" in schema else [])


def _limits(schema: JsonSchema) -> Iterator[str]:
    for (least, most), unit in _COUNTED.items():
        if most in schema:
            start = f"{schema[least]:,} to " if least in schema else "at most "
            yield f"{start}{schema[most]:,}{unit}"
        elif schema.get(least, 1) > 1:
            yield f"at least {schema[least]:,}{unit}"
    if "exclusiveMaximum" in schema:
        yield f"below {schema['exclusiveMaximum']:,}"
    if "items" in schema:
        yield from (f"each {told}" for told in _limits(schema["items"]))
    for each in schema.get("anyOf", ()):
        yield from _limits(each)


def _curl(operation: JsonSchema) -> str:
    """Return the request as a command; API is the address, KEY the key."""
    told = operation["told"]
    lines = [
        f'curl -sS "$API{operation["path"]}{_query(told["parameters"])}"',
        '-H "Authorization: Bearer $KEY"',
    ]
    if any(
        p["name"] == "Idempotency-Key" and p["required"] for p in told["parameters"]
    ):
        lines.append(f'-H "Idempotency-Key: {operation["id"]}-1"')
    if "requestBody" in told:
        body = _json(_example_of(told["requestBody"])).replace("'", "'\\''")
        lines.append(f"--json '{body}'")
    return " \\\n  ".join(lines) + "\n"


def _query(parameters: list[dict[str, Any]]) -> str:
    shown = [each for each in parameters if "example" in each]
    words = [f"{each['name']}={quote(_said(each['example']), ',')}" for each in shown]
    return "?" + "&".join(words) if words else ""


def _said(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(_said, value))
    return value if isinstance(value, str) else json.dumps(value)


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _code(text: str, language: str) -> Markup:
    return Markup(highlighted(text, language))  # noqa: S704  (it escapes)
