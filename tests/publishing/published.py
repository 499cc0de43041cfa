"""The content that a target must have, and the links that a reader can follow."""

from urllib.parse import unquote, urljoin, urlsplit

from models.response_headers import site_headers
from models.site_addresses import url_path
from tests.pages.crawl import _Page


def files_of(folder):
    """Return every public file of a built site by its path."""
    found = (each for each in sorted(folder.rglob("[!.]*")) if each.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def with_headers(files):
    """Return the files as a store must have them: content, type and cache rule."""
    return {
        path: (content, result["Content-Type"], result["Cache-Control"])
        for path, content in files.items()
        for result in [site_headers(path)]
    }


def dead_ends(files):
    """Return the broken links of all pages that a reader can reach."""
    pages = {url_path(path): content for path, content in files.items()}
    seen, ahead, lost = set(), ["/"], []
    while ahead:
        at = ahead.pop()
        if at in seen or not at.endswith("/"):
            continue
        seen.add(at)
        for link in _Page(pages[at].decode()).links:
            parts = urlsplit(urljoin(at, link))
            target = unquote(parts.path)
            if parts.scheme or parts.netloc:
                continue
            if target in pages:
                ahead.append(target)
            else:
                lost.append((at, link))
    return lost
