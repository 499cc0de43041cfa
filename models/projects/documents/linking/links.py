"""Check the links of a document, and list the links that lead to it."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Annotated, Literal, NamedTuple
from urllib.parse import unquote

from pydantic import Field

from models.base import Schema
from models.fields import QueryInteger, Slug
from models.projects import descriptions
from models.projects.documents.linking.aliases import redirects
from models.projects.documents.linking.alternative_ids import alternative_ids
from models.projects.documents.linking.link_resolver import (
    LinkResolver,
    document_href,
    is_on_site,
    link_fragment,
)
from models.projects.documents.publication_history import earlier_published_revisions
from models.projects.documents.published import (
    PublishedPage,
    published_contents,
    published_documents,
)
from models.projects.documents.rendered_bodies import (
    RenderedBody,
    stored_bodies,
    stored_links,
)
from models.projects.documents.rows import DOCUMENTS, DocumentRevisionRow, DocumentRow
from models.projects.documents.site_preview import RenderInput, SitePreview
from models.projects.fields import DocumentId, IdOrSlugQuery, IsTruncated
from models.projects.files.names import candidate_names
from models.projects.files.pins import Pins, pins_to_show
from models.site_addresses import without_query

# Links that are returned in each direction.
MAX_LINKS = 1_000
# Bytes of other documents that one call renders because the site has yet to.
MAX_RENDERED_BYTES = 1024 * 1024

Problem = Literal["nothing-there", "no-heading"]


class GetDocumentLinks(IdOrSlugQuery, example=("projectSlug", "slug")):
    version: QueryInteger | None = Field(
        default=None,
        description="The version to check. Default: the latest.",
        examples=[3],
    )


class DocumentLink(Schema):
    """A link as it is written, where on the site it leads, and the other document."""

    target: str = Field(
        description="The link as it is written.", examples=["moving.md"]
    )
    href: str | None = Field(
        description="The URL of the target on the site, or of an external website.",
        examples=["/guides/moving/"],
    )
    document_id: DocumentId | None
    slug: Slug | None = Field(
        description="The slug of the linked document.", examples=["moving"]
    )
    title: Annotated[str | None, descriptions.TITLE]
    problem: Problem | None = Field(
        description="Why the link is broken. null: it is not.", examples=[None]
    )


class DocumentLinks(Schema):
    document_id: DocumentId
    version: Annotated[int, descriptions.VERSION]
    outgoing: list[DocumentLink] = Field(
        description="Links from this document to the site."
    )
    incoming: list[DocumentLink] = Field(
        description="Links in other documents to this one."
    )
    broken: list[DocumentLink] = Field(
        description="Links whose target does not exist.", examples=[[]]
    )
    truncated: IsTruncated
    unread: int = Field(
        description="The number of documents not checked for links, because the site"
        " has not built them yet.",
        examples=[0],
    )


def document_links(
    query: GetDocumentLinks, site: SitePreview, edit_url: str = ""
) -> DocumentLinks:
    """
    Check the links of one version as if it were the published one.

    `edit_url` is the pattern of the addresses at which imported files are edited.
    """
    document: DocumentRow = DOCUMENTS.get(query)
    version = document.version if query.version is None else query.version
    revision: DocumentRevisionRow = DOCUMENTS.revision_of(document, version)
    page = published_page(document, revision)
    others = [other for other in published_documents() if other.id != document.id]
    pages = [*others, page] if is_on_site_if_published(document) else others
    resolver = LinkResolver(pages, edit_url, redirects(pages))
    checker = LinkChecker(document, page, revision.content, site, resolver, others)
    outgoing, incoming = list(checker.outgoing()), list(checker.incoming())
    return DocumentLinks(
        document_id=document.id,
        version=version,
        outgoing=[_to_schema(link) for link in outgoing if link.problem is None],
        incoming=[_to_schema(link) for link in incoming[:MAX_LINKS]],
        broken=[_to_schema(link) for link in outgoing if link.problem is not None],
        truncated=checker.has_more_links or len(incoming) > MAX_LINKS,
        unread=checker.unread,
    )


class ResolvedLink(NamedTuple):
    target: str
    href: str | None
    other: PublishedPage | None
    problem: Problem | None


class LinkChecker:
    """
    Resolves the links of a text as if it were a published version of the document.

    `others` are the documents whose links may lead to this one.
    """

    def __init__(
        self,
        document: DocumentRow,
        page: PublishedPage,
        content: str,
        site: SitePreview,
        resolver: LinkResolver,
        others: Sequence[PublishedPage] = (),
    ) -> None:
        self.site = site
        self.page = page
        # Documents whose links are unknown, since they were not rendered yet.
        self.unread = 0
        self._document = document
        self._content = content
        self._others = others
        self._resolver = resolver
        self._ids: dict[str, frozenset[str]] = {}

    @property
    def has_more_links(self) -> bool:
        return len(self.own_body.links) > MAX_LINKS

    def outgoing(self) -> Iterator[ResolvedLink]:
        for target in self.own_body.links[:MAX_LINKS]:
            if self.file_name(target):
                # Its address is that of the content that the publication will pin.
                yield ResolvedLink(target, None, None, None)
                continue
            href = self._resolver.resolve(self.page, target)
            other = self._document_at(href)
            yield ResolvedLink(target, href, other, self._problem(href, other))

    @cached_property
    def _file_names(self) -> Pins:
        """Return the files that a publication of this version would show."""
        return pins_to_show(self._document, self.page.published_version, self._content)

    def file_name(self, target: str) -> str | None:
        """Return the name of the project's file that a link or picture means."""
        path = unquote(without_query(target))
        names = candidate_names(path, self.page.source_tree, self.page.source_path)
        return next((name for name in names if name in self._file_names), None)

    def incoming(self) -> Iterator[ResolvedLink]:
        # A document that has no page has no address to link to.
        own_href = document_href(self.page)
        is_on_site = is_on_site_if_published(self._document)
        for other, links in self._links_of_others() if is_on_site else ():
            for target in links:
                href = self._resolver.resolve(other, target)
                if href and without_query(href) == own_href:
                    problem = self._problem(href, self.page)
                    yield ResolvedLink(target, href, other, problem)

    def _document_at(self, href: str | None) -> PublishedPage | None:
        if href is None:
            return None
        path = without_query(href)
        return self._resolver.document_at(path) if path else self.page

    def _problem(self, href: str | None, other: PublishedPage | None) -> Problem | None:
        if href and not is_on_site(href):
            return None
        if href is None or (other is None and not self.site.has_file(href)):
            return "nothing-there"
        fragment = link_fragment(href)
        if other is None or not fragment or fragment in self._ids_of(other):
            return None
        return "no-heading"

    def _ids_of(self, page: PublishedPage) -> frozenset[str]:
        """Return the ids of a page's headings, and the alternative ones."""
        if page.id not in self._ids:
            body = self._body_of(page)
            earlier = earlier_published_revisions({page.id: page.published_version})
            outlines = [
                self._stored_or_rendered(revision, revision.content()).headings
                for revision in earlier.get(page.id, ())
            ]
            others = alternative_ids(page.title, [*outlines, body.headings])
            self._ids[page.id] = body.ids | others.keys()
        return self._ids[page.id]

    def _body_of(self, page: PublishedPage) -> RenderedBody:
        if page is self.page:
            return self.own_body
        return self._stored_or_rendered(page, published_contents([page.id])[page.id])

    @cached_property
    def own_body(self) -> RenderedBody:
        return self._stored_or_rendered(self.page, self._content)

    def _stored_or_rendered(self, text: RenderInput, content: str) -> RenderedBody:
        key = self.site.body_key(text)
        return stored_bodies([key]).get(key) or self.site.render_body(text, content)

    def _links_of_others(self) -> Iterator[tuple[PublishedPage, Sequence[str]]]:
        keys = {page.id: self.site.body_key(page) for page in self._others}
        stored = stored_links(list(keys.values()))
        remaining_bytes = MAX_RENDERED_BYTES
        for page in self._others:
            links = stored.get(keys[page.id])
            if links is None and page.size <= remaining_bytes:
                remaining_bytes -= page.size
                links = self._body_of(page).links
            if links is None:
                self.unread += 1
            else:
                yield page, links


def is_on_site_if_published(document: DocumentRow) -> bool:
    return document.project.builtin and bool(document.collection)


def published_page(
    document: DocumentRow, revision: DocumentRevisionRow
) -> PublishedPage:
    return PublishedPage(
        id=document.id,
        slug=document.slug,
        path=document.path,
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
        source_address=document.source_address,
        source_base=document.source_base,
        language=document.language,
        is_listed=document.is_listed,
        changed_at=document.changed_at,
        nav_title=document.nav_title,
        has_lead=document.has_lead,
        size=revision.size,
        digest=revision.digest,
    )


def _to_schema(link: ResolvedLink) -> DocumentLink:
    other = link.other
    return DocumentLink(
        target=link.target,
        href=link.href,
        document_id=other.id if other else None,
        slug=other.slug if other else None,
        title=other.title if other else None,
        problem=link.problem,
    )
