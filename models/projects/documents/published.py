"""Read the published documents of the docs project."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Annotated, Any, NamedTuple, cast

from peewee import ModelSelect, fn
from pydantic import Field

from models.base import Schema, from_epoch_ms
from models.errors import DocumentNotFound
from models.fields import Moment, Slug
from models.pagination import CursorQuery, Page, Sort, cursor_page, filter_rows
from models.projects import descriptions
from models.projects.documents.documents import Collection, Section
from models.projects.documents.positions import tree_ranks
from models.projects.documents.rows import (
    DOCUMENTS,
    DocumentRevisionRow,
    DocumentRow,
)
from models.projects.fields import CommaSeparated, time_bound
from models.projects.projects.rows import ProjectRow
from models.storage.database import database


class PublishedDocument(Schema):
    slug: Annotated[Slug, descriptions.SLUG]
    collection: Annotated[Collection, descriptions.COLLECTION]
    section: Annotated[str | None, descriptions.DOCUMENT_SECTION]
    position: Annotated[int, descriptions.POSITION]
    title: Annotated[str, descriptions.TITLE]
    summary: Annotated[str | None, descriptions.SUMMARY]
    content: Annotated[str, descriptions.CONTENT]
    published_version: int = Field(description="The published version.", examples=[3])
    published_at: Moment = Field(description="When it was published.")
    revised_at: Moment = Field(description="When the published text was last changed.")


class ListPublished(CursorQuery, example=("collection",)):
    collection: Annotated[
        CommaSeparated[Collection] | None, descriptions.COLLECTION
    ] = None
    section: Annotated[Section | None, descriptions.DOCUMENT_SECTION] = None
    revised_after: Moment | None = time_bound(
        "Only documents revised at this time or later."
    )


class GetPublished(Schema):
    slug: Annotated[Slug, descriptions.SLUG]


class OutlinePage(Schema):
    slug: Annotated[Slug, descriptions.SLUG]
    title: Annotated[str, descriptions.TITLE]
    summary: Annotated[str | None, descriptions.SUMMARY]
    position: Annotated[int, descriptions.POSITION]


class OutlineSection(Schema):
    """The pages of a section; pages without a section come first, under null."""

    section: Annotated[str | None, descriptions.DOCUMENT_SECTION]
    pages: list[OutlinePage] = Field(description="The pages.")


class OutlineCollection(Schema):
    collection: Annotated[Collection, descriptions.COLLECTION]
    sections: list[OutlineSection] = Field(description="The sections.")


@dataclass(frozen=True, slots=True)
class PublishedPage:
    """The published revision of a document, without its content."""

    id: str
    slug: str
    path: str
    collection: str
    section: str | None
    position: int
    title: str
    summary: str | None
    published_version: int
    published_at: datetime
    revised_at: datetime
    # The file it was imported from and the tree of that file, if any.
    source_path: str | None
    source_tree: str | None
    # Bytes and SHA-256 of the content.
    size: int
    digest: str = ""
    # The address that the file declares on the website of the tree, and the URL of
    # that website.
    source_address: str | None = None
    source_base: str | None = None
    # The language of the text, if it may differ from that of the site.
    language: str | None = None
    # Whether navigation, search and sitemap have the page.
    is_listed: bool = True
    # When the file was last changed, if its history is known.
    changed_at: datetime | None = None
    # The label in navigation, if it is not the title.
    nav_title: str | None = None
    # Whether the page shows the summary below its title.
    has_lead: bool = True

    @property
    def label(self) -> str:
        """What navigation calls the page."""
        return self.nav_title or self.title

    @property
    def shown_at(self) -> datetime:
        """When the text was last changed, as its page says."""
        return self.changed_at or self.revised_at


class PublishedAddress(NamedTuple):
    """The address of a published document, and the file it comes from."""

    id: str
    slug: str
    path: str
    collection: str
    source_path: str | None
    source_tree: str | None
    source_address: str | None
    source_base: str | None

    def page(self) -> PublishedPage:
        """Return the document with its address alone, for a LinkResolver."""
        never = from_epoch_ms(0)
        return PublishedPage(
            **self._asdict(),
            section=None,
            position=0,
            title="",
            summary=None,
            published_version=0,
            published_at=never,
            revised_at=never,
            size=0,
        )


# More documents than these are read with all others.
MAX_NEW_TEXTS = 20
# What the order of documents and the pages of others depend on.
_place = attrgetter(
    *("slug", "path", "collection", "section", "position", "title"),
    *("source_path", "source_tree", "source_address", "source_base", "is_listed"),
    "nav_title",
)

# Section names are not empty, so documents without a section sort first.
SECTION = fn.COALESCE(DocumentRow.section, "")
READING_ORDER = (
    Sort(DocumentRow.collection, lambda page: page.collection),
    Sort(SECTION, lambda page: page.section or ""),
    Sort(DocumentRow.position, lambda page: page.position),
    Sort(DocumentRevisionRow.title, lambda page: page.title),
    Sort(DocumentRow.slug, lambda page: page.slug),
)


def list_published(query: ListPublished) -> Page[PublishedDocument]:
    rows = _select_published()
    rows = filter_rows(rows, DocumentRow, query, "collection", "section")
    if query.revised_after is not None:
        rows = rows.where(DocumentRevisionRow.created_at >= query.revised_after)
    page = cursor_page(rows, query, *READING_ORDER, weight=lambda page: page.size)
    return Page(_with_contents(page.items), page.meta)


def get_published(query: GetPublished) -> PublishedDocument:
    pages = list(_select_published().where(DocumentRow.slug == query.slug))
    if not pages:
        raise DocumentNotFound(f"No published document has the slug '{query.slug}'.")
    return _with_contents(pages)[0]


@dataclass(frozen=True, slots=True)
class _CachedPage:
    """A page with the database row it was made from, and its sort key."""

    row: tuple[Any, ...]
    page: PublishedPage
    sort_key: tuple[Any, ...]

    @classmethod
    def from_row(cls, names: Sequence[str], row: tuple[Any, ...]) -> "_CachedPage":
        values = dict(zip(names, row, strict=True))
        for name in ("published_at", "revised_at"):
            values[name] = from_epoch_ms(values[name])
        if values["changed_at"] is not None:
            values["changed_at"] = from_epoch_ms(values["changed_at"])
        # SQLite has numbers.
        for name in ("is_listed", "has_lead"):
            values[name] = bool(values[name])
        page = PublishedPage(**values)
        return cls(row, page, tuple(sort.value(page) for sort in READING_ORDER))


_sort_key, _is_listed = attrgetter("sort_key"), attrgetter("is_listed")


class PublishedPageReader:
    """
    Reads all published documents, once for each build of the site.

    A document that has not changed since the last read is the same object, so that
    a build of ten thousand pages finds the changed ones by identity.
    """

    def __init__(self) -> None:
        self._pages: dict[str, _CachedPage] = {}
        self._last_published_at: datetime | None = None

    def read(self) -> list[PublishedPage]:
        """Return the documents in the order of published/list."""
        pages = self._cached(_select_published())
        self._pages = {cached.page.id: cached for cached in pages}
        ordered = [cached.page for cached in sorted(pages, key=_sort_key)]
        self._last_published_at = max(
            (page.published_at for page in ordered), default=None
        )
        return ordered

    def read_new_texts(self) -> list[PublishedPage]:
        """
        Return documents that were published anew since `read`, each at its old place.

        An index finds them, without reading all documents. There are none if they are
        more than a few, and a title or an address that changed is not among them, since
        other pages show it.
        """
        if self._last_published_at is None:
            return []
        ids = _published_after(self._last_published_at)
        if not 0 < len(ids) <= MAX_NEW_TEXTS:
            return []
        changed = [
            cached
            for cached in self._cached(
                _select_published().where(DocumentRow.id.in_(ids))
            )
            if (known := self._pages.get(cached.page.id))
            and known is not cached
            and _place(known.page) == _place(cached.page)
        ]
        # The next read finds the same objects.
        self._pages |= {cached.page.id: cached for cached in changed}
        return [cached.page for cached in changed]

    def _cached(self, query: "ModelSelect[Any]") -> list[_CachedPage]:
        """Return the rows of a query; one that was read before is the same object."""
        # Plain tuples instead of Peewee's objects, since there are many rows.
        cursor = database.execute_sql(*query.sql())
        names = [column[0] for column in cursor.description]
        return [
            cached
            if (cached := self._pages.get(row[0])) and cached.row == row
            else _CachedPage.from_row(names, row)
            for row in cursor
        ]


def published_outline() -> list[OutlineCollection]:
    """Return the table of contents of the public docs."""
    return [
        OutlineCollection(
            collection=collection,
            sections=_outline_sections(list(pages)),
        )
        for collection, pages in groupby(
            filter(_is_listed, published_documents()),
            lambda page: cast(Collection, page.collection),
        )
    ]


def _outline_sections(pages: list[PublishedPage]) -> list[OutlineSection]:
    """
    Return the sections in the order of their first page's position, tree by tree.

    So are the pages without a section, which come first.
    """
    ranks = tree_ranks(pages)

    def place(page: PublishedPage) -> tuple[int, int]:
        return ranks.get(page.source_tree, 0), page.position

    sections = {
        section: list(group)
        for section, group in groupby(pages, lambda page: page.section)
    }
    sections.get(None, []).sort(key=place)
    # Equal places leave the order by name.
    ordered = sorted(
        sections.items(),
        key=lambda item: (item[0] is not None, min(map(place, item[1]))),
    )
    return [
        OutlineSection(
            section=section, pages=[OutlinePage.model_validate(page) for page in group]
        )
        for section, group in ordered
    ]


def published_documents() -> list[PublishedPage]:
    """Return all published documents, in the order of published/list."""
    return PublishedPageReader().read()


def published_pages(ids: Sequence[str]) -> list[PublishedPage]:
    """Return those of the documents that are published."""
    return list(_select_published().where(DocumentRow.id.in_(ids)))


def published_addresses() -> list[PublishedAddress]:
    """
    Return what links to the published documents depend on, for each of them.

    It reads one table, a third of what `published_documents` takes.
    """
    query = DocumentRow.select(
        *(getattr(DocumentRow, name) for name in PublishedAddress._fields)
    ).where(_is_public())
    # Plain tuples, as above.
    cursor = database.execute_sql(*query.sql())
    return list(map(PublishedAddress._make, cursor))


def published_count() -> int:
    return DocumentRow.select().where(_is_public()).count()


def published_contents(document_ids: Sequence[str]) -> dict[str, str]:
    """Return the contents of the published revisions, by document."""
    return DOCUMENTS.contents_of(document_ids, DocumentRow.published_version)


def _select_published() -> "ModelSelect[Any]":
    is_published = DOCUMENTS.at_version(DocumentRow.published_version)
    return (
        DocumentRow.select(
            DocumentRow.id,
            DocumentRow.slug,
            DocumentRow.path,
            DocumentRow.collection,
            DocumentRow.section,
            DocumentRow.position,
            DocumentRow.published_version,
            DocumentRow.published_at,
            DocumentRow.source_path,
            DocumentRow.source_tree,
            DocumentRow.source_address,
            DocumentRow.source_base,
            DocumentRow.language,
            DocumentRow.is_listed,
            DocumentRow.changed_at,
            DocumentRow.nav_title,
            DocumentRow.has_lead,
            DocumentRevisionRow.title,
            DocumentRevisionRow.summary,
            DocumentRevisionRow.created_at.alias("revised_at"),
            DocumentRevisionRow.size,
            DocumentRevisionRow.digest,
        )
        .join(DocumentRevisionRow, on=is_published)
        .where(_is_public())
        .objects(PublishedPage)
    )


def _published_after(at: datetime) -> list[str]:
    """Return the ids of a few documents, of any project, published after this time."""
    # Each publication is an update, too, and updates have an index.
    rows: Any = (
        DocumentRow.select(DocumentRow.id)
        .where(DocumentRow.updated_at > at, DocumentRow.published_at > at)
        .limit(MAX_NEW_TEXTS + 1)
        .tuples()
    )
    return [id for (id,) in rows]


def _is_public() -> Any:
    docs = ProjectRow.select(ProjectRow.id).where(ProjectRow.builtin)
    return (
        DocumentRow.project.in_(docs)
        & DocumentRow.published_version.is_null(False)
        & DocumentRow.archived_at.is_null()
    )


def _with_contents(pages: list[PublishedPage]) -> list[PublishedDocument]:
    contents = published_contents([page.id for page in pages])
    return [
        PublishedDocument.model_validate(
            {
                name: getattr(page, name)
                for name in PublishedDocument.model_fields
                if name != "content"
            }
            | {"content": contents[page.id]}
        )
        for page in pages
    ]
