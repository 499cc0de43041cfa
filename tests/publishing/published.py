"""What a target has to hold, and what a reader of it may come across."""

from urllib.parse import unquote, urljoin, urlsplit

from models.response_headers import site_headers, url_path
from tests.pages.crawl import _Page


def files_of(folder):
    """Every file of a built site by its path, but for what its dot hides."""
    found = (each for each in sorted(folder.rglob("[!.]*")) if each.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def with_headers(files):
    """Files as a store has to hold them: content, type and cache rule."""
    return {
        path: (content, result["Content-Type"], result["Cache-Control"])
        for path, content in files.items()
        for result in [site_headers(path)]
    }


def dead_ends(files):
    """The links that lead nowhere, of all pages that a reader comes to."""
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
