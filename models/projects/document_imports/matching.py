"""Match the files of a tree with the documents that exist."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from posixpath import basename
from typing import TypeVar

from models.errors import PathTaken
from models.fields import unique_slug
from models.projects.document_imports.options import ImportOptions
from models.projects.document_imports.sources import DocumentSource, SourceFields
from models.projects.documents.paths import page_address, paths_of_files
from models.projects.documents.revisions import NewestRevision
from models.projects.documents.rows import DOCUMENTS, DocumentRow
from models.projects.projects.rows import ProjectRow

# Bytes of a text. Two files may well have the same shorter one, such as "To be done."
MIN_BYTES = 100
# New files, and files that are gone, whose texts are compared.
MAX_COMPARED = 1_000
# A line that so many files have, such as one of a template, says nothing.
MAX_FILES_OF_LINE = 20

Fields = TypeVar("Fields", bound=SourceFields)


class DocumentMatcher:
    """Matches sources with existing documents, and assigns free slugs."""

    def __init__(
        self,
        project: ProjectRow,
        sources: Sequence[Fields],
        read: Callable[[Sequence[Fields]], Iterable[DocumentSource]],
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
        self._by_page = {(row.collection, row.path): row for row in rows}
        files = [source.path for source in sources]
        # Where the page of each file is, by its path.
        self.page_paths = paths_of_files(files, options.path)
        # The existing document of each source that has one, by path.
        self.documents: dict[str, DocumentRow] = {}
        self._renamed_paths = self._find_renamed(sources, read, revisions)
        for source in sources:
            former_path = self._renamed_paths.get(source.path, source.path)
            document = self._by_path.get(former_path) or self._adopt(source.path)
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

    def reserve_slug(self, source: SourceFields) -> str:
        """Return the slug of a new document, with a number appended if it is taken."""
        after = self._last_numbers.get(source.slug, 1)
        slug = unique_slug(source.slug, self._slugs, after)
        if slug != source.slug:
            self._last_numbers[source.slug] = int(slug.rpartition("-")[2])
        self._slugs.add(slug)
        return slug

    def _find_renamed(
        self,
        sources: Sequence[Fields],
        read: Callable[[Sequence[Fields]], Iterable[DocumentSource]],
        revisions: Mapping[str, NewestRevision],
    ) -> dict[str, str]:
        """Return the former path of each file that was renamed, by its path."""
        gone = {
            path: row
            for path, row in self._by_path.items()
            if row.source_tree and row.archived_at is None and path not in self._paths
        }
        new = {each.path: each for each in sources if each.path not in self._by_path}
        renamed = renamed_files(
            {path: source.digest() for path, source in new.items()},
            {
                path: revisions[row.id].sha256
                for path, row in gone.items()
                if revisions[row.id].size >= MIN_BYTES
            },
        )
        for path, former_path in renamed.items():
            del new[path], gone[former_path]
        if new and gone and max(len(new), len(gone)) <= MAX_COMPARED:
            contents = DOCUMENTS.contents_of(
                [row.id for row in gone.values()], DocumentRow.version
            )
            renamed |= similar_files(
                {each.path: each.content for each in read([*new.values()])},
                {path: contents[row.id] for path, row in gone.items()},
            )
        for former_path in renamed.values():
            # No other file gets the document for its address.
            row = self._by_path[former_path]
            self._by_page.pop((row.collection, row.path), None)
        return renamed

    def _is_of_tree(self, row: DocumentRow) -> bool:
        # A person may have moved it into another collection since.
        is_in_collection = row.source_collection == self.options.collection
        # Documents imported before trees had names may be of any tree.
        is_of_tree = row.source_tree in (None, self.options.tree)
        return bool(row.source_path) and is_in_collection and is_of_tree

    def _adopt(self, path: str) -> DocumentRow | None:
        """
        Return the document at the page's address, if the file may take it over.

        It may if the document came from no file, or if its file is gone.
        """
        for collection in (self.options.collection, None):
            row = self._by_page.get((collection, self.page_paths[path]))
            if row is not None and (
                not row.source_path
                or (self._is_of_tree(row) and row.source_path not in self._paths)
            ):
                return self._by_page.pop((collection, row.path))
        return None

    def require_free_paths(self, held_ids: Set[str]) -> None:
        """
        Raise PathTaken if a page would have the address of another document.

        A held document keeps its address, whatever its file is called.
        """
        own = {document.id: path for path, document in self.documents.items()}
        for path, page in self.page_paths.items():
            row = self._by_page.get((self.options.collection, page))
            if row is None or own.get(row.id) == path:
                continue
            if row.id not in own or row.id in held_ids:
                address = page_address(self.options.collection, page)
                tree = f" of the tree '{row.source_tree}'" if row.source_tree else ""
                raise PathTaken(
                    f"{path} would have the address {address}, which is that of the"
                    f" document '{row.slug}'{tree}. Import this tree into a folder of"
                    " the collection with --path, or into another collection."
                )


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


def similar_files(new: Mapping[str, str], gone: Mapping[str, str]) -> dict[str, str]:
    """
    Return the former path of each new file that was renamed and edited, by its path.

    Both mappings have texts by path. A file was renamed if its text is more like that
    of the former file than any other two are like one of them, and at least half of
    their characters are in lines that both have. Short texts need the same name, too.
    """
    lines = {path: set(text.splitlines()) for path, text in gone.items()}
    files_with: dict[str, list[str]] = defaultdict(list)
    for path, own in lines.items():
        for line in own:
            files_with[line].append(path)
    likeness: dict[tuple[str, str], tuple[float, bool]] = {}
    for path, text in new.items():
        common: Counter[str] = Counter()
        own = set(text.splitlines())
        for line in own:
            paths = files_with.get(line, ())
            for former in paths if len(paths) <= MAX_FILES_OF_LINE else ():
                common[former] += len(line)
        for former, length in common.items():
            total = sum(map(len, own)) + sum(map(len, lines[former]))
            has_same_name = basename(path) == basename(former)
            if 4 * length >= total and (has_same_name or length >= MIN_BYTES):
                likeness[path, former] = length / total, has_same_name
    values: dict[tuple[bool, str], list[tuple[float, bool]]] = defaultdict(list)
    for (path, former), value in likeness.items():
        values[True, path].append(value)
        values[False, former].append(value)
    return {
        path: former
        for (path, former), value in likeness.items()
        if all(
            value == max(of_file) and of_file.count(value) == 1
            for of_file in (values[True, path], values[False, former])
        )
    }
