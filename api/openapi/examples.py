"""Make example requests and responses from the schemas and the vocabulary."""

import zlib
from dataclasses import dataclass
from typing import Any

from api.openapi.vocabulary import example_fields, vocabulary_entry

TIMESTAMP = "2026-03-01T12:00:00.000Z"
# A UUID of version 7, as every id; the last part depends on the name of its field.
ID = "0199d6c1-3b6a-7a10-8d5f-{part:012x}"


@dataclass(frozen=True)
class Examples:
    """
    Makes the examples of one area; equal declarations give equal examples.

    A response has all fields. A request has its required fields, and those that the
    vocabulary lists for its schema.
    """

    schemas: dict[str, Any]
    area: str
    is_response: bool

    def value_of(
        self, schema: dict[str, Any], schema_name: str = "", field: str = ""
    ) -> Any:
        """Return an example value: the vocabulary's, or one that fits the schema."""
        entry = vocabulary_entry(self.area, schema_name, field) if field else ""
        if isinstance(entry, tuple):
            _, example = entry
            is_item = schema.get("type") == "array" and not isinstance(example, list)
            return [example] if is_item else example
        return self._from_schema(schema, schema_name, field)

    def fields_of(self, schema: dict[str, Any], schema_name: str) -> dict[str, Any]:
        """Return an example value for each field of an object that has to have one."""
        names = {*schema.get("required", ()), *example_fields(self.area, schema_name)}
        return {
            name: self.value_of(field_schema, schema_name, name)
            for name, field_schema in schema["properties"].items()
            if self.is_response or name in names
        }

    def _from_schema(self, schema: dict[str, Any], schema_name: str, field: str) -> Any:
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[-1]
            return self.fields_of(self.schemas[name], name)
        if "anyOf" in schema:
            return self._from_schema(schema["anyOf"][0], schema_name, field)
        if schema.get("type") == "array":
            return [self._from_schema(schema["items"], schema_name, field)]
        if schema.get("default") is not None:
            return schema["default"]
        return _scalar(schema, f"{schema_name}.{field}")


def _scalar(schema: dict[str, Any], name: str) -> Any:
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if name.endswith((".id", "Id", "Ids", "By")):
        return ID.format(part=zlib.crc32(name.partition(".")[2].encode()))
    match schema.get("format", schema["type"]):
        case "date-time":
            return TIMESTAMP
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return False
        case "object":
            return {}
    raise LookupError(f"The vocabulary has no example of {name}.")
