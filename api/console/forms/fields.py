"""Describe the fields of an operation's form, by its schema in the OpenAPI document."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

from api.console.forms.labels import value_name
from api.openapi.schemas import request_schema
from api.operation import Operation
from models.locales import Locale

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
    # Of its text in the languages, unless the label is somebody's own.
    name: str = ""


@dataclass(frozen=True)
class Field:
    """A field of a form; `name` is that of the request's JSON or query."""

    name: str
    help: str
    kind: Kind
    is_required: bool
    # Whether null says something else than leaving the field out.
    is_nullable: bool
    default: Any = None
    options: tuple[Option, ...] = ()
    # Of a text, or the number of items of a list.
    min_length: int = 0
    max_length: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    is_integer: bool = False
    # Whether an empty text or list is a value, which differs from leaving it out.
    allows_empty: bool = False

    def with_options(self, options: list[Option]) -> "Field":
        """Return the field with a choice of these, such as services that exist."""
        kind: Kind = "choices" if self.kind in ("lines", "choices") else "choice"
        return replace(self, kind=kind, options=tuple(options))

    def with_one_of(self, options: list[Option]) -> "Field":
        """Return the field with one choice; the value of an option may be a list."""
        return replace(self, kind="choice", options=tuple(options))

    def bounds(self, locale: Locale) -> str:
        """Return what a value may be, such as `At most 200 characters.`"""
        if self.kind in ("text", "textarea"):
            return _count(locale, "characters", self.min_length, self.max_length)
        if self.kind in ("lines", "choices", "json"):
            return _count(locale, "items", self.min_length, self.max_length)
        return _range(locale, self.minimum, self.maximum)


def _count(locale: Locale, unit: str, least: int, most: int | None) -> str:
    """Return `1 to 64 characters.`; without a bound, nothing is said of it."""
    if most is None:
        return locale.text(f"form.at-least-{unit}", count=least) if least > 1 else ""
    if least:
        return locale.text(f"form.from-to-{unit}", least=least, count=most)
    return locale.text(f"form.at-most-{unit}", count=most)


def _range(locale: Locale, least: float | None, most: float | None) -> str:
    if most is None:
        return locale.text("form.at-least", least=least) if least else ""
    if least is None:
        return locale.text("form.at-most", most=most)
    return locale.text("form.from-to", least=least, most=most)


@cache
def form_fields(operation: Operation) -> dict[str, Field]:
    """Return the fields of the operation's request by name, in their order."""
    schema = request_schema(operation)
    required = schema.get("required", ())
    fields = {
        name: _field(name, described, name in required)
        for name, described in schema["properties"].items()
    }
    if not is_query(operation):
        return fields
    # A parameter of a query is there with a text, or not there.
    return {
        name: replace(field, is_nullable=False, allows_empty=False)
        for name, field in fields.items()
    }


def is_query(operation: Operation) -> bool:
    """Return whether the fields are parameters of a query, and not a body of JSON."""
    return operation.method == "GET" or operation.read_upload is not None


def _field(name: str, described: Mapping[str, Any], is_required: bool) -> Field:
    variants = described.get("anyOf", [described])
    values = [variant for variant in variants if variant.get("type") != "null"]
    value = values[0] if len(values) == 1 else _joined(values)
    kind, options = _kind(value)
    return Field(
        name=name,
        help=described.get("description", ""),
        kind=kind,
        is_required=is_required,
        is_nullable=len(values) < len(variants),
        default=described.get("default"),
        options=tuple(Option(text, text, name=value_name(text)) for text in options),
        min_length=value.get("minLength", value.get("minItems", 0)),
        max_length=value.get("maxLength", value.get("maxItems")),
        minimum=_bound(value, "minimum", "exclusiveMinimum", 1),
        maximum=_bound(value, "maximum", "exclusiveMaximum", -1),
        is_integer=value.get("type") == "integer",
        allows_empty=_allows_empty(kind, value),
    )


def _bound(
    value: Mapping[str, Any], keyword: str, exclusive: str, step: int
) -> float | None:
    """Return a bound that is itself allowed, as controls have them."""
    bound: float | None = value.get(keyword)
    beyond: float | None = value.get(exclusive)
    if bound is not None or beyond is None:
        return bound
    # The next number after a fraction has no end; the operation refuses the bound.
    return beyond + step if value.get("type") == "integer" else beyond


def _allows_empty(kind: Kind, value: Mapping[str, Any]) -> bool:
    if kind in ("text", "textarea"):
        has_form = "pattern" in value or "format" in value
        return not has_form and value.get("minLength", 0) == 0
    return kind in ("lines", "choices") and value.get("minItems", 0) == 0


def _joined(variants: list[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return one description for values of several kinds, such as an id or `none`."""
    for variant in variants:
        if variant.get("type") == "boolean":
            # The others are texts that a query has in its place.
            return variant
    texts = [_constants(variant) for variant in variants]
    if all(texts):
        return {"enum": [text for constants in texts for text in constants]}
    open_texts = [variant for variant in variants if not _constants(variant)]
    is_text = all(variant.get("type") == "string" for variant in open_texts)
    return open_texts[0] if is_text else {}


def _constants(variant: Mapping[str, Any]) -> list[str]:
    """Return the values of a variant that has few."""
    return [variant["const"]] if "const" in variant else variant.get("enum", [])


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
        item = _joined(variants)
        if "enum" in item:
            return "choices", item["enum"]
    is_text = item.get("type") == "string"
    is_long = item.get("maxLength", 0) > LONGEST_LINE
    return ("lines" if is_text and not is_long else "json"), []
