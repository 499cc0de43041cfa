"""Look up the description of each field of the API, and an example value."""

from typing import Any

from api.openapi.vocabulary import platform, projects, shared, status

# A description, with an example value where the schema cannot supply one.
Entry = str | tuple[str, Any]

_FIELDS: dict[str, dict[str, Entry]] = {
    "platform": platform.FIELDS,
    "projects": projects.FIELDS,
    "status": status.FIELDS,
}
_EXAMPLE_FIELDS = {
    "platform": platform.EXAMPLE_FIELDS,
    "projects": projects.EXAMPLE_FIELDS,
    "status": status.EXAMPLE_FIELDS,
}


def vocabulary_entry(area: str, schema: str, field: str) -> Entry:
    """Return the entry of a field: of this schema, of this area, or of all areas."""
    entries = _FIELDS[area]
    entry = entries.get(f"{schema}.{field}", entries.get(field))
    return shared.FIELDS[field] if entry is None else entry


def field_description(area: str, schema: str, field: str) -> str:
    entry = vocabulary_entry(area, schema, field)
    return entry if isinstance(entry, str) else entry[0]


def example_fields(area: str, schema: str) -> tuple[str, ...]:
    """Return the optional fields that an example request of the schema has."""
    return _EXAMPLE_FIELDS[area].get(schema, ())
