"""
Pin the files that a publication shows, so that only publishing changes a page.

A version shows the contents that its files had when it was published. A publication
of the newest version takes the files as they are; going back to an older version shows
what that version showed.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from peewee import chunked

from models.projects.documents.rows import DocumentRow
from models.projects.files.names import candidate_names, referenced_paths
from models.projects.files.rows import (
    FileContentRow,
    FileRow,
    PinnedFileRow,
    digests_by_name,
)
from models.projects.projects.rows import ProjectRow
from models.projects.versioning.versioned import BATCH_SIZE

# The digest of each file that a version of a document shows, by name.
Pins = dict[str, str]


class PinnedFile(NamedTuple):
    """The content that a page shows under a name."""

    name: str
    digest: str
    size: int
    width: int | None
    height: int | None


@dataclass(frozen=True)
class ProjectFiles:
    """The digests of a project's files by name, as they are now."""

    digests: Mapping[str, str]

    @classmethod
    def from_project(cls, project: ProjectRow) -> "ProjectFiles":
        return cls(digests_by_name(project))

    def named_in(self, document: DocumentRow, text: str) -> Pins:
        """Return the files that the text of a document refers to."""
        if not self.digests:
            return {}
        names = _possible_names(document, text)
        return {name: self.digests[name] for name in names if name in self.digests}


class PinBatch:
    """What many publications of newest versions in one project show."""

    def __init__(self, project: ProjectRow) -> None:
        self._files = ProjectFiles.from_project(project)
        self._shown = _shown_pins(project)
        self._new: dict[str, tuple[DocumentRow, Pins]] = {}

    def is_outdated(self, document: DocumentRow) -> bool:
        """Return whether a publication of the document would show other files."""
        return self._pins(document) != self._shown.get(document.id, {})

    def pin(self, document: DocumentRow) -> None:
        self._new[document.id] = document, self._pins(document)

    def save(self) -> None:
        for document, pins in self._new.values():
            if pins or document.id in self._shown:
                replace_pins(document, document.version, pins)
        self._new.clear()

    def _pins(self, document: DocumentRow) -> Pins:
        return self._files.named_in(document, document.content)


def _shown_pins(project: ProjectRow) -> dict[str, Pins]:
    """Return what the published versions in the project show, by document."""
    query = (
        PinnedFileRow.select(
            PinnedFileRow.document, PinnedFileRow.name, PinnedFileRow.content
        )
        .join(DocumentRow)
        .where(
            (DocumentRow.project == project.id)
            & (PinnedFileRow.version == DocumentRow.published_version)
        )
    )
    pins: dict[str, Pins] = {}
    rows: Iterable[Any] = query.tuples()
    for document_id, name, digest in rows:
        pins.setdefault(document_id, {})[name] = digest
    return pins


def files_named_in(document: DocumentRow, text: str) -> Pins:
    """Return the current files that the text of one document refers to."""
    names = set(_possible_names(document, text))
    if not names:
        return {}
    if len(names) > BATCH_SIZE:
        return ProjectFiles.from_project(document.project).named_in(document, text)
    is_named = (FileRow.project == document.project_id) & FileRow.name.in_(names)
    query = FileRow.select(FileRow.name, FileRow.content).where(is_named)
    rows: Any = query.tuples()
    return dict(rows)


def pins_to_show(document: DocumentRow, version: int, text: str) -> Pins:
    """Return what a publication of this version, which has this text, shows."""
    current = files_named_in(document, text)
    is_older = version < document.version
    return current | pins_of(document, version) if is_older else current


def pins_of(document: DocumentRow, version: int) -> Pins:
    """Return what the version showed when it was last published."""
    query = PinnedFileRow.select(PinnedFileRow.name, PinnedFileRow.content)
    rows: Any = query.where(_is_of(document, version)).tuples()
    return dict(rows)


def replace_pins(document: DocumentRow, version: int, pins: Pins) -> None:
    PinnedFileRow.delete().where(_is_of(document, version)).execute()
    rows = [
        {"document": document.id, "version": version, "name": name, "content": digest}
        for name, digest in sorted(pins.items())
    ]
    for batch in chunked(rows, BATCH_SIZE):
        PinnedFileRow.insert_many(batch).execute()


def published_pins() -> dict[str, dict[str, PinnedFile]]:
    """Return what the pages of the public docs show: by document, then by name."""
    docs = ProjectRow.select(ProjectRow.id).where(ProjectRow.builtin)
    query = (
        PinnedFileRow.select(
            PinnedFileRow.document,
            PinnedFileRow.name,
            FileContentRow.digest,
            FileContentRow.size,
            FileContentRow.width,
            FileContentRow.height,
        )
        .join(FileContentRow)
        .switch(PinnedFileRow)
        .join(DocumentRow)
        .where(
            DocumentRow.project.in_(docs)
            & (DocumentRow.published_version == PinnedFileRow.version)
            & DocumentRow.archived_at.is_null()
        )
        .order_by(PinnedFileRow.document, PinnedFileRow.name)
    )
    pins: dict[str, dict[str, PinnedFile]] = {}
    rows: Iterable[Any] = query.tuples()
    for document_id, *fields in rows:
        pinned = PinnedFile(*fields)
        pins.setdefault(document_id, {})[pinned.name] = pinned
    return pins


def documents_with_files(ids: Iterable[str]) -> set[str]:
    """Return those of the documents whose published version shows a file."""
    showing: set[str] = set()
    for batch in chunked(ids, BATCH_SIZE):
        query = (
            PinnedFileRow.select(PinnedFileRow.document)
            .join(DocumentRow)
            .where(
                DocumentRow.id.in_(batch)
                & (PinnedFileRow.version == DocumentRow.published_version)
            )
        )
        rows: Any = query.tuples()
        showing |= {id for (id,) in rows}
    return showing


def is_published(file: FileRow) -> bool:
    """Return whether a published document shows the file, in whatever state."""
    return bool(
        PinnedFileRow.select()
        .join(DocumentRow)
        .where(
            (DocumentRow.project == file.project_id)
            & (PinnedFileRow.name == file.name)
            & (PinnedFileRow.version == DocumentRow.published_version)
        )
        .exists()
    )


def _possible_names(document: DocumentRow, text: str) -> Iterator[str]:
    """Yield the names that files have if the text refers to them."""
    tree, path = document.source_tree, document.source_path
    for reference in referenced_paths(text):
        yield from candidate_names(reference, tree, path)


def _is_of(document: DocumentRow, version: int) -> Any:
    return (PinnedFileRow.document == document.id) & (PinnedFileRow.version == version)
