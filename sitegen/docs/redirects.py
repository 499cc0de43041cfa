"""Where documents used to be: a page there, and a line for hosts that read lines."""

from collections.abc import Iterator

from models.projects.documents.link_resolver import document_href, document_path
from models.projects.documents.published import PublishedPage, former_addresses
from sitegen.docs.collections import docs_collections
from sitegen.page import BuildContext, Page, Rank, pages
from sitegen.status.imported_redirects import imported_redirects
from sitegen.urls import markdown_path, twin

Move = tuple[str, PublishedPage]


def moves(context: BuildContext) -> list[Move]:
    """Return each path that a document has left, with the document as it is now."""
    now_at = {
        each.id: each
        for collection in docs_collections(context)
        for each in collection.documents
    }
    taken = {document_path(each.collection, each.slug) for each in now_at.values()}
    left = [
        (document_path(each.collection, each.slug), now_at[each.document_id])
        for each in former_addresses()
        if each.document_id in now_at
    ]
    return [(path, document) for path, document in left if path not in taken]


@pages("docs")
def redirects(context: BuildContext) -> Iterator[Page]:
    """For every host: a page that says where the document is now."""
    for path, document in context.once(moves):
        href = document_href(document)
        yield Page(
            path,
            {"href": href, "title": document.title},
            template="docs/redirect.html",
            title=document.title,
            description=f"{document.title} has moved.",
            canonical=href,
            rank=Rank.LAST,
        )


@pages("docs")
def rules(context: BuildContext) -> Iterator[Page]:
    """
    For hosts that read rules: the moves, and which page stands for all that is not.

    A move is told as 302, since a document may come back, and a browser that keeps
    both ways for good would go round and round.
    """
    lines = [
        f"{old} {new} 302"
        for path, document in context.once(moves)
        for old, new in _addresses(path, document)
    ]
    lines += [f"{old} {new} 302" for old, new in imported_redirects()]
    told = "".join(f"{line}\n" for line in [*lines, "/* /404.html 404"])
    yield Page("_redirects", told, rank=Rank.LAST)


def _addresses(path: str, document: PublishedPage) -> Iterator[tuple[str, str]]:
    """Yield old and new address of the page, its Markdown and its JSON."""
    now = document_path(document.collection, document.slug)
    yield f"/{path.removesuffix('index.html')}", document_href(document)
    yield f"/{markdown_path(path)}", f"/{markdown_path(now)}"
    yield twin(path), twin(now)
