"""Redirect the aliases of documents: by pages, and by rules for hosts."""

from collections.abc import Iterator
from urllib.parse import quote, unquote

from models.display_text import isolate
from models.projects.documents.linking.aliases import Redirect, redirects
from models.projects.documents.linking.link_resolver import (
    document_href,
    document_path,
    is_document_href,
)
from models.projects.documents.published import PublishedPage
from models.site_addresses import file_for, moved_note, url_path
from sitegen.docs.collections import docs_collections
from sitegen.page import BuildContext, Page, Stage, pages
from sitegen.status.imported_redirects import imported_redirects
from sitegen.urls import json_path, markdown_path


def redirects_of(context: BuildContext) -> list[Redirect]:
    """Return the redirects to the published documents."""
    collections = docs_collections(context)
    return redirects(page for each in collections for page in each.published)


@pages("docs", Stage.ENTRY_POINTS)
def redirect_pages(context: BuildContext) -> Iterator[Page]:
    """For every host: a page that links to the document's address."""
    for address, document in context.once_per_build(redirects_of):
        href = document_href(document)
        yield Page(
            file_for(address),
            {"href": href, "title": document.title},
            template="docs/redirect.html",
            title=document.title,
            description=context.theme.locale.text(
                "docs.has-moved", title=isolate(document.title)
            ),
            canonical=href,
        )


@pages("docs", Stage.ENTRY_POINTS)
def redirect_rules(context: BuildContext) -> Iterator[Page]:
    """
    For hosts that read rules: the redirects, and the page for missing addresses.

    For web servers that look for files: a note for each old address.
    """
    path = context.settings.site_path
    found = [
        (old, new)
        for address, document in context.once_per_build(redirects_of)
        for old, new in _rules(address, document)
    ]
    found += imported_redirects(context)
    rules = {path + old: path + new for old, new in found}
    lines = "".join(f"{old} {new} 301\n" for old, new in rules.items())
    yield Page("_redirects", f"{lines}{path}/* {path}/404.html 404\n")
    # Addresses with and without a final slash have the same note.
    notes = {moved_note(unquote(old)): new for old, new in rules.items()}
    yield from (Page(file, f"{new}\n") for file, new in notes.items())


def _rules(address: str, document: PublishedPage) -> Iterator[tuple[str, str]]:
    """Yield the old and new addresses of the page, its Markdown and its JSON."""
    yield quote(address), document_href(document)
    if is_document_href(address) and address.endswith("/"):
        old, new = file_for(address), document_path(document)
        for path_of in (markdown_path, json_path):
            yield url_path(path_of(old)), url_path(path_of(new))
