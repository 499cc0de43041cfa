"""
Make the page of a published document, its JSON and its Markdown.

First the document is resolved (`resolve_document`): where its links lead, which
headings it has, and their alternative ids. What the page shows and its key follow.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from sys import intern
from typing import Any

from markupsafe import Markup

from models.display_text import direction_of
from models.fields import format_moment
from models.locales import Locale, text_direction
from models.projects.documents.linking.alternative_ids import TITLE
from models.projects.documents.linking.link_resolver import (
    document_href,
    document_path,
    is_document_href,
    link_fragment,
)
from models.projects.documents.linking.outside_links import edit_url
from models.projects.documents.published import PublishedPage
from models.projects.documents.rendered_bodies import RenderedBody
from models.site_addresses import url_path, without_query
from sitegen.docs.body_rendering import body_key, is_shown_as_written
from sitegen.docs.collections import (
    document_summary,
    list_sections,
    serialize_document,
)
from sitegen.docs.document_source import DocumentSource
from sitegen.docs.published_files import PublishedFiles
from sitegen.docs.sidebar import Sidebar
from sitegen.markdown.headings import add_alternative_ids
from sitegen.markdown.rendering import resolve_links
from sitegen.markdown.texts import insert_texts
from sitegen.page import Page
from sitegen.urls import json_path, markdown_path

# Search engines show about so many characters of a description.
DESCRIPTION_LENGTH = 160
# Where a sentence is looked for; those before it may be pictures.
MAX_PARAGRAPHS = 5
# What ends earlier is an abbreviation or an exclamation.
MIN_SENTENCE_LENGTH = 20
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？]")

# The documents before and after one in its collection.
Neighbours = tuple[PublishedPage | None, PublishedPage | None]

# Each link of a text and the address it leads to, None if it leads nowhere.
Links = Mapping[str, str | None]

_all_fields = attrgetter(*PublishedPage.__dataclass_fields__)


@dataclass(frozen=True)
class ResolvedDocument:
    """What a page needs to know of its document's body, once links are resolved."""

    links: Links
    is_blank: bool
    is_shown_as_written: bool
    # Level, id and text of each heading, as JSON.
    headings_json: str
    # Former ids of headings and GitHub's spellings, each with the heading's id.
    alternative_ids: Mapping[str, str]

    @property
    def broken_links(self) -> list[str]:
        return [target for target, href in self.links.items() if href is None]

    @cached_property
    def site_links(self) -> list[tuple[str, str]]:
        """Return the links to files that are not documents: address and target."""
        return [
            (href, target)
            for target, href in self.links.items()
            if href and href[0] == "/" and not is_document_href(href)
        ]

    @cached_property
    def fragment_links(self) -> list[tuple[str, str, str]]:
        """Return the links to a part of a page: target, address and fragment."""
        return [
            (target, without_query(href), fragment)
            for target, href in self.links.items()
            if href and (fragment := link_fragment(href))
        ]

    @property
    def title_id(self) -> str | None:
        """Return GitHub's spelling of the title, unless a heading has this id."""
        ids = self.alternative_ids.items()
        return next((other for other, id in ids if id == TITLE), None)

    @cached_property
    def ids(self) -> frozenset[str]:
        """Return the ids of the page's headings, and the alternative ones."""
        headings = frozenset(id for _, id, _ in json.loads(self.headings_json))
        return headings | self.alternative_ids.keys()


def resolve_document(
    document: PublishedPage, source: DocumentSource
) -> ResolvedDocument:
    """Read the document's body, and resolve its links and former headings."""
    body = source.body(document)
    return ResolvedDocument(
        links=resolve_targets(document, body.links, source),
        is_blank=body.is_blank,
        is_shown_as_written=is_shown_as_written(body),
        headings_json=body.headings_json,
        alternative_ids=source.alternative_ids(document, body),
    )


def resolve_targets(
    document: PublishedPage, targets: Iterable[str], source: DocumentSource
) -> Links:
    return _interned({target: source.resolve(document, target) for target in targets})


def _interned(links: Links) -> Links:
    """Share equal addresses in memory: ten thousand pages link to each other."""
    return {intern(target): href and intern(href) for target, href in links.items()}


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Everything that the page of a document shows, except for its text."""

    document: PublishedPage
    neighbours: Neighbours
    sidebar: Sidebar
    resolved: ResolvedDocument
    edit_href: str | None

    def key(self) -> dict[str, Any]:
        """Return everything the page shows, with keys for its body and sidebar."""
        return self._metadata() | {
            "body": body_key(self.document),
            "sidebar": self.sidebar.key,
            "links": list(self.resolved.links.values()),
            "alternativeIds": self.resolved.alternative_ids,
            # The time it takes to render a body decides it, not the body alone.
            "isShownAsWritten": self.resolved.is_shown_as_written,
        }

    def data(self, body: RenderedBody, files: PublishedFiles) -> dict[str, Any]:
        """Return what the template shows; here the body gets its final HTML."""
        links = self.resolved.links
        # Our words between those of the author are in the language of the author.
        locale = self.sidebar.theme.locale_for(self.document.language)
        html = body_html(body, links.get, locale, files.picture_size)
        html = add_alternative_ids(html, self.resolved.alternative_ids)
        headings = [
            {"level": max(2, level), "id": id, "text": text}
            for level, id, text in body.headings
            if level <= 3
        ]
        return self._metadata() | {
            "description": self.document.summary
            or first_sentence(html)
            or self.document.title,
            "html": Markup(html),  # noqa: S704  (the renderer escapes)
            "headings": headings,
            "sidebar": {"html": self.sidebar.html(self.document)},
        }

    def _metadata(self) -> dict[str, Any]:
        document, sidebar = self.document, self.sidebar
        previous, following = self.neighbours
        language = self._language()
        return {
            "title": document.title,
            "titleId": self.resolved.title_id,
            "language": language,
            "direction": self._direction(language),
            "summary": document.summary,
            "hasLead": document.has_lead and bool(document.summary),
            "collection": document.collection,
            "collectionTitle": sidebar.title,
            "collectionHref": sidebar.href,
            "sections": [
                {"section": group.label, "href": group.href}
                for group in sidebar.group.path[1:]
            ],
            "register": self._others_of_section() if self.resolved.is_blank else [],
            # The first page of a collection stands in place of its list.
            "listing": [] if document.path else list_sections(sidebar.group.path[0]),
            "previous": _link(previous) if previous else None,
            "next": _link(following) if following else None,
            "publishedVersion": document.published_version,
            "revisedAt": format_moment(document.shown_at),
            "markdownHref": url_path(markdown_path(document_path(document))),
            "jsonHref": url_path(json_path(document_path(document))),
            "editHref": self.edit_href,
            "isListed": document.is_listed,
        }

    def _language(self) -> str | None:
        """Return the language of the text if it is not that of the site."""
        language, own = self.document.language, self.sidebar.theme.locale.tag
        return None if (language or own).lower() == own.lower() else language

    def _direction(self, language: str | None) -> str | None:
        """Return the direction of the text, None if it is that of the site."""
        if language:
            return text_direction(language)
        own = direction_of(self.document.title)
        return None if own == self.sidebar.theme.locale.direction else own

    def _others_of_section(self) -> list[dict[str, Any]]:
        """Return the other documents of the section, which a blank page lists."""
        return [
            document_summary(document)
            for document in self.sidebar.documents
            if document.id != self.document.id
        ]


@dataclass(eq=False, slots=True)
class DocumentPages:
    """
    The three files of a document.

    The object is reused by later builds while it is current, so that nothing about the
    document is read, resolved or compared again.
    """

    source: DocumentSource
    document: PublishedPage
    neighbours: Neighbours
    sidebar: Sidebar
    _resolved: ResolvedDocument | None = field(default=None, init=False)
    _pages: tuple[Page, ...] = field(default=(), init=False)

    @property
    def resolved(self) -> ResolvedDocument | None:
        """Return the resolved document, None if it was not or could not be resolved."""
        return self._resolved

    def _resolve(self) -> ResolvedDocument:
        if self._resolved is None:
            self._resolved = resolve_document(self.document, self.source)
        return self._resolved

    def is_current(
        self,
        document: PublishedPage,
        neighbours: Neighbours,
        sidebar: Sidebar,
        *,
        are_addresses_changed: bool,
    ) -> bool:
        """
        Return whether the pages of a new build would be the same.

        A blank page lists the other documents of its section, and the first page of a
        collection all of them, which may have changed.
        """
        resolved = self._resolved
        return (
            resolved is not None
            and not resolved.is_blank
            and document.path != ""
            and self.document is document
            and self.sidebar is sidebar
            and all(map(_have_equal_links, self.neighbours, neighbours))
            and not (are_addresses_changed and self._are_links_changed(resolved))
        )

    def _are_links_changed(self, resolved: ResolvedDocument) -> bool:
        links = resolve_targets(self.document, resolved.links, self.source)
        return resolved.links != links

    @property
    def pages(self) -> tuple[Page, ...]:
        self._pages = self._pages or self._create_pages()
        return self._pages

    def _create_pages(self) -> tuple[Page, ...]:
        document = self.document
        path = document_path(document)
        return (
            Page(
                path,
                self._page_data,
                template="docs/document.html",
                title=document.title,
                description=document.summary or document.title,
                json_href=url_path(json_path(path)),
                key=self._page_key,
            ),
            Page(json_path(path), self._json_data, key=self._json_key),
            Page(markdown_path(path), self._content, key=document.digest),
        )

    def _page(self) -> DocumentPage:
        return DocumentPage(
            self.document,
            self.neighbours,
            self.sidebar,
            self._resolve(),
            edit_href(self.source.edit_url, self.document),
        )

    def _page_key(self) -> dict[str, Any]:
        return self._page().key()

    def _page_data(self) -> dict[str, Any]:
        body = self.source.body(self.document)
        return self._page().data(body, self.source.files)

    def _json_key(self) -> str:
        return repr(_all_fields(self.document))

    def _json_data(self) -> dict[str, Any]:
        return {"data": serialize_document(self.document, self._content())}

    def _content(self) -> str:
        return self.source.content(self.document)


def body_html(
    body: RenderedBody,
    resolve: Callable[[str], str | None],
    locale: Locale,
    size_of: Callable[[str], tuple[int, int] | None] = lambda _: None,
) -> str:
    """Return the HTML of a body with addresses in its links and pictures, and texts."""
    html = resolve_links(body.html, body.links, resolve, size_of)
    html = insert_texts(html, locale)
    # The title is the only h1. Text is escaped, so this is the tag of a heading.
    return html.replace("<h1", "<h2").replace("</h1>", "</h2>")


def first_sentence(html: str) -> str:
    """Return the text of the first sentence in a paragraph, "" if there is none."""
    for part in html.split("<p>", MAX_PARAGRAPHS)[1:]:
        text = Markup(part.partition("</p>")[0]).striptags()  # noqa: S704  (plain text)
        ends = (end.end() for end in _SENTENCE_END.finditer(text, MIN_SENTENCE_LENGTH))
        sentence = text[: next(ends, None)]
        if len(sentence) > DESCRIPTION_LENGTH:
            return f"{sentence[: DESCRIPTION_LENGTH - 1].rstrip()}…"
        if sentence:
            return sentence
    return ""


def edit_href(pattern: str, document: PublishedPage) -> str | None:
    """Return where the file of the document is edited, None if there is no file."""
    if not pattern or not document.source_path:
        return None
    return edit_url(pattern, document.source_tree or "", document.source_path)


def _have_equal_links(one: PublishedPage | None, other: PublishedPage | None) -> bool:
    if one is None or other is None or one is other:
        return one is other
    return _link(one) == _link(other)


def _link(document: PublishedPage) -> dict[str, str]:
    return {"title": document.label, "href": document_href(document)}
