"""Find the document revisions that were public earlier, by the activity feed."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, islice
from typing import Any

from peewee import chunked

from models.base import MILLISECOND
from models.projects.documents.rows import DOCUMENTS, DocumentRevisionRow, DocumentRow
from models.projects.projects.activity import ActivityRow
from models.projects.projects.rows import ProjectRow
from models.projects.versioning.versioned import BATCH_SIZE

PUBLISHED = "document.published"
# The publications of an import are at most this far apart; those of other callers
# each have an instant of their own.
BATCH_TIME = 2 * MILLISECOND
# Texts that are read together; each may have half a million characters.
TEXT_BATCH_SIZE = 8
# Limits of the earlier revisions of one document; older ones are left out.
MAX_REVISIONS, MAX_BYTES = 20, 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Publication:
    """A revision becoming public; `previous` is the version that was, if any."""

    number: int
    document_id: str
    previous: int | None
    at: datetime


@dataclass(frozen=True)
class RevisionText:
    """The text of a document at one version."""

    title: str
    summary: str | None
    content: str


@dataclass(frozen=True)
class EarlierRevision:
    """A revision that was public; its content is read on demand."""

    id: str
    document_id: str
    version: int
    title: str
    digest: str
    size: int

    def content(self) -> str:
        row = DocumentRevisionRow.get_by_id(self.id)
        return str(row.content)


def last_publication_number() -> int:
    """Return the number of the last publication in the docs project, 0 if none."""
    last = _publications_of_docs().order_by(ActivityRow.number.desc()).first()
    return last.number if last else 0


def publications_after(number: int) -> list[Publication]:
    """Return the publications in the docs project after a number, oldest first."""
    query = _publications_of_docs().where(ActivityRow.number > number)
    # Each build reads hundreds of them, and tuples take a third of the time of rows.
    rows: Any = query.order_by(ActivityRow.number).tuples()
    return [
        Publication(number, document_id, (metadata or {}).get("previousVersion"), at)
        for number, document_id, metadata, at in rows
    ]


def batches(publications: Iterable[Publication]) -> Iterator[list[Publication]]:
    """Group the publications that were made together, such as those of an import."""
    batch: list[Publication] = []
    for publication in publications:
        if batch and abs(publication.at - batch[0].at) > BATCH_TIME:
            yield batch
            batch = []
        batch.append(publication)
    if batch:
        yield batch


def sizes_at(versions: Mapping[str, int]) -> dict[str, int]:
    """Return the size in bytes of each document at its version."""
    sizes: dict[str, int] = {}
    for batch in chunked(versions, BATCH_SIZE):
        rows: Any = (
            DocumentRevisionRow.select(
                DocumentRevisionRow.document,
                DocumentRevisionRow.version,
                DocumentRevisionRow.size,
            )
            .where(DocumentRevisionRow.document.in_(batch))
            .tuples()
        )
        sizes |= {id: size for id, version, size in rows if versions[id] == version}
    return sizes


def revisions_at(versions: Mapping[str, int]) -> Iterator[RevisionText]:
    """Yield the texts of documents at the versions, in the order of the mapping."""
    items = iter(versions.items())
    while batch := dict(islice(items, TEXT_BATCH_SIZE)):
        published = {row.document_id: row for row in _published_texts(list(batch))}
        for id, version in batch.items():
            row = published.get(id)
            if row is None or row.version != version:
                row = DocumentRevisionRow.get(document=id, version=version)
            yield RevisionText(row.title, row.summary, row.content)


def earlier_published_revisions(
    current: Mapping[str, int],
) -> dict[str, list[EarlierRevision]]:
    """
    Return the revisions that were public before, by document, oldest first.

    `current` names the published version of each document, which is left out. A
    version that was public several times counts from its last publication.
    """
    published: dict[str, list[int]] = {}
    for batch in chunked(current, BATCH_SIZE):
        published |= _published_versions(batch)
    earlier = {}
    for id, versions in published.items():
        others = [version for version in versions if version != current[id]]
        # Most documents have none, and a query for each would take seconds.
        if others and (revisions := _revisions(id, others[-MAX_REVISIONS:])):
            earlier[id] = revisions
    return earlier


def documents_with_several_versions() -> set[str]:
    """Return the ids of public documents that may have shown another version before."""
    condition = (DocumentRow.version > 1) & DocumentRow.published_version.is_null(False)
    rows: Any = DocumentRow.select(DocumentRow.id).where(condition).tuples()
    return {id for (id,) in rows}


def _publications_of_docs() -> Any:
    docs = ProjectRow.select(ProjectRow.id).where(ProjectRow.builtin)
    return ActivityRow.select(
        ActivityRow.number,
        ActivityRow.entity_id,
        ActivityRow.metadata,
        ActivityRow.created_at,
    ).where(ActivityRow.project.in_(docs) & (ActivityRow.action == PUBLISHED))


def _published_texts(ids: list[str]) -> Any:
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


def _published_versions(ids: list[str]) -> dict[str, list[int]]:
    """Return the versions that were published, by document, last published last."""
    condition = ActivityRow.entity_id.in_(ids) & (ActivityRow.action == PUBLISHED)
    query = ActivityRow.select(ActivityRow.entity_id, ActivityRow.metadata)
    rows: Any = query.where(condition).order_by(ActivityRow.number).tuples()
    versions: dict[str, dict[int, None]] = {}
    for id, metadata in rows:
        ordered = versions.setdefault(id, {})
        version = metadata["version"]
        ordered.pop(version, None)
        ordered[version] = None
    return {id: list(ordered) for id, ordered in versions.items()}


def _revisions(document_id: str, versions: list[int]) -> list[EarlierRevision]:
    """Return the newest revisions of the versions that fit into MAX_BYTES."""
    query = DocumentRevisionRow.select(
        DocumentRevisionRow.id,
        DocumentRevisionRow.document.alias("document_id"),
        DocumentRevisionRow.version,
        DocumentRevisionRow.title,
        DocumentRevisionRow.digest,
        DocumentRevisionRow.size,
    ).where(
        (DocumentRevisionRow.document == document_id)
        & DocumentRevisionRow.version.in_(versions)
    )
    rows: Any = query.objects(EarlierRevision)
    by_version = {revision.version: revision for revision in rows}
    newest_first = [by_version[v] for v in reversed(versions) if v in by_version]
    totals = accumulate(revision.size for revision in newest_first)
    count = sum(total <= MAX_BYTES for total in totals)
    return newest_first[:count][::-1]
