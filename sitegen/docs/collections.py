"""List the collections of the docs site, and their documents in reading order."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import is_
from typing import Any

from models.locales import Locale
from models.projects.documents.linking.link_resolver import (
    COLLECTIONS,
    document_href,
)
from models.projects.documents.published import (
    PublishedDocument,
    PublishedPage,
    PublishedPageReader,
)
from sitegen.docs.section_groups import (
    SectionGroup,
    group_by_section,
    section_name,
)
from sitegen.page import BuildContext

_FIELDS = tuple(PublishedDocument.model_fields)


@dataclass(frozen=True)
class DocsCollection:
    """One collection that has documents, given in the order of published/list."""

    collection: str
    title: str
    published: list[PublishedPage]

    @property
    def href(self) -> str:
        return f"/{self.collection}/"

    @cached_property
    def root(self) -> SectionGroup:
        listed = (document for document in self.published if document.is_listed)
        return group_by_section(listed, self.href)

    @cached_property
    def groups(self) -> dict[str, SectionGroup]:
        """Return all sections in reading order, by name; the root's is ""."""
        return {group.name: group for group in self.root.all_groups()}

    @cached_property
    def documents(self) -> list[PublishedPage]:
        """Return the listed documents in reading order."""
        return list(self.root.all_pages())

    @cached_property
    def unlisted(self) -> list[PublishedPage]:
        return [document for document in self.published if not document.is_listed]

    @cached_property
    def sections(self) -> dict[str | None, list[PublishedPage]]:
        sections: dict[str | None, list[PublishedPage]] = {}
        for document in self.documents:
            sections.setdefault(document.section, []).append(document)
        return sections

    @cached_property
    def listing_key(self) -> str:
        """Return a digest of what a list of the documents shows."""
        listing = [(d.section, d.path, d.title, d.summary) for d in self.documents]
        return hashlib.sha256(repr(listing).encode()).hexdigest()

    def group_of(self, section: str | None) -> SectionGroup:
        return self.groups[section_name(section)]


def new_texts(context: BuildContext) -> list[PublishedPage]:
    """Return documents of which other pages show nothing new; see `read_new_texts`."""
    return context.once_per_process(_CollectionReader).read_new_texts()


def docs_collections(context: BuildContext) -> list[DocsCollection]:
    """Return the collections that have documents."""
    return context.once_per_build(_read)


class _CollectionReader:
    """Reads the collections for each build; one without changes is the same object."""

    def __init__(self) -> None:
        self._register = PublishedPageReader()
        self._collections: dict[str, DocsCollection] = {}

    def read(self, locale: Locale) -> list[DocsCollection]:
        documents_of: dict[str, list[PublishedPage]] = {
            name: [] for name in COLLECTIONS
        }
        for document in self._register.read():
            documents_of[document.collection].append(document)
        before, self._collections = self._collections, {}
        for name, documents in documents_of.items():
            if documents:
                known, title = before.get(name), collection_title(locale, name)
                is_same = (
                    known is not None
                    and known.title == title
                    and are_same_objects(known.published, documents)
                )
                self._collections[name] = (
                    known
                    if known and is_same
                    else DocsCollection(name, title, documents)
                )
        return list(self._collections.values())

    def read_new_texts(self) -> list[PublishedPage]:
        return self._register.read_new_texts()


def _read(context: BuildContext) -> list[DocsCollection]:
    reader = context.once_per_process(_CollectionReader)
    return reader.read(context.theme.locale)


def collection_title(locale: Locale, collection: str) -> str:
    return locale.text(f"docs.{collection}")


def are_same_objects(one: Sequence[object], other: Sequence[object]) -> bool:
    """Return whether two sequences have the same objects, without comparing values."""
    return len(one) == len(other) and all(map(is_, one, other))


def serialize_document(document: PublishedPage, content: str = "") -> dict[str, Any]:
    """Return a document as the API returns it."""
    fields = {name: getattr(document, name, content) for name in _FIELDS}
    return PublishedDocument.model_validate(fields).to_json()


def document_summary(document: PublishedPage) -> dict[str, str | None]:
    """Return what lists show of a document."""
    return {
        "title": document.title,
        "href": document_href(document),
        "summary": document.summary,
    }


def list_sections(root: SectionGroup) -> list[dict[str, Any]]:
    """Return the sections of a collection with their pages, in reading order."""
    return [
        {
            "section": group.label or None,
            "id": group.id,
            "level": min(len(group.path), 6),
            # That without a path is the page on which they are listed.
            "pages": [document_summary(each) for each in group.pages if each.path],
        }
        for group in root.all_groups()
        if group.label or group.pages
    ]
