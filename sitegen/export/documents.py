"""Export documents as Markdown files that `docs import` can read."""

from collections.abc import Iterator
from itertools import count
from pathlib import PurePosixPath
from typing import Any

import yaml

from models.base import Schema
from models.fields import Id, Moment, format_moment
from models.projects.bundles.bundle_writer import (
    all_projects,
    document_revisions,
    documents_with_aliases,
)
from models.projects.documents.documents import Collection
from models.projects.documents.rows import DocumentRevisionRow, DocumentRow
from models.projects.projects.rows import ProjectRow
from sitegen.sources.source_file import INDEXES, SUFFIXES
from sitegen.sources.titles import split_heading
from sitegen.sources.tree import IGNORED_FOLDERS

FOLDER = "documents"
# The folder of documents without a collection.
NO_COLLECTION = "none"


class IndexedDocument(Schema):
    """A document with its place on the site, in the export, and in earlier versions."""

    project: str
    slug: str
    id: Id
    collection: Collection | None
    section: str | None
    position: int
    version: int
    published_version: int | None
    archived_at: Moment | None
    aliases: list[str]
    source_tree: str | None
    source_path: str | None
    source_address: str | None
    source_base: str | None
    language: str | None
    path: str
    nav_title: str | None
    is_listed: bool
    has_lead: bool
    file: str


def document_index() -> Iterator[IndexedDocument]:
    for project in all_projects():
        paths = DocumentPaths()
        for document, aliases in documents_with_aliases(project):
            fields: dict[str, Any] = {
                "project": project.slug,
                "aliases": aliases,
                "file": paths.path_of(document).as_posix(),
            }
            columns = IndexedDocument.model_fields.keys() - fields.keys()
            fields |= {name: getattr(document, name) for name in columns}
            yield IndexedDocument.model_validate(fields)


def document_files(project: ProjectRow) -> Iterator[tuple[str, str]]:
    """
    Yield the name and the text of each file of a project's documents.

    The published versions and the drafts are trees that can be imported. A third
    folder contains every version.
    """
    paths = DocumentPaths()
    aliases = {}
    # Paths depend on the order in which documents get them: that of the index.
    for document, addresses in documents_with_aliases(project):
        aliases[document.id] = addresses
        paths.path_of(document)
    folder = f"{FOLDER}/{project.slug}"
    for document, revision in document_revisions(project):
        text = _file_text(document, revision, aliases[document.id])
        yield f"{folder}/revisions/{document.slug}/{revision.version:04}.md", text
        path = f"{document.collection or NO_COLLECTION}/{paths.path_of(document)}"
        if document.archived_at is not None:
            continue
        if revision.version == document.published_version:
            yield f"{folder}/published/{path}", text
        elif revision.version == document.version:
            yield f"{folder}/drafts/{path}", text


class DocumentPaths:
    """
    The path of each document of a project in the tree of its collection.

    It is the path that the document was imported from, so that relative links between
    files keep working; otherwise it is made of the slug.
    """

    def __init__(self) -> None:
        self._paths: dict[str, PurePosixPath] = {}
        self._used: set[str] = set()

    def path_of(self, document: DocumentRow) -> PurePosixPath:
        if document.id not in self._paths:
            self._paths[document.id] = next(
                path for path in _candidates(document) if self._reserve(document, path)
            )
        return self._paths[document.id]

    def _reserve(self, document: DocumentRow, path: PurePosixPath) -> bool:
        """Reserve the path, unless another document has it in upper or lower case."""
        key = f"{document.collection}/{path}".lower()
        is_free = key not in self._used
        self._used.add(key)
        return is_free


def _candidates(document: DocumentRow) -> Iterator[PurePosixPath]:
    source_path = PurePosixPath(document.source_path or "")
    if document.source_path and _is_importable(source_path, document):
        yield source_path
    slug = document.slug
    name = f"{slug}-page" if slug in INDEXES else slug
    yield PurePosixPath(f"{name}.md")
    yield from (PurePosixPath(f"{name}-{number}.md") for number in count(2))


def _is_importable(path: PurePosixPath, document: DocumentRow) -> bool:
    """Return whether an import would read the file as the same document."""
    is_ignored = any(
        part.startswith(".") or part in IGNORED_FOLDERS for part in path.parts
    )
    markdown_names = [part for part in path.parts if part.lower().endswith(SUFFIXES)]
    if path.is_absolute() or is_ignored or markdown_names != [path.name]:
        return False
    # An index is always the first page of its section, whatever its front matter says.
    if path.stem.lower() in INDEXES:
        return bool(document.position == 0)
    return not path.name.startswith("_")


def _file_text(
    document: DocumentRow, revision: DocumentRevisionRow, aliases: list[str]
) -> str:
    """Return the front matter and the Markdown of a version."""
    fields: dict[str, Any] = {
        "title": revision.title,
        "slug": document.slug,
        "description": revision.summary or "",
        "section": document.section or "",
        "position": document.position,
        "version": revision.version,
        "date": format_moment(revision.created_at),
    }
    if document.language:
        fields["lang"] = document.language
    if document.nav_title:
        fields["nav_title"] = document.nav_title
    if document.has_lead and revision.summary:
        fields["lead"] = True
    if not document.is_listed:
        fields["unlisted"] = True
    if aliases:
        fields["aliases"] = aliases
    front_matter = yaml.safe_dump(
        fields, allow_unicode=True, sort_keys=False, width=10_000
    )
    content = revision.content
    # An import removes one first heading that repeats the title, so add one more.
    if split_heading(content)[0] == revision.title:
        content = f"# {revision.title}\n\n{content}"
    return f"---\n{front_matter}---\n\n{content}"
