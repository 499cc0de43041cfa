"""
Lead links of imported pages to what their tree lacks: a website, and a repository.

Pure functions: no row, no clock, no setting is read here.
"""

import re
from posixpath import dirname, join, normpath
from urllib.parse import quote, urljoin, urlsplit

# No website publishes files under these.
_SOURCE_EXTENSION = re.compile(r"\.(?:md|mdx|markdown)$", re.IGNORECASE)
# Addresses of GitHub, and of GitLab, which has another segment before "edit".
_REPOSITORY = re.compile(
    r"(?P<repository>https?://[^/{}]+/[^{}]+?(?:/-)?)/edit/(?P<branch>[^/{}]+)/"
)
# A name, or an address of IPv6.
_HOST = re.compile(r"[\w.-]+|[0-9a-f:.]+")
_WEBSITE_URL = re.compile(r"https?://[^\s/?#@\\\"'<>]+(?:/[^\s?#\\\"'<>]*)?")


def is_website_url(url: str) -> bool:
    """Return whether a tree can be published there: by HTTP, without query or user."""
    if not _WEBSITE_URL.fullmatch(url):
        return False
    try:
        parts = urlsplit(url)
        return parts.port != 0 and _HOST.fullmatch(parts.hostname or "") is not None
    except ValueError:
        return False


def website_href(base: str, path: str) -> str:
    """Return an address from the root, at the URL where the tree is published."""
    path = path_below(base, path)
    return base.rstrip("/") + "/" + _published(path.lstrip("/"))


def path_below(base: str, path: str) -> str:
    """Return an address from the root without the path of a URL that it begins with."""
    # Some authors write that path, others leave it to their generator.
    mount = urlsplit(base).path.rstrip("/")
    return path.removeprefix(mount) if path.startswith(f"{mount}/") else path


def relative_website_href(base: str, address: str, path: str) -> str | None:
    """Return where a relative path leads on the website, None if into the tree."""
    target = normpath(join(dirname(address.strip("/")), path))
    if target.split("/")[0] != "..":
        return None
    return urljoin(base.rstrip("/") + "/", _published(target))


def edit_url(pattern: str, tree: str, path: str) -> str:
    """Return the address at which a file of a tree is edited."""
    return pattern.replace("{tree}", quote(tree)).replace("{path}", quote(path))


class Repository:
    """A repository on GitHub, GitLab or alike, by the pattern to edit its files."""

    def __init__(self, edit_pattern: str) -> None:
        match = _REPOSITORY.match(edit_pattern)
        self._address = match["repository"] if match else ""
        self._files = f"{self._address}/blob/{match['branch']}/" if match else ""
        self._pattern = self._files + edit_pattern[match.end() :] if match else ""

    def href(self, tree: str, path: str, target: str) -> str | None:
        """Return where a relative path in a file leads, None if not to the host."""
        if not self._pattern:
            return None
        href = urljoin(edit_url(self._pattern, tree, path), target)
        is_of_repository = href.startswith(f"{self._address}/")
        is_in_no_branch = href.startswith(f"{self._address}/blob/")
        is_known = self.is_file(href) or not is_in_no_branch
        return href if is_of_repository and is_known else None

    def is_file(self, href: str) -> bool:
        return href.startswith(self._files)


def _published(path: str) -> str:
    return _SOURCE_EXTENSION.sub("", path)
