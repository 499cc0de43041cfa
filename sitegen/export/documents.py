"""Documents as files that `docs import` reads back: trees, and every version."""

from collections.abc import Iterator
from itertools import count
from pathlib import PurePosixPath
from typing import Any

import yaml

from models.base import Schema
from models.fields import Id, Moment, format_moment
from models.projects.bundles.bundle_writer import (
    documents_of,
    projects_held,
    revisions_of,
)
from models.projects.documents.documents import Collection
from models.projects.documents.rows import DocumentRevisionRow, DocumentRow
from models.projects.projects.rows import ProjectRow
from sitegen.sources.source_file import INDEXES, SUFFIXES
from sitegen.sources.tree import IGNORED_FOLDERS, split_title

FOLDER = "documents"
# Where documents stand that have no collection.
NOWHERE = "none"


class IndexedDocument(Schema):
    """Which document is where: in the site, in the export, and before."""

    project: str
    slug: str
    id: Id
    collection: Collection | None
    section: str | None
    position: int
    version: int
    published_version: int | None
    archived_at: Moment | None
    former_collections: list[str]
    source_tree: str | None
    source_path: str | None
    file: str


def index() -> Iterator[IndexedDocument]:
    for project in projects_held():
        places = Places()
        for head, former in documents_of(project):
            told: dict[str, Any] = {
                "project": project.slug,
                "former_collections": sorted(former),
            }
            told |= {"file": places.of(head).as_posix()}
            same = IndexedDocument.model_fields.keys() - told.keys()
            told |= {name: getattr(head, name) for name in same}
            yield IndexedDocument.model_validate(told)


def files(project: ProjectRow) -> Iterator[tuple[str, str]]:
    """
    Yield the name and text of each file of the project's documents.

    What is published and what waits to be are trees; beside them is every version.
    """
    places = Places()
    for head, _ in documents_of(project):
        places.of(head)
    for head, revision in revisions_of(project):
        text, top = _text(head, revision), f"{FOLDER}/{project.slug}"
        yield f"{top}/revisions/{head.slug}/{revision.version:04}.md", text
        place = f"{head.collection or NOWHERE}/{places.of(head)}"
        if head.archived_at is not None:
            continue
        if revision.version == head.published_version:
            yield f"{top}/published/{place}", text
        elif revision.version == head.version:
            yield f"{top}/drafts/{place}", text


class Places:
    """
    Where in the tree of its collection each document of a project stands.

    At the path that it was imported from, so that links between files go on to lead
    where they led; else at its slug.
    """

    def __init__(self) -> None:
        self._of: dict[str, PurePosixPath] = {}
        self._taken: set[str] = set()

    def of(self, head: DocumentRow) -> PurePosixPath:
        if head.id not in self._of:
            self._of[head.id] = next(
                path for path in _wished(head) if self._takes(head, path)
            )
        return self._of[head.id]

    def _takes(self, head: DocumentRow, path: PurePosixPath) -> bool:
        """Take the path, unless another document has it, in whatever case."""
        key = f"{head.collection}/{path}".lower()
        is_free = key not in self._taken
        self._taken.add(key)
        return is_free


def _wished(head: DocumentRow) -> Iterator[PurePosixPath]:
    path = PurePosixPath(head.source_path or "")
    if head.source_path and _fits(path, head):
        yield path
    name = f"{head.slug}-page" if head.slug in INDEXES else head.slug
    yield PurePosixPath(f"{name}.md")
    yield from (PurePosixPath(f"{name}-{number}.md") for number in count(2))


def _fits(path: PurePosixPath, head: DocumentRow) -> bool:
    """Tell whether an import would read the file, as the document that it is."""
    hidden = any(each.startswith(".") or each in IGNORED_FOLDERS for each in path.parts)
    is_index = path.stem.lower() in INDEXES
    texts = [each for each in path.parts if each.lower().endswith(SUFFIXES)]
    if path.is_absolute() or hidden or texts != [path.name]:
        return False
    # An index stands at the beginning of its section, whatever it says of itself.
    return head.position == 0 if is_index else not path.name.startswith("_")


def _text(head: DocumentRow, revision: DocumentRevisionRow) -> str:
    """Return the file of a version: what it says about itself, and its text."""
    front = {
        "title": revision.title,
        "slug": head.slug,
        "description": revision.summary or "",
        "section": head.section or "",
        "position": head.position,
        "version": revision.version,
        "date": format_moment(revision.created_at),
    }
    told = yaml.safe_dump(front, allow_unicode=True, sort_keys=False, width=10_000)
    content = revision.content
    # Of a heading that says the title, an import takes one away.
    if split_title(content)[0] == revision.title:
        content = f"# {revision.title}\n\n{content}"
    return f"---\n{told}---\n\n{content}"
