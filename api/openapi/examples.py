"""Make example requests and responses from the schemas."""

import zlib
from dataclasses import dataclass
from typing import Any

TIMESTAMP = "2026-03-01T12:00:00.000Z"
# A UUID of version 7, as every id; the last part depends on the name of its field.
ID = "0199d6c1-3b6a-7a10-8d5f-{part:012x}"


@dataclass(frozen=True)
class Examples:
    """
    Makes examples of these schemas; equal declarations give equal examples.

    A response has all fields. A request has its required fields, and those that its
    schema names.
    """

    schemas: dict[str, Any]
    is_response: bool

    def value_of(
        self, schema: dict[str, Any], schema_name: str = "", field: str = ""
    ) -> Any:
        """Return an example value: that of the field, or one that fits the schema."""
        if "examples" in schema:
            (example,) = schema["examples"]
            is_item = schema.get("type") == "array" and not isinstance(example, list)
            return [example] if is_item else example
        return self._from_schema(schema, schema_name, field)

    def fields_of(self, schema: dict[str, Any], schema_name: str) -> dict[str, Any]:
        """Return an example value for each field of an object that has to have one."""
        names = {*schema.get("required", ()), *schema.get("exampleFields", ())}
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
    raise LookupError(f"The field {name} has no example.")
