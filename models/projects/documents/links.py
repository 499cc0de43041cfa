"""Where the links of a document lead, and which links lead to it."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from models.base import Schema
from models.fields import Id, QueryInteger, Slug
from models.projects.documents.addresses import Addresses, fragment_of, href_of
from models.projects.documents.preview import Site, Text
from models.projects.documents.publication_history import earlier_revisions
from models.projects.documents.published import (
    PublishedPage,
    published_contents,
    published_documents,
)
from models.projects.documents.renamed_headings import former_ids
from models.projects.documents.rendered_bodies import Body, bodies_with, links_with
from models.projects.documents.rows import DOCUMENTS, DocumentRevisionRow, DocumentRow
from models.projects.fields import NamedInProject
from models.response_headers import without_query

# Links that lead out of the document, and links that lead to it.
MOST = 1_000
# What is rendered for one answer, beside the document, where the site has yet to.
MOST_BYTES = 1024 * 1024

Problem = Literal["nothing-there", "no-heading"]


class GetDocumentLinks(NamedInProject):
    version: QueryInteger | None = None


class DocumentLink(Schema):
    """A link as it is written, where on the site it leads, and the other document."""

    target: str
    href: str | None
    document_id: Id | None
    slug: Slug | None
    title: str | None
    problem: Problem | None


class DocumentLinks(Schema):
    document_id: Id
    version: int
    outgoing: list[DocumentLink]
    incoming: list[DocumentLink]
    broken: list[DocumentLink]
    truncated: bool
    unread: int


def document_links(query: GetDocumentLinks, site: Site) -> DocumentLinks:
    """Look at the links of one version as if it were the public one."""
    document: DocumentRow = DOCUMENTS.got(query)
    version = document.version if query.version is None else query.version
    revision: DocumentRevisionRow = DOCUMENTS.revision_of(document, version)
    seen = _Seen(document, revision, site)
    own, incoming = list(seen.outgoing()), list(seen.incoming())
    return DocumentLinks(
        document_id=document.id,
        version=version,
        outgoing=[_told(each) for each in own if each.problem is None],
        incoming=[_told(each) for each in incoming[:MOST]],
        broken=[_told(each) for each in own if each.problem is not None],
        truncated=seen.has_more or len(incoming) > MOST,
        unread=seen.unread,
    )


class _Found(NamedTuple):
    target: str
    href: str | None
    other: PublishedPage | None
    problem: Problem | None


class _Seen:
    """The public documents as they would stand with this version among them."""

    def __init__(
        self, document: DocumentRow, revision: DocumentRevisionRow, site: Site
    ) -> None:
        self.site = site
        self.page = _page(document, revision)
        self.is_on_site = document.project.builtin and bool(document.collection)
        self.unread = 0
        self._content = revision.content
        self._others = [e for e in published_documents() if e.id != document.id]
        own = [self.page] if self.is_on_site else []
        self._addresses = Addresses([*self._others, *own])
        self._ids: dict[str, frozenset[str]] = {}

    @property
    def has_more(self) -> bool:
        return len(self._own_body.links) > MOST

    def outgoing(self) -> Iterator[_Found]:
        for target in self._body(self.page).links[:MOST]:
            href = self._addresses.resolve(self.page, target)
            other = self._document_at(href)
            yield _Found(target, href, other, self._problem(href, other))

    def incoming(self) -> Iterator[_Found]:
        """What has no page has no address that a link could lead to."""
        here = href_of(self.page)
        for other, links in self._links_of_others() if self.is_on_site else ():
            for target in links:
                href = self._addresses.resolve(other, target)
                if href and without_query(href) == here:
                    problem = self._problem(href, self.page)
                    yield _Found(target, href, other, problem)

    def _document_at(self, href: str | None) -> PublishedPage | None:
        if href is None:
            return None
        path = without_query(href)
        return self._addresses.document_at(path) if path else self.page

    def _problem(self, href: str | None, other: PublishedPage | None) -> Problem | None:
        if href is None or (other is None and not self.site.holds(href)):
            return "nothing-there"
        fragment = fragment_of(href)
        if other is None or not fragment or fragment in self._ids_of(other):
            return None
        return "no-heading"

    def _ids_of(self, page: PublishedPage) -> frozenset[str]:
        """Return the anchors of a page, and those it keeps of earlier headings."""
        if page.id not in self._ids:
            body = self._body(page)
            earlier = earlier_revisions({page.id: page.published_version})
            outlines = [
                self._kept_or_made(each, each.content()).headings
                for each in earlier.get(page.id, ())
            ]
            old = former_ids([*outlines, body.headings])
            self._ids[page.id] = body.ids | old.keys()
        return self._ids[page.id]

    def _body(self, page: PublishedPage) -> Body:
        if page is self.page:
            return self._own_body
        return self._kept_or_made(page, published_contents([page.id])[page.id])

    @cached_property
    def _own_body(self) -> Body:
        return self._kept_or_made(self.page, self._content)

    def _kept_or_made(self, text: Text, content: str) -> Body:
        key = self.site.key(text)
        return bodies_with([key]).get(key) or self.site.body(text, content)

    def _links_of_others(self) -> Iterator[tuple[PublishedPage, Sequence[str]]]:
        keys = {each.id: self.site.key(each) for each in self._others}
        kept = links_with(list(keys.values()))
        left = MOST_BYTES
        for each in self._others:
            links = kept.get(keys[each.id])
            if links is None and each.size <= left:
                left -= each.size
                links = self._body(each).links
            if links is None:
                self.unread += 1
            else:
                yield each, links


def _page(document: DocumentRow, revision: DocumentRevisionRow) -> PublishedPage:
    return PublishedPage(
        id=document.id,
        slug=document.slug,
        collection=document.collection or "",
        section=document.section,
        position=document.position,
        title=revision.title,
        summary=revision.summary,
        published_version=revision.version,
        published_at=document.published_at or revision.created_at,
        revised_at=revision.created_at,
        source_path=document.source_path,
        source_tree=document.source_tree,
        size=revision.size,
        digest=revision.digest,
    )


def _told(found: _Found) -> DocumentLink:
    other = found.other
    return DocumentLink(
        target=found.target,
        href=found.href,
        document_id=other.id if other else None,
        slug=other.slug if other else None,
        title=other.title if other else None,
        problem=found.problem,
    )
