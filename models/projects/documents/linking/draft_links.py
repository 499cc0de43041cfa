"""Resolve the links of a text that nobody has saved yet, as a publication would."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from models.changes import marks
from models.projects.documents.linking.aliases import AliasOf, all_aliases, redirects
from models.projects.documents.linking.link_resolver import LinkResolver
from models.projects.documents.linking.links import (
    LinkChecker,
    ResolvedLink,
    published_page,
)
from models.projects.documents.published import (
    PublishedAddress,
    PublishedPage,
    published_addresses,
    published_pages,
)
from models.projects.documents.rendered_bodies import RenderedBody
from models.projects.documents.rows import (
    DocumentRevisionRow,
    DocumentRow,
    digest_of,
    document_with,
)
from models.projects.documents.site_preview import SitePreview
from models.projects.files.names import names_a_file
from models.projects.projects.rows import project_with


@dataclass(frozen=True)
class Draft:
    """What somebody writes: the next version of a document, or a new one."""

    title: str
    content: str
    # None for a new document.
    document_id: str | None
    project_id: str

    @cached_property
    def document(self) -> DocumentRow:
        if self.document_id is not None:
            return document_with(self.document_id)
        new = {"id": "", "slug": "", "path": "", "version": 0, "position": 0}
        return DocumentRow(project=project_with(self.project_id), **new)

    def page(self, now: datetime) -> PublishedPage:
        """Return the draft as if it were the published version."""
        document = self.document
        revision = DocumentRevisionRow(
            version=document.version + 1,
            title=self.title,
            created_at=now,
            size=len(self.content.encode()),
            digest=digest_of(self.content),
        )
        return published_page(document, revision)


@dataclass(frozen=True)
class CheckedDraft:
    """A draft with its rendered body, and where its links lead."""

    project_id: str
    body: RenderedBody
    links: dict[str, ResolvedLink]
    # The files of the project that the text shows or links to, by target.
    files: dict[str, str]

    @property
    def broken(self) -> list[ResolvedLink]:
        return [link for link in self.links.values() if link.problem is not None]


class _Addresses(NamedTuple):
    mark: int
    edit_url: str
    documents: list[PublishedAddress]
    aliases: list[AliasOf]
    resolver: LinkResolver


class PublishedAddresses:
    """Resolves links to the published documents, which are read when they change."""

    def __init__(self) -> None:
        # Set at once, since several threads read.
        self._read: _Addresses | None = None

    def check(
        self,
        draft: Draft,
        site: SitePreview,
        edit_url: str,
        now: datetime,
        *,
        knows_files: bool = True,
    ) -> CheckedDraft:
        """
        Render a draft and resolve its links; to be called in a snapshot.

        For somebody who may not know which files the project has, links to files are
        neither resolved nor called broken.
        """
        resolver = self._current(edit_url)
        checker_class = _DraftChecker if knows_files else _FilelessChecker
        checker = checker_class(
            draft.document, draft.page(now), draft.content, site, resolver
        )
        links = {link.target: link for link in checker.outgoing()}
        names = {target: checker.file_name(target) for target in links}
        return CheckedDraft(
            project_id=draft.document.project_id,
            body=checker.own_body,
            links=links,
            files={target: name for target, name in names.items() if name},
        )

    def _current(self, edit_url: str) -> LinkResolver:
        """Return a resolver that knows what the snapshot shows."""
        # Every change of an address marks the docs in its transaction.
        mark, known = marks()["docs"], self._read
        if known and (known.mark, known.edit_url) == (mark, edit_url):
            return known.resolver
        documents, aliases = published_addresses(), list(all_aliases())
        read = edit_url, documents, aliases
        if known and (known.edit_url, known.documents, known.aliases) == read:
            # Most changes are those of texts.
            resolver = known.resolver
        else:
            pages = [document.page() for document in documents]
            resolver = LinkResolver(pages, edit_url, redirects(pages, aliases))
        self._read = _Addresses(mark, *read, resolver)
        return resolver


class _DraftChecker(LinkChecker):
    """The resolver knows the addresses of documents only; this reads more of a few."""

    def _document_at(self, href: str | None) -> PublishedPage | None:
        page = super()._document_at(href)
        return self.page if page and page.id == self.page.id else page

    def _ids_of(self, page: PublishedPage) -> frozenset[str]:
        if page is not self.page and page.id not in self._ids:
            page = next(iter(published_pages([page.id])), page)
        return super()._ids_of(page)


class _FilelessChecker(_DraftChecker):
    """Answers the same whether or not the project has a file."""

    def outgoing(self) -> Iterator[ResolvedLink]:
        for link in super().outgoing():
            is_file = link.href is None and names_a_file(link.target)
            yield link._replace(problem=None) if is_file else link

    def file_name(self, target: str) -> str | None:  # noqa: ARG002
        return None
