"""One published document with all that its page shows."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from sys import intern
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from models.fields import format_moment
from models.projects.documents.link_resolver import (
    document_href,
    document_path,
    is_document_href,
    link_fragment,
)
from models.projects.documents.published import PublishedPage
from models.response_headers import without_query
from sitegen.docs.body_cache import body_key, is_as_written
from sitegen.docs.collections import line_of, told
from sitegen.docs.sidebar import Sidebar
from sitegen.markdown.headings import add_former_ids
from sitegen.markdown.parser import resolve_links
from sitegen.page import Page
from sitegen.urls import markdown_path, twin

if TYPE_CHECKING:
    from sitegen.docs.document_page_cache import DocumentPageCache

Neighbours = tuple[PublishedPage | None, PublishedPage | None]

_everything = attrgetter(*PublishedPage.__dataclass_fields__)


@dataclass(eq=False)
class DocumentPage:
    """
    A document, its neighbours and its sidebar.

    It outlives the build that made it: as long as these are the same objects its
    pages are the same. What is costly is asked of `sheets` when a page is made.
    """

    cache: "DocumentPageCache"
    document: PublishedPage
    neighbours: Neighbours
    sidebar: Sidebar
    # Links and where they lead, and whether there is no text; once it is known.
    resolved: dict[str, str | None] = field(default_factory=dict, init=False)
    is_blank: bool | None = field(default=None, init=False)
    is_as_written: bool = field(default=False, init=False)
    told_headings: str = field(default="[]", init=False)
    former_ids: dict[str, str] = field(default_factory=dict, init=False)

    def stands(
        self,
        document: PublishedPage,
        neighbours: Neighbours,
        sidebar: Sidebar,
        *,
        moved: bool,
    ) -> bool:
        """
        Tell whether it would show the same, now that any document may have moved.

        A page without text shows the others of its section, which may have changed.
        """
        return (
            self.document is document
            and self.sidebar is sidebar
            and self.is_blank is False
            and all(map(_look_alike, self.neighbours, neighbours))
            and not (moved and self.resolved != self._found(self.resolved))
        )

    @cached_property
    def pages(self) -> tuple[Page, ...]:
        """For readers, for programs, and as Markdown."""
        document = self.document
        path = document_path(document.collection, document.slug)
        return (
            Page(
                path,
                self._data,
                template="docs/document.html",
                title=document.title,
                description=document.summary or document.title,
                twin=twin(path),
                key=self._key,
                aside=self,
            ),
            Page(twin(path)[1:], self._told, key=self._words),
            Page(self._markdown_href[1:], self._content, key=document.digest),
        )

    def learned(self) -> list[Any]:
        facts = [self.resolved, self.is_blank, self.is_as_written]
        return [*facts, self.told_headings, self.former_ids]

    def learn(self, told: list[Any]) -> None:
        resolved, self.is_blank, self.is_as_written, *rest = told
        self.resolved = _shared(resolved)
        self.told_headings, self.former_ids = rest

    def warnings(self) -> Iterator[str]:
        """
        Say what its readers will miss.

        Of links to headings one must know the other pages.
        """
        if self.is_as_written:
            yield f"{self.name}: shown as written, since it asks for too much as a page"
        for target, href in self.resolved.items():
            if href is None:
                yield self._lost(target)

    @cached_property
    def leads(self) -> list[tuple[str, str]]:
        """The addresses of what is no document, and what to say if none is there."""
        return [
            (href, self._lost(target))
            for target, href in self.resolved.items()
            if href and href[0] == "/" and not is_document_href(href)
        ]

    def _lost(self, target: str) -> str:
        return f"{self.name}: nothing is at {target}"

    @property
    def name(self) -> str:
        return f"{self.document.collection}/{self.document.slug}"

    @cached_property
    def anchored(self) -> list[tuple[str, str, str]]:
        """The links with a fragment: as written, the page, the fragment."""
        found = []
        for target, href in self.resolved.items():
            if href and (fragment := link_fragment(href)):
                found.append((target, without_query(href), fragment))
        return found

    @cached_property
    def ids(self) -> frozenset[str]:
        """The anchors of the page's headings, and of what these were called."""
        headings = frozenset(id for _, id, _ in json.loads(self.told_headings))
        return headings | self.former_ids.keys()

    @property
    def _markdown_href(self) -> str:
        path = document_path(self.document.collection, self.document.slug)
        return "/" + markdown_path(path)

    def _content(self) -> str:
        return self.cache.content(self.document)

    def _told(self) -> dict[str, Any]:
        return {"data": told(self.document, self._content())}

    def _words(self) -> str:
        """Name all that the API tells of the document."""
        return repr(_everything(self.document))

    def _key(self) -> dict[str, Any]:
        """Everything the page shows, with its costly parts by their names."""
        body = self.cache.body(self.document)
        self.resolved, self.is_blank = self._found(body.links), body.is_blank
        self.told_headings, self.is_as_written = body.headings_json, is_as_written(body)
        self.former_ids = self.cache.former_ids(self.document, body)
        keys = {"body": body_key(self.document), "sidebar": self.sidebar.key}
        more = {"links": list(self.resolved.values()), "former": self.former_ids}
        return self._facts() | keys | more

    def _data(self) -> dict[str, Any]:
        body = self.cache.body(self.document)
        html = resolve_links(body.html, body.links, self.resolved.get)
        # The title is the page's one h1. Text is escaped, so this is a heading's tag.
        html = html.replace("<h1", "<h2").replace("</h1>", "</h2>")
        html = add_former_ids(html, self.former_ids)
        headings = [
            {"level": max(2, level), "id": id, "text": text}
            for level, id, text in body.headings
            if level <= 3
        ]
        return self._facts() | {
            "html": Markup(html),  # noqa: S704  (the renderer escapes)
            "headings": headings,
            "sidebar": {"html": self.sidebar.html(self.document)},
        }

    def _facts(self) -> dict[str, Any]:
        document, sidebar = self.document, self.sidebar
        before, after = self.neighbours
        return {
            "title": document.title,
            "summary": document.summary,
            "collection": document.collection,
            "collectionTitle": sidebar.title,
            "collectionHref": sidebar.href,
            "section": document.section,
            "sectionHref": sidebar.section_href,
            "register": self._register() if self.is_blank else [],
            "previous": _link(before) if before else None,
            "next": _link(after) if after else None,
            "publishedVersion": document.published_version,
            "revisedAt": format_moment(document.revised_at),
            "markdownHref": self._markdown_href,
            "twinHref": self._markdown_href.removesuffix(".md") + ".json",
        }

    def _register(self) -> list[dict[str, Any]]:
        """The other pages of the section: what a page without text shows."""
        section = self.sidebar.documents
        return [line_of(each) for each in section if each.id != self.document.id]

    def _found(self, targets: Iterable[str]) -> dict[str, str | None]:
        resolve = self.cache.addresses.resolve
        return _shared({target: resolve(self.document, target) for target in targets})


def _shared(links: dict[str, str | None]) -> dict[str, str | None]:
    """Ten thousand pages link to each other, and each address is kept once."""
    return {intern(target): href and intern(href) for target, href in links.items()}


def _look_alike(one: PublishedPage | None, other: PublishedPage | None) -> bool:
    """Tell whether links to both would be the same."""
    if one is None or other is None or one is other:
        return one is other
    return _link(one) == _link(other)


def _link(document: PublishedPage) -> dict[str, str]:
    return {"title": document.title, "href": document_href(document)}
