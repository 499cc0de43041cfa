"""
Name and count the sections of documents.

They nest by their names: "Operating / Backups" is inside "Operating".
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from peewee import fn

from models.projects.documents.rows import DocumentRow

SEPARATOR = " / "


def section_parts(section: str | None) -> tuple[str, ...]:
    """Return the names of a section and of the sections around it, outermost first."""
    return tuple(part for part in (section or "").split(SEPARATOR) if part.strip())


class SectionCount(NamedTuple):
    """How many documents a section has, and how many of them are published."""

    collection: str | None
    section: str | None
    documents: int
    published: int


def count_sections(project_id: str) -> list[SectionCount]:
    """Count the documents of a project that are not archived, ordered by name."""
    collection, section = DocumentRow.collection, DocumentRow.section
    query = (
        DocumentRow.select(
            collection,
            section,
            fn.COUNT(DocumentRow.id),
            fn.COUNT(DocumentRow.published_version),
        )
        .where(DocumentRow.project == project_id, DocumentRow.archived_at.is_null())
        .group_by(collection, section)
    )
    rows: Iterable[Any] = query.tuples()
    counts = [SectionCount(*row) for row in rows]
    return sorted(counts, key=lambda row: (row.collection or "~", row.section or ""))


def known_sections(project_id: str) -> list[str]:
    """Return the names of a project's sections."""
    counts = count_sections(project_id)
    return sorted({row.section for row in counts if row.section})
