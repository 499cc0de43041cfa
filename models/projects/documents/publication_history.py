"""Which revisions were public when, by the feed of what happened."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from models.projects.documents.rows import DOCUMENTS, DocumentRevisionRow, DocumentRow
from models.projects.projects.activity import ActivityRow
from models.projects.projects.rows import ProjectRow
from models.projects.versioning.versioned import AT_ONCE

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


# Of one document: what lies longer back is forgotten, and so is what is too much.
MOST_REVISIONS, MOST_BYTES = 20, 2 * 1024 * 1024


@dataclass(frozen=True)
class EarlierRevision:
    id: str
    document_id: str
    version: int
    title: str
    digest: str
    size: int

    def content(self) -> str:
        row = DocumentRevisionRow.get_by_id(self.id)
        return str(row.content)


def earlier_revisions(versions: Mapping[str, int]) -> dict[str, list[EarlierRevision]]:
    """
    Return by document what was public, oldest first, but for the version named.

    A version that was public several times counts as of the last time.
    """
    found: dict[str, dict[int, None]] = {}
    ids = list(versions)
    for start in range(0, len(ids), AT_ONCE):
        _gather(found, ids[start : start + AT_ONCE])
    wanted = {
        id: [each for each in of if each != versions[id]][-MOST_REVISIONS:]
        for id, of in found.items()
    }
    return {id: of for id, of in _revisions(wanted).items() if of}


def of_several_versions() -> set[str]:
    """Return the public documents that may have shown another version before."""
    is_meant = (DocumentRow.version > 1) & DocumentRow.published_version.is_null(False)
    rows: Any = DocumentRow.select(DocumentRow.id).where(is_meant).tuples()
    return {id for (id,) in rows}


def _gather(found: dict[str, dict[int, None]], ids: list[str]) -> None:
    for id, metadata in _publications_of(ids):
        of = found.setdefault(id, {})
        version = metadata["version"]
        of.pop(version, None)
        of[version] = None


def _publications_of(ids: list[str]) -> Any:
    """Return id and metadata of each publication, oldest first."""
    is_one = ActivityRow.entity_id.in_(ids) & (ActivityRow.action == PUBLISHED)
    told = ActivityRow.select(ActivityRow.entity_id, ActivityRow.metadata)
    return told.where(is_one).order_by(ActivityRow.number).tuples()


def _revisions(wanted: Mapping[str, list[int]]) -> dict[str, list[EarlierRevision]]:
    found: dict[str, list[EarlierRevision]] = {}
    for id, versions in wanted.items():
        query = DocumentRevisionRow.select(
            DocumentRevisionRow.id,
            DocumentRevisionRow.document.alias("document_id"),
            DocumentRevisionRow.version,
            DocumentRevisionRow.title,
            DocumentRevisionRow.digest,
            DocumentRevisionRow.size,
        ).where(
            (DocumentRevisionRow.document == id)
            & DocumentRevisionRow.version.in_(versions)
        )
        made: Any = query.objects(EarlierRevision)
        rows = {each.version: each for each in made}
        newest_first = [rows[each] for each in reversed(versions) if each in rows]
        found[id] = _affordable(newest_first)[::-1]
    return found


def _affordable(revisions: list[EarlierRevision]) -> list[EarlierRevision]:
    kept, bytes_ = [], 0
    for each in revisions:
        bytes_ += each.size
        if bytes_ > MOST_BYTES:
            break
        kept.append(each)
    return kept
