"""Resolve the links of documents to addresses of the public site."""

from collections.abc import Iterable
from posixpath import dirname, join, normpath
from typing import get_args
from urllib.parse import unquote

from models.projects.documents.documents import Collection
from models.projects.documents.published import PublishedPage
from models.response_headers import PATH_RULES, url_path, without_query

COLLECTIONS = get_args(Collection)

EXTENSIONS = (".md", ".mdx", ".markdown", ".html", ".json")
# The address of a folder is that of its index page.
INDEX_NAMES = ("index", "_index", "readme")
# The top-level folders and files of the site that hold no documents; links to them
# are left as they are. Files that describe a single build are not linkable, since
# the next build replaces them.
SITE_ROOTS = {pattern.split("/")[1] for pattern in PATH_RULES} - {
    *("", "assets", "build.json", "builds", "files", *COLLECTIONS)
}


def document_path(collection: str, slug: str) -> str:
    return f"{collection}/{slug}/index.html"


def document_href(document: PublishedPage) -> str:
    return url_path(document_path(document.collection, document.slug))


def link_fragment(href: str) -> str:
    """Return the decoded fragment of a link, "" if it has none or means the top."""
    fragment = unquote(href.partition("#")[2])
    # Browsers resolve #top to the start of any page.
    return "" if fragment.lower() == "top" else fragment


def is_document_href(href: str) -> bool:
    """Return whether a resolved link leads to the page of a document."""
    collection, _, rest = href[1:].partition("/")
    return collection in COLLECTIONS and rest[:1] not in ("", "?", "#")


class LinkResolver:
    """Index the published documents by slug, address and source file."""

    def __init__(self, documents: Iterable[PublishedPage]) -> None:
        self._by_slug: dict[str, PublishedPage] = {}
        self._by_source: dict[tuple[str | None, str], PublishedPage] = {}
        for document in documents:
            self._by_slug[document.slug] = document
            if document.source_path:
                source = (document.source_tree, _stem(document.source_path))
                self._by_source[source] = document

    def resolve(self, document: PublishedPage, target: str) -> str | None:
        """
        Return the address that a link of the document leads to, None if there is none.

        The target may be an address of the site, a slug with or without `.md`, or a
        path in the tree that the document was imported from, relative or absolute.
        Query and fragment are kept as written.
        """
        if target.startswith("#"):
            return target
        raw_path = without_query(target)
        path, suffix = unquote(raw_path), target[len(raw_path) :]
        query = suffix.partition("#")[0]
        if not (path + query).isprintable():
            # No file name holds such a character, and HTML must not.
            return None
        if suffix and not path:
            return suffix
        href = self._site_href(path) or self._document_href(document, path)
        return href + suffix if href else None

    def document_at(self, href: str) -> PublishedPage | None:
        """Return the document whose page has this address."""
        document = self._by_slug.get(href.strip("/").rpartition("/")[2])
        return document if document and document_href(document) == href else None

    def _site_href(self, path: str) -> str | None:
        """Return the address of the home page, a collection or another file."""
        # A browser takes what follows two slashes for the name of another host.
        relative = path.lstrip("/")
        root, _, rest = relative.partition("/")
        if relative == path or "?" in relative or "#" in relative:
            # No file of the site has such a name, and in a link it would be a query
            # or a fragment.
            return None
        if root in COLLECTIONS and not rest:
            return f"/{root}/"
        return "/" + relative if not root or root in SITE_ROOTS else None

    def _document_href(self, document: PublishedPage, path: str) -> str | None:
        resolve = self._absolute if path[:1] == "/" else self._relative
        target = resolve(document, path)
        return document_href(target) if target else None

    def _relative(self, document: PublishedPage, path: str) -> PublishedPage | None:
        if document.source_path:
            folder = dirname(document.source_path)
            # Authors whose generator serves pages as folders write one `..` too many.
            for base in (folder, _stem(document.source_path)):
                target = self._in_tree(document, _stem(normpath(join(base, path))))
                if target:
                    return target
        stem = _stem(normpath(path))
        return self._by_slug.get(stem.rsplit("/", 1)[-1]) if stem else None

    def _absolute(self, document: PublishedPage, path: str) -> PublishedPage | None:
        stem = _stem(path.lstrip("/"))
        collection, _, slug = stem.partition("/")
        if collection in COLLECTIONS and slug in self._by_slug:
            return self._by_slug[slug]
        # The tree may have been mounted below some address, so drop leading folders
        # until the rest names a source file, but keep its last folder.
        parts = stem.split("/")
        for start in range(len(parts) - 1):
            target = self._in_tree(document, "/".join(parts[start:]))
            if target:
                return target
        return self._in_tree(document, stem)

    def _in_tree(self, document: PublishedPage, stem: str) -> PublishedPage | None:
        """Return the document imported from this file of the same tree."""
        return self._by_source.get((document.source_tree, stem))


def _stem(path: str) -> str:
    """Return a path without its extension, slashes around it and index name."""
    path = path.strip("/")
    for extension in EXTENSIONS:
        path = path.removesuffix(extension)
    folder, _, name = path.rpartition("/")
    return folder if name.lower() in INDEX_NAMES else path
