"""Describe the fields of an operation's form, by its schema in the OpenAPI document."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

from api.console.forms.labels import field_label, value_label
from api.openapi.schemas import request_schema
from api.operation import Operation

# How a field is shown: `moment` is a date with a time in UTC, `lines` a list with a
# line for each item, `json` whatever has no control of its own.
Kind = Literal[
    "text", "textarea", "choice", "choices", "lines", "flag", "moment", "number", "json"
]
# A longer text needs several lines.
LONGEST_LINE = 320


@dataclass(frozen=True)
class Option:
    value: str
    label: str
    # The heading under which it is listed, if the options have any.
    group: str = ""


@dataclass(frozen=True)
class Field:
    """A field of a form; `name` is that of the request's JSON or query."""

    name: str
    label: str
    help: str
    kind: Kind
    is_required: bool
    # Whether null says something else than leaving the field out.
    is_nullable: bool
    default: Any = None
    options: tuple[Option, ...] = ()
    max_length: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    is_integer: bool = False

    def with_options(self, options: list[Option]) -> "Field":
        """Return the field with a choice of these, such as services that exist."""
        kind: Kind = "choices" if self.kind in ("lines", "choices") else "choice"
        return replace(self, kind=kind, options=tuple(options))


@cache
def form_fields(operation: Operation) -> dict[str, Field]:
    """Return the fields of the operation's request by name, in their order."""
    schema = request_schema(operation)
    required = schema.get("required", ())
    return {
        name: _field(name, described, name in required)
        for name, described in schema["properties"].items()
    }


def _field(name: str, described: Mapping[str, Any], is_required: bool) -> Field:
    variants = described.get("anyOf", [described])
    values = [variant for variant in variants if variant.get("type") != "null"]
    value = values[0] if len(values) == 1 else _joined(values)
    kind, options = _kind(value)
    return Field(
        name=name,
        label=field_label(name),
        help=described.get("description", ""),
        kind=kind,
        is_required=is_required,
        is_nullable=len(values) < len(variants),
        default=described.get("default"),
        options=tuple(Option(text, value_label(text)) for text in options),
        max_length=value.get("maxLength"),
        minimum=value.get("minimum", value.get("exclusiveMinimum")),
        maximum=value.get("maximum"),
        is_integer=value.get("type") == "integer",
    )


def _joined(variants: list[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return one description for values of several kinds, such as an id or `none`."""
    texts = [v for v in variants if v.get("type") == "string" and "const" not in v]
    if texts and len(texts) == len([v for v in variants if "const" not in v]):
        return texts[0]
    return {}


def _kind(value: Mapping[str, Any]) -> tuple[Kind, list[str]]:
    if "enum" in value:
        return "choice", value["enum"]
    match value.get("type"):
        case "boolean":
            return "flag", []
        case "integer" | "number":
            return "number", []
        case "array":
            return _list_kind(value["items"])
        case "string" if value.get("format") == "date-time":
            return "moment", []
        case "string":
            is_long = value.get("maxLength", 0) > LONGEST_LINE
            return ("textarea" if is_long else "text"), []
    return "json", []


def _list_kind(item: Mapping[str, Any]) -> tuple[Kind, list[str]]:
    if "enum" in item:
        return "choices", item["enum"]
    if variants := item.get("anyOf"):
        values = [text for v in variants for text in v.get("enum", [v.get("const")])]
        return "choices", values
    is_text = item.get("type") == "string"
    is_long = item.get("maxLength", 0) > LONGEST_LINE
    return ("lines" if is_text and not is_long else "json"), []
