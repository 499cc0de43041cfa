"""Redirect the former addresses of documents: by pages, and by rules for hosts."""

from collections.abc import Iterator

from models.display_text import isolate
from models.projects.documents.link_resolver import document_href, document_path
from models.projects.documents.published import PublishedPage, former_addresses
from sitegen.docs.collections import docs_collections
from sitegen.docs.document_page import path_of
from sitegen.page import BuildContext, Page, Stage, pages
from sitegen.status.imported_redirects import imported_redirects
from sitegen.urls import markdown_path, twin

# A former path, and the document as it is now.
Redirect = tuple[str, PublishedPage]


def former_paths(context: BuildContext) -> list[Redirect]:
    """Return the former paths of published documents that no other document has now."""
    documents = {
        document.id: document
        for collection in docs_collections(context)
        for document in collection.documents
    }
    taken = {path_of(document) for document in documents.values()}
    redirects = [
        (document_path(former.collection, former.slug), documents[former.document_id])
        for former in former_addresses()
        if former.document_id in documents
    ]
    return [(path, document) for path, document in redirects if path not in taken]


@pages("docs", Stage.ENTRY_POINTS)
def redirect_pages(context: BuildContext) -> Iterator[Page]:
    """For every host: a page that links to the document's address."""
    for path, document in context.once_per_build(former_paths):
        href = document_href(document)
        yield Page(
            path,
            {"href": href, "title": document.title},
            template="docs/redirect.html",
            title=document.title,
            description=f"{isolate(document.title)} has moved.",
            canonical=href,
        )


@pages("docs", Stage.ENTRY_POINTS)
def redirect_rules(context: BuildContext) -> Iterator[Page]:
    """
    For hosts that read rules: the redirects, and the page for missing addresses.

    The status is 302, since a document may move back, and a browser that had cached
    both redirects for good would follow them in circles.
    """
    rules = [
        f"{old} {new} 302"
        for path, document in context.once_per_build(former_paths)
        for old, new in _addresses(path, document)
    ]
    rules += [f"{old} {new} 302" for old, new in imported_redirects()]
    lines = "".join(f"{rule}\n" for rule in [*rules, "/* /404.html 404"])
    yield Page("_redirects", lines)


def _addresses(path: str, document: PublishedPage) -> Iterator[tuple[str, str]]:
    """Yield the old and new addresses of the page, its Markdown and its JSON."""
    new_path = path_of(document)
    yield f"/{path.removesuffix('index.html')}", document_href(document)
    yield f"/{markdown_path(path)}", f"/{markdown_path(new_path)}"
    yield twin(path), twin(new_path)
