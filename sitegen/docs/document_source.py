"""Read the texts, rendered bodies and earlier headings of documents, many at a time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from itertools import accumulate
from operator import attrgetter
from typing import Any, Generic, TypeVar

from models.projects.documents.linking.aliases import Redirect
from models.projects.documents.linking.alternative_ids import alternative_ids
from models.projects.documents.linking.link_resolver import LinkResolver
from models.projects.documents.publication_history import (
    EarlierRevision,
    documents_with_several_versions,
    earlier_published_revisions,
)
from models.projects.documents.published import PublishedPage, published_contents
from models.projects.documents.rendered_bodies import RenderedBody
from models.projects.files.pins import documents_with_files
from sitegen.docs.body_cache import BodyCache
from sitegen.docs.published_files import PublishedFiles

# How many documents, and about how many bytes of text, are read at once in a build of
# all of them.
MAX_PREFETCH, MAX_PREFETCH_BYTES = 128, 4_000_000

# Fields that can change without any link leading to another address.
UNRELATED_TO_ADDRESS = {
    *("title", "summary", "section", "position", "published_version"),
    *("published_at", "revised_at", "size", "digest", "language", "is_listed"),
    *("changed_at", "nav_title", "has_lead"),
}
_address_fields = attrgetter(
    *(
        field.name
        for field in fields(PublishedPage)
        if field.name not in UNRELATED_TO_ADDRESS
    )
)

T = TypeVar("T")


class DocumentSource:
    """Where document pages read what is costly; a build calls `open` first."""

    addresses: LinkResolver
    edit_url: str
    files: PublishedFiles
    _body_cache: BodyCache
    _bodies: "Prefetch[RenderedBody]"
    _contents: "Prefetch[str]"
    _earlier: "Prefetch[list[EarlierRevision]]"
    _with_several_versions: set[str]

    def __init__(self) -> None:
        self._address_facts: list[Any] | None = None
        self.files = PublishedFiles({})

    def open(
        self,
        documents: list[PublishedPage],
        body_cache: BodyCache,
        files: PublishedFiles,
        redirects: Sequence[Redirect],
        edit_url: str = "",
    ) -> bool:
        """
        Prepare for a build; return whether links may lead to other addresses now.

        `edit_url` is the pattern of the addresses at which imported files are edited.
        """
        self.edit_url = edit_url
        self._body_cache = body_cache
        self._prefetch(documents)
        self._with_several_versions = documents_with_several_versions()
        is_same_files, self.files = files.pins == self.files.pins, files
        address_facts = [
            *(_address_fields(document) for document in documents),
            *((address, document.id) for address, document in redirects),
        ]
        if address_facts == self._address_facts:
            return not is_same_files
        self._address_facts = address_facts
        self.addresses = LinkResolver(documents, edit_url, redirects)
        return True

    def open_some(self, documents: list[PublishedPage], body_cache: BodyCache) -> None:
        """Prepare for the pages of some documents; links lead to where they did."""
        self._body_cache = body_cache
        self._prefetch(documents)
        self._with_several_versions = {document.id for document in documents}

    def without_files(self, documents: list[PublishedPage]) -> list[PublishedPage]:
        """Return the documents that show no file, neither now nor in the last build."""
        showing = documents_with_files(document.id for document in documents)
        showing |= self.files.pins.keys()
        return [document for document in documents if document.id not in showing]

    def resolve(self, document: PublishedPage, target: str) -> str | None:
        """Return where a link or image leads: to a file, or to an address."""
        file = self.files.resolve(document, target)
        return file or self.addresses.resolve(document, target)

    def close(self) -> None:
        """Free the memory of what was read ahead."""
        self._prefetch([])

    def content(self, document: PublishedPage) -> str:
        return self._contents.get(document) or ""

    def body(self, document: PublishedPage) -> RenderedBody:
        """Return the rendered body; its links are placeholders."""
        saved = self._bodies.get(document)
        return saved or self._body_cache.render(
            document, lambda: self.content(document)
        )

    def alternative_ids(
        self, document: PublishedPage, body: RenderedBody
    ) -> dict[str, str]:
        """Return former ids and other spellings, each with the id of its heading."""
        has_earlier = document.id in self._with_several_versions
        revisions = self._earlier.get(document) if has_earlier else None
        earlier = self._body_cache.earlier_bodies(revisions) if revisions else []
        outlines = [body.headings for body in [*earlier, body]]
        return alternative_ids(document.title, outlines)

    def _prefetch(self, documents: list[PublishedPage]) -> None:
        self._bodies = Prefetch(documents, self._body_cache.load)
        self._contents = Prefetch(
            documents, lambda batch: published_contents([each.id for each in batch])
        )
        self._earlier = Prefetch(
            documents,
            lambda batch: earlier_published_revisions(
                {each.id: each.published_version for each in batch}
            ),
        )


class Prefetch(Generic[T]):
    """
    Loads values of documents ahead, more of them the longer they are read in order.

    So one publication loads one value, and a build of the whole site does not load
    them one by one.
    """

    def __init__(
        self,
        documents: Sequence[PublishedPage],
        load: Callable[[Sequence[PublishedPage]], Mapping[str, T]],
    ) -> None:
        self._documents = documents
        self._load = load
        self._positions = {
            document.id: position for position, document in enumerate(documents)
        }
        self._loaded: Mapping[str, T] = {}
        self._start, self._end = 0, 0

    def get(self, document: PublishedPage) -> T | None:
        """Return the value of the document, None if it has none."""
        position = self._positions[document.id]
        if not self._start <= position < self._end:
            self._load_from(position)
        return self._loaded.get(document.id)

    def _load_from(self, position: int) -> None:
        is_in_order = position == self._end
        length = (
            min(MAX_PREFETCH, 2 * (self._end - self._start) or 1) if is_in_order else 1
        )
        ahead = _within_bytes(self._documents[position : position + length])
        self._start, self._end = position, position + len(ahead)
        self._loaded = self._load(ahead)


def _within_bytes(documents: Sequence[PublishedPage]) -> Sequence[PublishedPage]:
    """Return the first documents up to MAX_PREFETCH_BYTES, but at least one."""
    sizes = accumulate(document.size for document in documents)
    count = sum(size <= MAX_PREFETCH_BYTES for size in sizes)
    return documents[: max(1, count)]
