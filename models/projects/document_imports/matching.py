"""Match the files of a tree with the documents that exist."""

from collections import Counter
from collections.abc import Mapping, Sequence

from models.fields import unique_slug
from models.projects.document_imports.options import ImportOptions
from models.projects.document_imports.sources import SourceFields
from models.projects.documents.revisions import NewestRevision
from models.projects.documents.rows import DocumentRow
from models.projects.projects.rows import ProjectRow

# Bytes of a text. Two files may well have the same shorter one, such as "To be done."
MIN_BYTES = 100


class DocumentMatcher:
    """Matches sources with existing documents, and assigns free slugs."""

    def __init__(
        self,
        project: ProjectRow,
        sources: Sequence[SourceFields],
        options: ImportOptions,
        revisions: Mapping[str, NewestRevision],
    ) -> None:
        self.project, self.options = project, options
        query = DocumentRow.select().where(DocumentRow.project == project.id)
        rows = list(query.order_by(DocumentRow.id))
        self._paths = {source.path for source in sources} | options.skipped_paths
        self._by_path = {
            str(row.source_path): row for row in rows if self._is_of_tree(row)
        }
        self._by_slug = {row.slug: row for row in rows}
        # The existing document of each source that has one, by path.
        self.documents: dict[str, DocumentRow] = {}
        self._renamed_paths = self._find_renamed(sources, revisions)
        for source in sources:
            former_path = self._renamed_paths.get(source.path, source.path)
            document = self._by_path.get(former_path) or self._adopt(source.slug)
            if document is not None:
                self.documents[source.path] = document
        self._slugs = {row.slug for row in rows}
        # By slug: the last number that was appended to it.
        self._last_numbers: dict[str, int] = {}

    def without_file(self) -> list[DocumentRow]:
        """Return the documents of this tree whose file no longer exists."""
        matched_ids = {document.id for document in self.documents.values()}
        return [
            row
            for path, row in self._by_path.items()
            if row.source_tree and path not in self._paths and row.id not in matched_ids
        ]

    def is_mostly_without_file(self) -> bool:
        """Return whether more than half of the tree's documents have no file here."""
        tree = self.options.tree
        active = [
            row
            for row in self._by_path.values()
            if row.source_tree == tree and row.archived_at is None
        ]
        gone = [row for row in self.without_file() if row.archived_at is None]
        return len(gone) * 2 > len(active)

    def is_renamed(self, source: SourceFields) -> bool:
        return source.path in self._renamed_paths

    def new_slug(self, source: SourceFields) -> str | None:
        """Return the slug that a document gets with its file's name, if it is free."""
        is_free = source.slug not in self._slugs
        return (
            self.reserve_slug(source) if self.is_renamed(source) and is_free else None
        )

    def reserve_slug(self, source: SourceFields) -> str:
        """Return the slug of a new document, with a number appended if it is taken."""
        after = self._last_numbers.get(source.slug, 1)
        slug = unique_slug(source.slug, self._slugs, after)
        if slug != source.slug:
            self._last_numbers[source.slug] = int(slug.rpartition("-")[2])
        self._slugs.add(slug)
        return slug

    def _find_renamed(
        self, sources: Sequence[SourceFields], revisions: Mapping[str, NewestRevision]
    ) -> dict[str, str]:
        """Return the former path of each file that was renamed, by its path."""
        gone = {
            path: revisions[row.id].sha256
            for path, row in self._by_path.items()
            if row.source_tree
            and row.archived_at is None
            and path not in self._paths
            and revisions[row.id].size >= MIN_BYTES
        }
        new = (source for source in sources if source.path not in self._by_path)
        renamed = renamed_files({file.path: file.digest() for file in new}, gone)
        for former_path in renamed.values():
            # No other file gets the document for its slug.
            self._by_slug.pop(self._by_path[former_path].slug, None)
        return renamed

    def _is_of_tree(self, row: DocumentRow) -> bool:
        # A person may have moved it into another collection since.
        is_in_collection = row.source_collection == self.options.collection
        # Documents imported before trees had names may be of any tree.
        is_of_tree = row.source_tree in (None, self.options.tree)
        return bool(row.source_path) and is_in_collection and is_of_tree

    def _adopt(self, slug: str) -> DocumentRow | None:
        """
        Return the document with the slug, if a file may take it over.

        It may if the document came from no file, or if its file was renamed.
        """
        row = self._by_slug.get(slug)
        if row is None:
            return None
        if row.source_path:
            is_free = self._is_of_tree(row) and row.source_path not in self._paths
        else:
            is_free = row.collection in (None, self.options.collection)
        if not is_free:
            return None
        # Only the first of several files with the same slug gets the document.
        return self._by_slug.pop(slug)


def renamed_files(new: Mapping[str, str], gone: Mapping[str, str]) -> dict[str, str]:
    """
    Return the former path of each new file that was renamed, by its path.

    Both mappings have digests of texts by path. A file was renamed if no other new
    file, and no other one that is gone, has its text.
    """
    counts = Counter(new.values()), Counter(gone.values())
    former = {digest: path for path, digest in gone.items()}
    return {
        path: former[digest]
        for path, digest in new.items()
        if all(count[digest] == 1 for count in counts)
    }
