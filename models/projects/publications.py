"""Which revisions were public when, by the feed of what happened."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from models.projects.activity import ActivityRow
from models.projects.document import (
    DOCUMENTS,
    DocumentRevisionRow,
    DocumentRow,
)
from models.projects.project import ProjectRow
from models.projects.versioned import AT_ONCE

PUBLISHED = "document.published"


@dataclass(frozen=True)
class Publication:
    """A revision becoming public; `previous` is the version that was, if any."""

    number: int
    document_id: str
    previous: int | None


@dataclass(frozen=True)
class Revision:
    """The words of a document at one version."""

    title: str
    summary: str | None
    content: str


def newest_publication() -> int:
    """Return the number of the last publication of the docs, 0 where none was."""
    newest = _publications().order_by(ActivityRow.number.desc()).first()
    return newest.number if newest else 0


def publications_after(number: int) -> list[Publication]:
    """Return the publications of the docs with higher numbers, oldest first."""
    query = _publications().where(ActivityRow.number > number)
    return [
        Publication(
            row.number, row.entity_id, (row.metadata or {}).get("previousVersion")
        )
        for row in query.order_by(ActivityRow.number)
    ]


def revisions_at(versions: Mapping[str, int]) -> Iterator[Revision]:
    """Yield the words of documents at their versions, in the order of the mapping."""
    rest = iter(versions.items())
    while chunk := dict(islice(rest, AT_ONCE)):
        public = {row.document_id: row for row in _public(list(chunk))}
        for id, version in chunk.items():
            row = public.get(id)
            if row is None or row.version != version:
                row = DocumentRevisionRow.get(document=id, version=version)
            yield Revision(row.title, row.summary, row.content)


def _publications() -> Any:
    docs = ProjectRow.select(ProjectRow.id).where(ProjectRow.builtin)
    return ActivityRow.select(
        ActivityRow.number, ActivityRow.entity_id, ActivityRow.metadata
    ).where(ActivityRow.project.in_(docs) & (ActivityRow.action == PUBLISHED))


def _public(ids: list[str]) -> Any:
    return (
        DocumentRevisionRow.select(
            DocumentRevisionRow.document,
            DocumentRevisionRow.version,
            DocumentRevisionRow.title,
            DocumentRevisionRow.summary,
            DocumentRevisionRow.content,
        )
        .join(DocumentRow, on=DOCUMENTS.at_version(DocumentRow.published_version))
        .where(DocumentRow.id.in_(ids))
    )
