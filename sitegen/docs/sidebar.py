"""Render the sidebar of each section once, and mark the current page in it."""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from markupsafe import Markup

from models.base import canonical_json
from models.projects.documents.link_resolver import document_href
from models.projects.documents.published import PublishedPage
from sitegen.docs.collections import DocsCollection, are_same_objects
from sitegen.theme.theme import Theme

# The name and the address of each section of a collection.
Outline = tuple[tuple[str | None, str], ...]


@dataclass(eq=False)
class Sidebar:
    """The sidebar of a section: its pages, and links to the other sections."""

    theme: Theme
    title: str
    href: str
    section: str | None
    outline: Outline
    documents: list[PublishedPage]
    unmarked_html: str | None = field(default=None, init=False)

    @cached_property
    def key(self) -> str:
        return _key(self.outline, self.documents)

    @cached_property
    def section_href(self) -> str:
        return dict(self.outline)[self.section]

    def html(self, document: PublishedPage) -> Markup:
        """Return the sidebar with this document marked as the current page."""
        if self.unmarked_html is None:
            data = {"sections": self._sections()}
            self.unmarked_html = self.theme.render("docs/sidebar.html", data=data)
        link = f'<a href="{document_href(document)}">'
        current = f'<a href="{document_href(document)}" aria-current="page">'
        # Markup: the template escaped it.
        return Markup(self.unmarked_html.replace(link, current))  # noqa: S704

    def is_same(self, outline: Outline, documents: list[PublishedPage]) -> bool:
        """
        Tell whether a sidebar of these would look the same.

        If it would, this one takes the documents, which may be newer versions.
        """
        if self.outline != outline:
            return False
        if not are_same_objects(self.documents, documents):
            if _key(outline, documents) != self.key:
                return False
            self.documents = documents
        return True

    def _sections(self) -> list[dict[str, Any]]:
        pages = [{"title": d.title, "href": document_href(d)} for d in self.documents]
        return [
            {
                "section": name,
                "open": name == self.section,
                "href": href,
                "pages": pages if name == self.section else [],
            }
            for name, href in self.outline
        ]


class SidebarCache:
    """The sidebars of the last build; one that would look the same is reused."""

    def __init__(self) -> None:
        self._sidebars: dict[str, dict[str | None, Sidebar]] = {}

    def of(self, collection: DocsCollection, theme: Theme) -> dict[str | None, Sidebar]:
        """Return the sidebar of each section."""
        before = self._sidebars.get(collection.collection, {})
        outline = tuple(
            (name, collection.section_href(name)) for name in collection.sections
        )
        sidebars = {}
        for name, documents in collection.sections.items():
            sidebar = before.get(name)
            if sidebar is None or not sidebar.is_same(outline, documents):
                labels = (collection.title, collection.href, name, outline)
                sidebar = Sidebar(theme, *labels, documents)
            sidebars[name] = sidebar
        self._sidebars[collection.collection] = sidebars
        return sidebars


def _key(outline: Outline, documents: list[PublishedPage]) -> str:
    links = [[document.title, document_href(document)] for document in documents]
    return hashlib.sha256(canonical_json([outline, links])).hexdigest()
