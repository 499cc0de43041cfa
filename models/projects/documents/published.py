"""What the public reads: the published documents of the docs project."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, cast

from peewee import ModelSelect, fn

from models.base import Schema, from_epoch_ms
from models.errors import DocumentNotFound
from models.fields import Moment, Slug
from models.pagination import CursorQuery, Page, Sort, cursor_page
from models.projects.documents.documents import Collection, Section
from models.projects.documents.rows import (
    DOCUMENTS,
    DocumentRevisionRow,
    DocumentRow,
    FormerAddressRow,
)
from models.projects.fields import Commas
from models.projects.projects.rows import ProjectRow
from models.storage.database import database


class PublishedDocument(Schema):
    slug: Slug
    collection: Collection
    section: str | None
    position: int
    title: str
    summary: str | None
    content: str
    published_version: int
    published_at: Moment
    revised_at: Moment


class ListPublished(CursorQuery):
    collection: Commas[Collection] | None = None
    section: Section | None = None
    revised_after: Moment | None = None


class GetPublished(Schema):
    slug: Slug


class OutlinePage(Schema):
    slug: Slug
    title: str
    summary: str | None
    position: int


class OutlineSection(Schema):
    """A group of pages; those without a section come first, under null."""

    section: str | None
    pages: list[OutlinePage]


class OutlineCollection(Schema):
    collection: Collection
    sections: list[OutlineSection]


@dataclass(frozen=True, slots=True)
class PublishedPage:
    """A published document without its text: words and times of its revision."""

    id: str
    slug: str
    collection: str
    section: str | None
    position: int
    title: str
    summary: str | None
    published_version: int
    published_at: datetime
    revised_at: datetime
    # The file it was imported from, if any, its tree; the bytes and SHA-256 of its
    # text.
    source_path: str | None
    source_tree: str | None
    size: int
    digest: str = ""


@dataclass(frozen=True)
class FormerAddress:
    """Where the page of a document was; the document is elsewhere now."""

    collection: str
    slug: str
    document_id: str


# No section is empty, so "" stands for none and comes first.
SECTION = fn.COALESCE(DocumentRow.section, "")
IN_ORDER = (
    Sort(DocumentRow.collection, lambda page: page.collection),
    Sort(SECTION, lambda page: page.section or ""),
    Sort(DocumentRow.position, lambda page: page.position),
    Sort(DocumentRevisionRow.title, lambda page: page.title),
    Sort(DocumentRow.slug, lambda page: page.slug),
)


def published_listed(query: ListPublished) -> Page[PublishedDocument]:
    rows = _published()
    if query.collection is not None:
        rows = rows.where(DocumentRow.collection.in_(query.collection))
    if query.section is not None:
        rows = rows.where(DocumentRow.section == query.section)
    if query.revised_after is not None:
        rows = rows.where(DocumentRevisionRow.created_at >= query.revised_after)
    page = cursor_page(rows, query, *IN_ORDER, weight=lambda page: page.size)
    return Page(_with_texts(page.items), page.meta)


def published_got(query: GetPublished) -> PublishedDocument:
    found = list(_published().where(DocumentRow.slug == query.slug))
    if not found:
        raise DocumentNotFound(f"No published document has the slug '{query.slug}'.")
    return _with_texts(found)[0]


@dataclass(frozen=True, slots=True)
class _Known:
    """A document with the row it was read from, and its place among the others."""

    row: tuple[Any, ...]
    page: PublishedPage
    place: tuple[Any, ...]

    @classmethod
    def of(cls, names: Sequence[str], row: tuple[Any, ...]) -> "_Known":
        members = dict(zip(names, row, strict=True))
        for name in ("published_at", "revised_at"):
            members[name] = from_epoch_ms(members[name])
        page = PublishedPage(**members)
        return cls(row, page, tuple(sort.value(page) for sort in IN_ORDER))


class Register:
    """
    All published documents, read again and again: what the site is built from.

    A document that is as it was when it was read before is the same object, so that
    who reads ten thousand of them can tell at a glance what has changed.
    """

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    def read(self) -> list[PublishedPage]:
        """Return the documents in the order of published/list."""
        # Said once and run as it stands, past Peewee's objects: these rows are many.
        sql, values = _published().sql()
        cursor = database.execute_sql(sql, values)
        names = [column[0] for column in cursor.description]
        known, self._known = self._known, {}
        for row in cursor:
            before = known.get(row[0])
            self._known[row[0]] = (
                before if before and before.row == row else _Known.of(names, row)
            )
        found = sorted(self._known.values(), key=lambda each: each.place)
        return [each.page for each in found]


def published_outline() -> list[OutlineCollection]:
    """Return what there is to read, as a table of contents."""
    return [
        OutlineCollection(
            collection=collection,
            sections=[
                OutlineSection(
                    section=section,
                    pages=[OutlinePage.model_validate(each) for each in inside],
                )
                for section, inside in groupby(pages, lambda page: page.section)
            ],
        )
        for collection, pages in groupby(
            published_documents(), lambda page: cast(Collection, page.collection)
        )
    ]


def published_documents() -> list[PublishedPage]:
    """Return all in the order of published/list."""
    return Register().read()


def published_count() -> int:
    return DocumentRow.select().where(_is_public()).count()


def published_contents(document_ids: Sequence[str]) -> dict[str, str]:
    """Return the texts of the published revisions, by document."""
    return DOCUMENTS.contents_of(document_ids, DocumentRow.published_version)


def former_addresses() -> list[FormerAddress]:
    """Return the addresses that a document, public elsewhere now, has left."""
    query = (
        FormerAddressRow.select(
            FormerAddressRow.collection,
            DocumentRow.slug,
            DocumentRow.id.alias("document_id"),
        )
        .join(DocumentRow)
        .where(_is_public(), FormerAddressRow.collection != DocumentRow.collection)
        .order_by(FormerAddressRow.collection, DocumentRow.slug)
    )
    return list(query.objects(FormerAddress))  # type: ignore[arg-type]


def _published() -> "ModelSelect[Any]":
    is_pinned = DOCUMENTS.at_version(DocumentRow.published_version)
    return (
        DocumentRow.select(
            DocumentRow.id,
            DocumentRow.slug,
            DocumentRow.collection,
            DocumentRow.section,
            DocumentRow.position,
            DocumentRow.published_version,
            DocumentRow.published_at,
            DocumentRow.source_path,
            DocumentRow.source_tree,
            DocumentRevisionRow.title,
            DocumentRevisionRow.summary,
            DocumentRevisionRow.created_at.alias("revised_at"),
            DocumentRevisionRow.size,
            DocumentRevisionRow.digest,
        )
        .join(DocumentRevisionRow, on=is_pinned)
        .where(_is_public())
        .objects(PublishedPage)
    )


def _is_public() -> Any:
    docs = ProjectRow.select(ProjectRow.id).where(ProjectRow.builtin)
    return (
        DocumentRow.project.in_(docs)
        & DocumentRow.published_version.is_null(False)
        & DocumentRow.archived_at.is_null()
    )


def _with_texts(pages: list[PublishedPage]) -> list[PublishedDocument]:
    texts = published_contents([each.id for each in pages])
    return [
        PublishedDocument.model_validate(
            {
                name: getattr(each, name)
                for name in PublishedDocument.model_fields
                if name != "content"
            }
            | {"content": texts[each.id]}
        )
        for each in pages
    ]
