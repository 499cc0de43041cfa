"""Resolve the links of documents to addresses of the public site."""

from collections import defaultdict
from collections.abc import Iterable
from posixpath import basename, normpath
from typing import get_args
from urllib.parse import quote, unquote

from models.projects.documents.documents import Collection
from models.projects.documents.linking.outside_links import (
    Repository,
    path_below,
    relative_website_href,
    website_href,
)
from models.projects.documents.linking.tree_names import (
    TreeNames,
    file_slugs,
    is_outside,
    relative_names,
    tails,
)
from models.projects.documents.paths import page_address, page_href, stem
from models.projects.documents.published import PublishedPage
from models.response_headers import PATH_RULES
from models.site_addresses import file_for, without_query

COLLECTIONS = get_args(Collection)

# The top-level folders and files of the site that hold no documents; links to them
# are left as they are. Files that describe a single build are not linkable, since
# the next build replaces them.
SITE_ROOTS = {pattern.split("/")[1] for pattern in PATH_RULES} - {
    *("", "assets", "build.json", "builds", "files", *COLLECTIONS)
}
# Docusaurus and Zola write these for the root of the tree.
ROOT_PREFIXES = ("@site/", "@/")
NO_TREE = TreeNames(())


def document_path(document: PublishedPage) -> str:
    """Return the path of the document's page in the output folder."""
    return file_for(page_address(document.collection, document.path))


def document_href(document: PublishedPage) -> str:
    return page_href(document.collection, document.path)


def link_fragment(href: str) -> str:
    """Return the decoded fragment of a link, "" if it has none or means the top."""
    fragment = unquote(href.partition("#")[2])
    # Browsers resolve #top to the start of any page.
    return "" if fragment.lower() == "top" else fragment


def is_document_href(href: str) -> bool:
    """Return whether a resolved link leads to the page of a document."""
    collection, _, rest = href[1:].partition("/")
    return collection in COLLECTIONS and rest[:1] not in ("", "?", "#")


def is_on_site(href: str) -> bool:
    """Return whether a resolved link leads to this site, not to another one."""
    return href[:1] in "/?#"


def site_href(target: str) -> str | None:
    """
    Return the address that a link from the root of the site leads to.

    It is that of a text which is no document, and does not change with documents: if
    there is no such page, the link is broken. Any other link leads nowhere: None.
    """
    raw_path = without_query(target)
    path, suffix = unquote(raw_path), target[len(raw_path) :]
    if path[:1] != "/" or not (path + suffix).isprintable():
        return None
    collection, _, rest = path.lstrip("/").partition("/")
    if collection in COLLECTIONS and rest:
        return f"/{quote(stem(path))}/{suffix}"
    href = _site_href(path)
    return href and quote(href) + suffix


class LinkResolver:
    """
    Index the published documents by slug, address and source file.

    `edit_url` is the pattern of the addresses at which files are edited, and
    `redirects` are other addresses of documents, by which their former names are known.
    """

    def __init__(
        self,
        documents: Iterable[PublishedPage],
        edit_url: str = "",
        redirects: Iterable[tuple[str, PublishedPage]] = (),
    ) -> None:
        self._by_alias = {stem(address): page for address, page in redirects}
        self._by_former_slug = {
            address.partition("/")[2]: page
            for address, page in self._by_alias.items()
            if address.partition("/")[0] in COLLECTIONS
        }
        self._repository = Repository(edit_url)
        self._by_slug: dict[str, PublishedPage] = {}
        self._by_address: dict[str, PublishedPage] = {}
        by_tree: dict[str | None, list[PublishedPage]] = defaultdict(list)
        for document in documents:
            self._by_slug[document.slug] = document
            address = page_address(document.collection, document.path)
            self._by_address[address] = document
            if document.source_path:
                by_tree[document.source_tree].append(document)
        self._trees = {name: TreeNames(pages) for name, pages in by_tree.items()}

    def resolve(self, document: PublishedPage, target: str) -> str | None:
        """
        Return the address that a link of the document leads to, or None.

        The target may be a path in the tree that the document was imported from,
        relative or absolute, an address that a file of the tree declares, an address of
        the site, or a slug with or without `.md`. What a tree lacks may be at the URL
        where it is published, or at its repository. Query and fragment are kept as
        written.
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
        if raw_path.startswith(ROOT_PREFIXES):
            path, raw_path = path[path.find("/") :], raw_path[raw_path.find("/") :]
        resolve = self._absolute if path[:1] == "/" else self._relative
        href = resolve(document, path, raw_path)
        return href + suffix if href else None

    def document_at(self, href: str) -> PublishedPage | None:
        """Return the document whose page has this address."""
        return self._by_address.get(unquote(href))

    def _absolute(
        self, document: PublishedPage, path: str, raw_path: str
    ) -> str | None:
        """Resolve an address from the root: of the tree, the site, or the website."""
        if page := self._page_at(document, path):
            return document_href(page)
        if href := _site_href(path):
            return href
        page = self._by_alias.get(stem(path)) or self._page_named(document, path)
        if page:
            return document_href(page)
        base = document.source_base
        return website_href(base, raw_path) if base else None

    def _page_at(self, document: PublishedPage, path: str) -> PublishedPage | None:
        """Return the document at an address of the tree, or of a collection."""
        tree = self._tree_of(document)
        path_in_tree = path_below(document.source_base or "", path)
        if page := tree.find([path.strip("/"), path_in_tree.strip("/")]):
            return page
        collection, _, name = stem(path).partition("/")
        if collection in COLLECTIONS and name:
            page = self._by_address.get(page_address(collection, name))
            if page := page or self._by_slug.get(name):
                return page
        name = stem(path_in_tree)
        # The tree may have been mounted below some address, or at one of its folders.
        mounted = [tail for tail in tails(name) if "/" in tail]
        return tree.find(mounted) or (tree.find_by_end(name) if mounted else None)

    def _page_named(self, document: PublishedPage, path: str) -> PublishedPage | None:
        """Return the document of the tree that the last part of an address names."""
        tree, name = self._tree_of(document), stem(path)
        is_one_part = bool(name) and "/" not in name
        if is_one_part and not document.source_base:
            return tree.find_by_end(name)
        return tree.find([name.rpartition("/")[2]]) if name else None

    def _relative(
        self, document: PublishedPage, path: str, raw_path: str
    ) -> str | None:
        """Resolve a path relative to the file or to the address of its page."""
        if document.source_path:
            names = list(relative_names(document, path))
            if page := self._tree_of(document).find(names):
                return document_href(page)
            if page := self._page_formerly_at(document, names):
                return document_href(page)
            if href := self._outside_href(document, names[0], raw_path):
                return href
        page = self._page_by_end(document, path)
        page = page or self._page_with_former_slug(basename(stem(path)))
        return document_href(page) if page else None

    def _page_with_former_slug(self, name: str) -> PublishedPage | None:
        pages = map(self._by_former_slug.get, file_slugs(name))
        return next(filter(None, pages), None)

    def _page_formerly_at(
        self, document: PublishedPage, names: list[str]
    ) -> PublishedPage | None:
        """Return the document of the tree that had one of these paths or aliases."""
        candidates = [self._by_alias.get(stem(name)) for name in names]
        # The slug of a file whose name others had, too, begins with its folders.
        if "/" in names[0]:
            candidates.append(self._page_with_former_slug(stem(names[0])))
        tree = document.source_tree
        of_tree = (page for page in candidates if page and page.source_tree == tree)
        return next(of_tree, None)

    def _outside_href(
        self, document: PublishedPage, name: str, path: str
    ) -> str | None:
        """Return where a path leads that leaves the folder or the website of a tree."""
        tree, source_path = document.source_tree or "", document.source_path or ""
        of_repository, of_website = None, None
        if is_outside(name):
            if page := self._page_beside(name):
                return document_href(page)
            of_repository = self._repository.href(tree, source_path, path)
        if of_repository and not self._repository.is_file(of_repository):
            return of_repository
        if document.source_base:
            address = document.source_address or source_path
            of_website = relative_website_href(document.source_base, address, path)
        return of_website or of_repository

    def _page_beside(self, name: str) -> PublishedPage | None:
        """Return a document of a tree whose folder is beside that of this one."""
        tree, _, path = name.removeprefix("../").partition("/")
        return self._trees.get(tree, NO_TREE).find([path])

    def _page_by_end(self, document: PublishedPage, path: str) -> PublishedPage | None:
        """Return the document that the end of a path names: of the tree, or a slug."""
        name = stem(normpath(path))
        is_inside = bool(name) and not is_outside(name)
        page = self._tree_of(document).find_by_end(name) if is_inside else None
        return page or self._by_slug.get(name.rpartition("/")[2])

    def _tree_of(self, document: PublishedPage) -> TreeNames:
        if not document.source_path:
            return NO_TREE
        return self._trees.get(document.source_tree, NO_TREE)


def _site_href(path: str) -> str | None:
    """Return the address of the home page, a collection or another file."""
    # A browser takes what follows two slashes for the name of another host.
    relative = path.lstrip("/")
    root, _, rest = relative.partition("/")
    if "?" in relative or "#" in relative:
        # No file of the site has such a name, and in a link it would be a query
        # or a fragment.
        return None
    if root in COLLECTIONS and not rest:
        return f"/{root}/"
    return "/" + relative if not root or root in SITE_ROOTS else None
