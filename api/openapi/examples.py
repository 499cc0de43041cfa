"""Examples of what is asked and answered, made from the schemas and the vocabulary."""

import zlib
from dataclasses import dataclass
from typing import Any

from api.openapi.vocabulary import shown_of, word_of

MOMENT = "2026-03-01T12:00:00.000Z"
# Of version 7, as every id of ours; the last part tells what it is the id of.
ID = "0199d6c1-3b6a-7a10-8d5f-{part:012x}"


@dataclass(frozen=True)
class Examples:
    """
    Makes the examples of one area; equal declarations make equal examples.

    An answer has every member. A question has those that it must have, and those that
    the vocabulary wants shown.
    """

    schemas: dict[str, Any]
    area: str
    are_answers: bool

    def of(self, schema: dict[str, Any], shape: str = "", member: str = "") -> Any:
        """Return an example of what the member of a shape says."""
        word = word_of(self.area, shape, member) if member else ""
        if isinstance(word, tuple):
            is_item = schema.get("type") == "array" and not isinstance(word[1], list)
            return [word[1]] if is_item else word[1]
        return self._from(schema, shape, member)

    def members(self, schema: dict[str, Any], shape: str) -> dict[str, Any]:
        """Return an example of each member of an object that is to be shown."""
        wanted = {*schema.get("required", ()), *shown_of(self.area, shape)}
        return {
            name: self.of(told, shape, name)
            for name, told in schema["properties"].items()
            if self.are_answers or name in wanted
        }

    def _from(self, schema: dict[str, Any], shape: str, member: str) -> Any:
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[-1]
            return self.members(self.schemas[name], name)
        if "anyOf" in schema:
            return self._from(schema["anyOf"][0], shape, member)
        if schema.get("type") == "array":
            return [self._from(schema["items"], shape, member)]
        if schema.get("default") is not None:
            return schema["default"]
        return _plain(schema, f"{shape}.{member}")


def _plain(schema: dict[str, Any], name: str) -> Any:
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if name.endswith((".id", "Id", "Ids", "By")):
        return ID.format(part=zlib.crc32(name.partition(".")[2].encode()))
    match schema.get("format", schema["type"]):
        case "date-time":
            return MOMENT
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return False
        case "object":
            return {}
    raise LookupError(f"The vocabulary has no example of {name}.")
