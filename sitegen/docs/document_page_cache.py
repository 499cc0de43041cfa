"""Keep the pages of all documents from build to build, and warn of broken links."""

from collections.abc import Iterator

from models.projects.documents.published import PublishedPage
from models.site_addresses import without_query
from sitegen.docs.collections import DocsCollection, docs_collections, new_texts
from sitegen.docs.document_page import DocumentPages, Neighbours, ResolvedDocument
from sitegen.docs.document_source import DocumentSource
from sitegen.docs.published_files import published_files
from sitegen.docs.redirects import redirects_of
from sitegen.docs.sidebar import Sidebar, SidebarCache
from sitegen.page import BuildContext
from sitegen.theme.theme import Theme


class DocumentPageCache:
    """The pages of all documents, for all builds of a process."""

    def __init__(self) -> None:
        self._pages: dict[str, DocumentPages] = {}
        self._sidebars = SidebarCache()
        self._source = DocumentSource()

    def pages(self, context: BuildContext) -> Iterator[DocumentPages]:
        """Yield the pages of every document; unchanged ones are the same objects."""
        collections = docs_collections(context)
        documents = [
            document
            for collection in collections
            for document in (*collection.documents, *collection.unlisted)
        ]
        context.bodies.render_ahead(
            [each for each in documents if not self._has_pages_of(each)]
        )
        are_addresses_changed = self._source.open(
            documents,
            context.bodies,
            published_files(context),
            context.once_per_build(redirects_of),
            context.settings.edit_url,
        )
        yield from self._update(context, collections, are_addresses_changed)
        # All are written, and what follows needs the memory.
        self._source.close()
        for name, _, resolved in self._resolved():
            context.warnings.extend(_warnings(name, resolved))
            context.unchecked_links.extend(
                (href, _broken_link(name, target))
                for href, target in resolved.site_links
            )
        context.warnings.extend(self._broken_fragments())

    def _has_pages_of(self, document: PublishedPage) -> bool:
        known = self._pages.get(document.id)
        return known is not None and known.document is document

    def pages_of_new_texts(self, context: BuildContext) -> list[DocumentPages]:
        """
        Return the pages of documents of which only the text changed since `pages`.

        Neighbours, sidebars and addresses are those of the last build, until the next
        one compares them. Pages that show files wait for that, since the files come
        first.
        """
        documents = self._source.without_files(new_texts(context))
        self._source.open_some(documents, context.bodies)
        for document in documents:
            before = self._pages[document.id]
            self._pages[document.id] = DocumentPages(
                self._source, document, before.neighbours, before.sidebar
            )
        return [self._pages[document.id] for document in documents]

    def documents_linking_to(self, prefix: str) -> dict[str, list[PublishedPage]]:
        """
        Return the documents that link to addresses with this prefix, by address.

        The prefix must not be that of a collection.
        """
        documents: dict[str, dict[str, PublishedPage]] = {}
        for _, document, resolved in self._resolved():
            for href, _ in resolved.site_links:
                if href.startswith(prefix):
                    linking = documents.setdefault(without_query(href), {})
                    linking[document.id] = document
        return {href: list(linking.values()) for href, linking in documents.items()}

    def _update(
        self,
        context: BuildContext,
        collections: list[DocsCollection],
        are_addresses_changed: bool,
    ) -> Iterator[DocumentPages]:
        """Yield the pages of every document, new ones where they are not current."""
        before, self._pages = self._pages, {}
        for collection in collections:
            for facts in self._facts(collection, context.theme):
                document = facts[0]
                pages = before.get(document.id)
                if pages is None or not pages.is_current(
                    *facts, are_addresses_changed=are_addresses_changed
                ):
                    pages = DocumentPages(self._source, *facts)
                self._pages[document.id] = pages
                yield pages

    def _facts(
        self, collection: DocsCollection, theme: Theme
    ) -> Iterator[tuple[PublishedPage, Neighbours, Sidebar]]:
        """Yield each document with what its page shows of others."""
        sidebars = self._sidebars.for_collection(collection, theme)
        documents = collection.documents
        for previous, document, following in zip(
            [None, *documents], documents, [*documents[1:], None], strict=False
        ):
            yield document, (previous, following), sidebars[document.section]
        for document in collection.unlisted:
            sidebar = sidebars.get(document.section) or sidebars[None]
            yield document, (None, None), sidebar

    def _resolved(self) -> Iterator[tuple[str, PublishedPage, ResolvedDocument]]:
        """Yield the documents that could be resolved, with the name for a warning."""
        for pages in self._pages.values():
            if pages.resolved is not None:
                document = pages.document
                name = f"{document.collection}/{document.path}"
                source = f" ({document.source_path})" if document.source_path else ""
                yield name + source, document, pages.resolved

    def _broken_fragments(self) -> Iterator[str]:
        """
        Yield a warning for each link to a heading that does not exist.

        A page can stay the same while the headings of others change, so every build
        checks all links.
        """
        addresses = self._source.addresses
        for name, document, resolved in self._resolved():
            for target, href, fragment in resolved.fragment_links:
                linked = addresses.document_at(href) if href else document
                headings = self._pages[linked.id].resolved if linked else None
                if headings and fragment not in headings.ids:
                    yield f"{name}: no heading is at {target}"


def _warnings(name: str, resolved: ResolvedDocument) -> Iterator[str]:
    if resolved.is_shown_as_written:
        yield f"{name}: shown as plain text, because rendering it would exceed a limit"
    for target in resolved.broken_links:
        yield _broken_link(name, target)


def _broken_link(name: str, target: str) -> str:
    return f"{name}: nothing is at {target}"
