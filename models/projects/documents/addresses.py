"""What a link in a document leads to: another document, by any of its names."""

from collections.abc import Iterable
from posixpath import dirname, join, normpath
from typing import get_args
from urllib.parse import unquote

from models.projects.documents.documents import Collection
from models.projects.documents.published import PublishedPage
from models.response_headers import PATH_RULES, url_path, without_query

COLLECTIONS = get_args(Collection)

ENDINGS = (".md", ".mdx", ".markdown", ".html", ".json")
# A folder goes by the name of its first page.
INDEXES = ("index", "_index", "readme")
# Where the site has more than documents; what lies there is let through. What tells
# of single builds comes and goes.
OTHERS = {place.split("/")[1] for place in PATH_RULES} - {
    *("", "assets", "build.json", "builds", *COLLECTIONS)
}


def document_path(collection: str, slug: str) -> str:
    return f"{collection}/{slug}/index.html"


def href_of(document: PublishedPage) -> str:
    return url_path(document_path(document.collection, document.slug))


def fragment_of(href: str) -> str:
    """Return which part of its page a link means, "" where it means all of it."""
    fragment = unquote(href.partition("#")[2])
    # Every browser knows the top.
    return "" if fragment.lower() == "top" else fragment


def is_of_document(href: str) -> bool:
    """Tell whether a link that was resolved leads to a document's page."""
    collection, _, rest = href[1:].partition("/")
    return collection in COLLECTIONS and rest[:1] not in ("", "?", "#")


class Addresses:
    """The published documents by slug, by address and by the file they came from."""

    def __init__(self, documents: Iterable[PublishedPage]) -> None:
        self._by_slug: dict[str, PublishedPage] = {}
        self._by_source: dict[tuple[str | None, str], PublishedPage] = {}
        for each in documents:
            self._by_slug[each.slug] = each
            if each.source_path:
                self._by_source[each.source_tree, _bare(each.source_path)] = each

    def resolve(self, document: PublishedPage, target: str) -> str | None:
        """
        Return the address of what the document's link means, or None.

        Its query and its fragment are kept as they are written.

        The target may be an address of the site, a slug with or without `.md`,
        or a path of the tree the document was imported from, relative or whole.
        """
        if target.startswith("#"):
            return target
        written = without_query(target)
        path, rest = unquote(written), target[len(written) :]
        query = rest.partition("#")[0]
        if not (path + query).isprintable():
            # No name holds such a character, and it has no place in HTML.
            return None
        if rest and not path:
            return rest
        href = self._site_address(path) or self._document_address(document, path)
        return href + rest if href else None

    def document_at(self, href: str) -> PublishedPage | None:
        """Return the document whose page has this address."""
        found = self._by_slug.get(href.strip("/").rpartition("/")[2])
        return found if found and href_of(found) == href else None

    def _site_address(self, path: str) -> str | None:
        """A path of the site that is no document: the front, a collection, a file."""
        # One slash: after two of them a browser reads the name of another host.
        bare = path.lstrip("/")
        first, _, rest = bare.partition("/")
        if bare == path or "?" in bare or "#" in bare:
            # Nothing of the site is called so, and as a link it would mean another.
            return None
        if first in COLLECTIONS and not rest:
            return f"/{first}/"
        return "/" + bare if not first or first in OTHERS else None

    def _document_address(self, document: PublishedPage, path: str) -> str | None:
        find = self._absolute if path[:1] == "/" else self._near
        found = find(document, path)
        return href_of(found) if found else None

    def _near(self, document: PublishedPage, path: str) -> PublishedPage | None:
        if document.source_path:
            here = dirname(document.source_path)
            # Pages served as folders make authors write one step up too many.
            for base in (here, _bare(document.source_path)):
                found = self._of_tree(document, _bare(normpath(join(base, path))))
                if found:
                    return found
        bare = _bare(normpath(path))
        return self._by_slug.get(bare.rsplit("/", 1)[-1]) if bare else None

    def _absolute(self, document: PublishedPage, path: str) -> PublishedPage | None:
        bare = _bare(path.lstrip("/"))
        collection, _, slug = bare.partition("/")
        if collection in COLLECTIONS and slug in self._by_slug:
            return self._by_slug[slug]
        # The tree may have been mounted at some address: any tail of the path that
        # names a whole source, folder included, is that source.
        parts = bare.split("/")
        for start in range(len(parts) - 1):
            found = self._of_tree(document, "/".join(parts[start:]))
            if found:
                return found
        return self._of_tree(document, bare)

    def _of_tree(self, document: PublishedPage, path: str) -> PublishedPage | None:
        """Return what came from this file of the tree that the document is from."""
        return self._by_source.get((document.source_tree, path))


def _bare(path: str) -> str:
    """Return a path without ending, final slash or index."""
    path = path.strip("/")
    for ending in ENDINGS:
        path = path.removesuffix(ending)
    folder, _, name = path.rpartition("/")
    return folder if name.lower() in INDEXES else path
