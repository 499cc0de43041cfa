"""Find the links of a tree that will lead nowhere, before it is imported."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from urllib.parse import unquote

from models.projects.document_imports.sources import DocumentSource
from models.projects.documents.linking.alternative_ids import alternative_ids
from models.projects.documents.linking.link_resolver import (
    LinkResolver,
    is_document_href,
    is_on_site,
    link_fragment,
)
from models.projects.documents.paths import paths_of_files
from models.projects.documents.published import PublishedAddress, PublishedPage
from models.projects.documents.rendered_bodies import RenderedBody
from models.projects.files.names import candidate_names
from models.site_addresses import without_query
from sitegen.docs.body_rendering import render_body
from sitegen.sources.tree import Note, Tree


def notes_on_links(
    tree: Tree,
    *,
    name: str,
    collection: str,
    below: str = "",
    base: str | None = None,
    edit_url: str = "",
    progress: Callable[[Sequence[DocumentSource]], Iterable[DocumentSource]] = iter,
) -> Iterator[Note]:
    """
    Yield a note for each link of a page that leads nowhere, or to no heading.

    Links to pages of the site that are not in the tree, such as /status/, are not
    followed. Every page is rendered, since only then its headings are known.
    """
    places = paths_of_files([source.path for source in tree.sources], below)
    pages = {
        source.path: _page(source, places[source.path], name, collection, base)
        for source in tree.sources
    }
    bodies: dict[str, RenderedBody] = {
        source.path: render_body(pages[source.path], source.content)
        for source in progress(tree.sources)
    }
    aliases = [
        (alias, pages[source.path])
        for source in tree.sources
        for alias in source.aliases
    ]
    resolver = LinkResolver(pages.values(), edit_url, aliases)
    files = {file.name for file in tree.files}
    for path, body in bodies.items():
        for target in body.links:
            wanted = unquote(without_query(target))
            if any(each in files for each in candidate_names(wanted, name, path)):
                continue
            href = resolver.resolve(pages[path], target)
            if href is None:
                yield Note(path, f"The link {target} leads nowhere.")
            elif is_on_site(href):
                yield from _problems(pages, bodies, resolver, path, target, href)


def _problems(
    pages: Mapping[str, PublishedPage],
    bodies: Mapping[str, RenderedBody],
    resolver: LinkResolver,
    path: str,
    target: str,
    href: str,
) -> Iterator[Note]:
    address, fragment = without_query(href), link_fragment(href)
    page = resolver.document_at(address) if address else pages[path]
    if page is None:
        if is_document_href(address):
            yield Note(path, f"The link {target} leads nowhere.")
        return
    body = bodies[page.id]
    ids = body.ids | alternative_ids(page.title, [body.headings]).keys()
    if fragment and fragment not in ids:
        yield Note(path, f"The link {target} leads to no heading.")


def _page(
    source: DocumentSource, place: str, tree: str, collection: str, base: str | None
) -> PublishedPage:
    """Return what links and headings depend on of the page; its path is its id."""
    address = PublishedAddress(
        id=source.path,
        slug=source.slug,
        path=place,
        collection=collection,
        source_path=source.path,
        source_tree=tree,
        source_address=source.address,
        source_base=base,
    )
    return replace(address.page(), title=source.title, digest=source.digest())
