"""The revisions of documents that were public before the one that is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from models.projects.activity import ActivityRow
from models.projects.document import DocumentRevisionRow, DocumentRow
from models.projects.publications import PUBLISHED
from models.projects.versioned import AT_ONCE

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
    for id, metadata in _publications(ids):
        of = found.setdefault(id, {})
        version = metadata["version"]
        of.pop(version, None)
        of[version] = None


def _publications(ids: list[str]) -> Any:
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
