"""The sidebar of each section: rendered once, then marked for each of its pages."""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from markupsafe import Markup

from models.base import canonical_json
from models.projects.documents.link_resolver import document_href
from models.projects.documents.published import PublishedPage
from sitegen.docs.collections import DocsCollection, same_objects
from sitegen.theme.theme import Theme

Outline = tuple[tuple[str | None, str], ...]


@dataclass(eq=False)
class Sidebar:
    """One section as its pages show it: its pages, and links to the other sections."""

    theme: Theme
    title: str
    href: str
    section: str | None
    outline: Outline
    documents: list[PublishedPage]
    marked: str | None = field(default=None, init=False)

    @cached_property
    def key(self) -> str:
        return _key(self.outline, self.documents)

    @cached_property
    def section_href(self) -> str:
        return dict(self.outline)[self.section]

    def html(self, document: PublishedPage) -> Markup:
        if self.marked is None:
            data = {"sections": self._told()}
            self.marked = self.theme.render("docs/sidebar.html", data=data)
        link = f'<a href="{document_href(document)}">'
        current = f'<a href="{document_href(document)}" aria-current="page">'
        # Markup: the template escaped it.
        return Markup(self.marked.replace(link, current))  # noqa: S704

    def shows(self, outline: Outline, documents: list[PublishedPage]) -> bool:
        """Tell whether these would look the same; what it holds is then the newest."""
        if self.outline != outline:
            return False
        if not same_objects(self.documents, documents):
            if _key(outline, documents) != self.key:
                return False
            self.documents = documents
        return True

    def _told(self) -> list[dict[str, Any]]:
        pages = [{"title": e.title, "href": document_href(e)} for e in self.documents]
        return [
            {
                "section": name,
                "open": name == self.section,
                "href": href,
                "pages": pages if name == self.section else [],
            }
            for name, href in self.outline
        ]


class Sidebars:
    """The sidebars as they were last; one that would look the same is the same."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str | None, Sidebar]] = {}

    def of(self, collection: DocsCollection, theme: Theme) -> dict[str | None, Sidebar]:
        """Return the sidebar of each section."""
        before = self._known.get(collection.collection, {})
        outline = tuple(
            (name, collection.section_href(name)) for name in collection.sections
        )
        found = {}
        for name, documents in collection.sections.items():
            known = before.get(name)
            if known is None or not known.shows(outline, documents):
                words = (collection.title, collection.href, name, outline)
                known = Sidebar(theme, *words, documents)
            found[name] = known
        self._known[collection.collection] = found
        return found


def _key(outline: Outline, documents: list[PublishedPage]) -> str:
    told = [[each.title, document_href(each)] for each in documents]
    return hashlib.sha256(canonical_json([outline, told])).hexdigest()
